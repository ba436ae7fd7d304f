package verifiedworld

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
)

// Reissue takes a new certificate of this node for its place.
func (v *World) Reissue(c *identity.Certificate) error {
	if v == nil || v.Certificate == nil {
		return fmt.Errorf("the node runs without a certificate: start it anew with this one")
	}
	switch old := v.Certificate; {
	case c.Serial == old.Serial:
		return nil
	case c.ID() != old.ID():
		return fmt.Errorf("certificate %d is for node %s, not for this one", c.Serial, c.ID().Short())
	case c.Pos != old.Pos:
		return fmt.Errorf("certificate %d gives the node another place: start it anew with this one", c.Serial)
	case v.out:
		return fmt.Errorf("the node has left the overlay as certificate %d does not count any more: start it anew with this one", old.Serial)
	}
	if err := v.Verifier.Reissued(c); err != nil {
		return err
	}
	v.Note(fmt.Sprintf("This node has certificate %d now, instead of %d.", c.Serial, v.Certificate.Serial))
	v.Certificate, v.warned = c, 0
	v.overlay.overlay.Reissue(c)
	v.Links.TellAll(&Renewed{c}, nil)
	return nil
}

// OnRenewed takes the new certificate of a node.
func (v *World) OnRenewed(f *peers.Remote, m *Renewed) {
	if v == nil {
		return
	}
	err := fmt.Errorf("it is none, or another node's")
	if m.Certificate != nil && m.Certificate.ID() == f.Peer.ID {
		err = v.Verifier.Reissued(m.Certificate)
	}
	if err != nil {
		v.Accused.Accuse(f.Peer.ID, "a certificate that does not count: %v", err)
		v.Links.Disconnect(f)
	}
}
