package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Verified is what a node has in a world with an authority.
type Verified struct {
	Zones    int // of the overlay
	Verifier CertificateVerifier
	// Certificate gives the node its place in the overlay; nil: it has none, and
	// no other node lets it in.
	Certificate *identity.Certificate
	// Sign signs a view of the neighbourhood with the node's key, which makes it
	// evidence; nil: views are not signed.
	Sign func(*overlay.NetworkView)
	// Report takes evidence against other nodes; may be nil.
	Report func(overlay.Evidence)
	// Storage is the world's replicated storage; nil: it has none.
	Storage *StorageConfig
}

// CertificateVerifier decides which nodes may take part. Any goroutine may call
// it (keyring.Verifier).
type CertificateVerifier interface {
	// Verify is the job that checks a certificate.
	Verify(of id.ID, c *identity.Certificate) machine.Job
	// Renew takes a newer list of revocations; an error says why not.
	Renew(*identity.Revocations) error
	// Reissued takes the certificate that a node has now; an error says why not.
	// One that is no newer than that which was seen changes nothing.
	Reissued(*identity.Certificate) error
	// Revoked is the list in force; nil: none.
	Revoked() *identity.Revocations
	// Bars reports whether a node's certificate was seen and is revoked, or has
	// ended.
	Bars(id.ID) bool
}

// verified applies the authority's revocations to the node's links, and spreads
// them. A nil one is that of an open world.
type verified struct {
	Verified
	*lists.Sync
	disconnectBarred func()
	overlay          *overlayAdapter // nil: this node has no place

	next   machine.Time // to look whether certificates have ended
	out    bool         // this node's own does not count any more
	warned machine.Time // that it is about to end
}

// newVerified returns nil if the world has no authority.
func newVerified(c part.Part, cfg *Verified, l *peers.Links, disk lists.Disk, disconnectBarred func()) *verified {
	if cfg == nil {
		return nil
	}
	v := &verified{Verified: *cfg, disconnectBarred: disconnectBarred}
	v.Sync = &lists.Sync{
		Part: c, Links: l, Disk: disk, List: revocationList{v.Verifier}, Name: "list of revocations", Key: revokedKey, Enforce: v.enforceList,
		Message: func(version uint64, list []byte) machine.Message { return &Revoked{version, list} },
	}
	return v
}

// bars reports whether a node is to be refused.
func (v *verified) bars(who id.ID) bool { return v != nil && v.Verifier.Bars(who) }

// lists is nil if v is.
func (v *verified) lists() *lists.Sync {
	if v == nil {
		return nil
	}
	return v.Sync
}

// revocationList is the authority's list as it spreads.
type revocationList struct{ CertificateVerifier }

// Current implements SignedList.
func (l revocationList) Current() (version uint64, list []byte) {
	if r := l.Revoked(); r != nil {
		return r.Version, r.Append(nil)
	}
	return 0, nil
}

// Take implements SignedList.
func (l revocationList) Take(list []byte) (said string, err error) {
	r, err := identity.DecodeRevocations(list)
	if err == nil {
		err = l.Renew(r)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Version %d of the authority's revocations is in force, with %d certificates.", r.Version, len(r.Serials)), nil
}

const (
	// revokedKey is where the list is in the node's own space.
	revokedKey = "revocations"
	// endsSoon is how long before its end a host is told of it, once a day.
	endsSoon = 7 * 24 * time.Hour
)

// beat looks whether certificates have ended while the nodes were running.
func (v *verified) beat(now machine.Time) {
	if v == nil || now < v.next {
		return
	}
	v.next = now.Add(lists.EndsEvery)
	v.enforceList()
	c := v.Certificate
	if c == nil || c.Until == 0 || v.out || now.Add(endsSoon) < c.Until || v.warned != 0 && now.Sub(v.warned) < 24*time.Hour {
		return
	}
	v.warned = now
	v.Note(fmt.Sprintf("This node's certificate, number %d, ends at %s. Ask the authority for a new one (authority issue keeps the node's place) and put it where the old one is: the node takes it while it runs.",
		c.Serial, time.Unix(0, int64(c.Until)).UTC().Format(time.RFC3339)))
}

// enforceList cuts off who is revoked or whose certificate has ended.
func (v *verified) enforceList() {
	v.disconnectBarred()
	c := v.Certificate
	if c == nil || v.out {
		return
	}
	switch {
	case v.Verifier.Revoked().Has(c.Serial):
		v.leave(fmt.Sprintf("This node's own certificate, number %d, was revoked: other nodes refuse it from now on.", c.Serial))
	case c.Ended(v.Env.Now()):
		v.leave(fmt.Sprintf("This node's own certificate, number %d, has ended: other nodes refuse it from now on. Ask the authority for a new one and start the node with it.", c.Serial))
	}
}

// leave takes the node out of the overlay.
func (v *verified) leave(why string) {
	v.out = true
	v.Note(why)
	v.overlay.stop()
}
