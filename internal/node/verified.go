package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Verified is what a node has in a world with an authority.
type Verified struct {
	Zones int // of the overlay
	Door  Door
	// Certificate gives the node its place in the overlay; nil: it has none, and
	// no other node lets it in.
	Certificate *identity.Certificate
	// Sign signs a view of the neighbourhood with the node's key, which makes it
	// evidence; nil: views are not signed.
	Sign func(*overlay.NetworkView)
	// Report takes evidence against other nodes; may be nil.
	Report func(overlay.Evidence)
	// Truth is the world's replicated storage; nil: it has none.
	Truth *Truth
}

// Door is who decides which nodes may take part. It may be asked from
// everywhere (keyring.Door).
type Door interface {
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

// verified spreads the authority's revocations: two nodes that get a link tell
// each other which version they have, and who has the newer one gives it to the
// other; who gets a newer one passes it on over all links. What is passed on was
// checked first, so nothing spreads but what the authority has signed. A nil one
// is that of an open world.
type verified struct {
	Verified
	w *network

	next   machine.Time // to look whether certificates have ended
	out    bool         // this node's own does not count any more
	warned machine.Time // that it is about to end
}

func (w *network) initVerified() {
	if w.cfg.Verified == nil {
		return
	}
	w.verified = &verified{Verified: *w.cfg.Verified, w: w}
	if w.verified.Certificate != nil {
		w.layer = newLayer(w, w.verified)
	}
}

// bars reports whether a node is to be refused.
func (v *verified) bars(who id.ID) bool { return v != nil && v.Door.Bars(who) }

// version is that of the list in force; 0: none.
func (v *verified) version() uint64 {
	if r := v.Door.Revoked(); r != nil {
		return r.Version
	}
	return 0
}

// greet tells a node which version is in force here.
func (v *verified) greet(f *farNode) {
	if v != nil {
		v.w.n.env.Send(f.peer, &Revoked{Version: v.version()})
	}
}

// message is the list in force.
func (v *verified) message() *Revoked {
	r := v.Door.Revoked()
	return &Revoked{Version: r.Version, List: r.Append(nil)}
}

// onRevoked compares versions, and takes a newer list.
func (v *verified) onRevoked(f *farNode, m *Revoked) {
	if v == nil || f.state != linkUp {
		return
	}
	switch own := v.version(); {
	case m.Version < own:
		v.w.n.env.Send(f.peer, v.message())
	case m.Version == own || len(m.List) == 0: // it gives us the list when it hears of ours
	default:
		r, err := identity.DecodeRevocations(m.List)
		if err == nil {
			err = v.take(r, f)
		}
		if err != nil {
			v.w.note(fmt.Sprintf("Node %s has sent a false list of revocations: %v", f.peer.ID.Short(), err))
			v.w.cut(f)
		}
	}
}

// Revoke gives the node a list of revocations of the authority, which spreads to
// the other nodes. One that is not newer changes nothing. A driver calls it like
// a handler.
func (n *Node) Revoke(r *identity.Revocations) error {
	if n.net == nil || n.net.verified == nil {
		return fmt.Errorf("revocations: the world has no authority")
	}
	v := n.net.verified
	if r.World == n.net.cfg.World && r.Version <= v.version() {
		return nil
	}
	err := v.take(r, nil)
	n.drain()
	return err
}

// tellAll sends a message over all links but one.
func (w *network) tellAll(m machine.Message, but *farNode) {
	for _, f := range w.order {
		if f != but && f.state == linkUp {
			w.n.env.Send(f.peer, m)
		}
	}
}

// recall takes the list that is on the disk.
func (v *verified) recall(b []byte) {
	if v == nil {
		return
	}
	r, err := identity.DecodeRevocations(b)
	if err == nil && r.Version > v.version() {
		err = v.Door.Renew(r)
	}
	if err != nil {
		v.w.note("The list of revocations on the disk cannot be used: " + err.Error())
		return
	}
	v.enforce()
}

// take puts a newer list in force, keeps it and passes it on. The links to who is
// revoked are closed after that: they hear why.
func (v *verified) take(r *identity.Revocations, from *farNode) error {
	if err := v.Door.Renew(r); err != nil {
		return err
	}
	w := v.w
	w.memory.put(revokedKey, r.Append(nil))
	w.tellAll(v.message(), from)
	w.note(fmt.Sprintf("Version %d of the authority's revocations is in force, with %d certificates.", r.Version, len(r.Serials)))
	v.enforce()
	return nil
}

const (
	endsEvery = time.Minute
	// endsSoon is how long before its end a host is told of it, once a day.
	endsSoon = 7 * 24 * time.Hour
)

// beat looks whether certificates have ended while the nodes were running.
func (v *verified) beat(now machine.Time) {
	if v == nil || now < v.next {
		return
	}
	v.next = now.Add(endsEvery)
	v.enforce()
	c := v.Certificate
	if c == nil || c.Until == 0 || v.out || now.Add(endsSoon) < c.Until || v.warned != 0 && now.Sub(v.warned) < 24*time.Hour {
		return
	}
	v.warned = now
	v.w.note(fmt.Sprintf("This node's certificate, number %d, ends at %s. Ask the authority for a new one (authority issue keeps the node's place) and put it where the old one is: the node takes it while it runs.",
		c.Serial, time.Unix(0, int64(c.Until)).UTC().Format(time.RFC3339)))
}

// enforce cuts off who is revoked or whose certificate has ended.
func (v *verified) enforce() {
	w := v.w
	for _, f := range append([]*farNode(nil), w.order...) {
		if v.bars(f.peer.ID) {
			w.dir.kad.Table().Remove(f.peer.ID)
			delete(w.memory.heard, f.peer.ID)
			w.cut(f)
		}
	}
	c := v.Certificate
	if c == nil || v.out {
		return
	}
	switch {
	case v.Door.Revoked().Has(c.Serial):
		v.leave(fmt.Sprintf("This node's own certificate, number %d, was revoked: other nodes refuse it from now on.", c.Serial))
	case c.Ended(w.n.env.Now()):
		v.leave(fmt.Sprintf("This node's own certificate, number %d, has ended: other nodes refuse it from now on. Ask the authority for a new one and start the node with it.", c.Serial))
	}
}

// leave takes the node out of the overlay.
func (v *verified) leave(why string) {
	v.out = true
	v.w.note(why)
	v.w.layer.stop()
}

// cut ends the link to a node.
func (w *network) cut(f *farNode) {
	if f.state == linkNone {
		return
	}
	w.n.env.Close(f.peer)
	w.linkDown(f)
	w.layer.lost(f, machine.LinkFailed)
	for _, p := range sortedParts(w.hosts) {
		w.hosts[p].rep.OnLink(f.peer, machine.LinkFailed)
	}
}
