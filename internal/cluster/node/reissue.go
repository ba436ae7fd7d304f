package node

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
)

// Reissue gives the node a new certificate for its place, and sends it over all
// links: the other ends would disconnect the node when the old one expires. All
// others see it when it next shakes hands with them. A driver calls it like a
// handler.
func (n *Node) Reissue(c *identity.Certificate) error {
	if n.net == nil || n.net.verified == nil || n.net.verified.Certificate == nil {
		return fmt.Errorf("the node runs without a certificate: start it anew with this one")
	}
	v := n.net.verified
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
	v.overlay.node.Reissue(c)
	v.links.TellAll(&Renewed{c}, nil)
	n.drain()
	return nil
}

// onRenewed takes the new certificate of a node.
func (v *verified) onRenewed(f *peers.Remote, m *Renewed) {
	if v == nil {
		return
	}
	err := fmt.Errorf("it is none, or another node's")
	if m.Certificate != nil && m.Certificate.ID() == f.Peer.ID {
		err = v.Verifier.Reissued(m.Certificate)
	}
	if err != nil {
		v.Accused.Accuse(f.Peer.ID, "a certificate that does not count: %v", err)
		v.links.Disconnect(f)
	}
}
