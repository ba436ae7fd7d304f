package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// entries is what a node knows of where players reach the others: the pages of its
// own players go on there when this node is gone, and pages of nodes that are gone
// come here.
type entries struct {
	part.Part
	links *peers.Links
	own   *PlayersAt // nil: this node lets no players in
	known map[id.ID]Entry
}

// Entry is where players reach another node.
type Entry struct {
	Node   machine.Peer // at the address that it has in the network
	At     PlayersAt
	Near   bool         // on this machine
	Linked bool         // there is a link to it at present
	Heard  machine.Time // when it last said so, or the link ended
}

const (
	maxEntries = 256
	// entryLife is how long the page of a node that is gone may go on at others.
	entryLife = 12 * time.Hour
)

func newEntries(c part.Part, l *peers.Links) *entries {
	return &entries{Part: c, links: l, known: map[id.ID]Entry{}}
}

// set tells the nodes that there is a link to.
func (e *entries) set(at PlayersAt) {
	e.own = &at
	for _, f := range e.links.Up() {
		e.greet(f)
	}
}

// greet tells a node that there is a link to where players reach this one.
func (e *entries) greet(f *peers.Remote) {
	if e.own != nil && (!e.own.Local || e.own.channels() || e.near(f.Peer)) {
		e.Env.Send(f.Peer, e.own)
	}
}

// channels reports whether browsers reach the node at its UDP port.
func (m *PlayersAt) channels() bool { return m.Certificate != [32]byte{} }

// near reports whether a node is on this machine, as far as its address tells.
func (e *entries) near(p machine.Peer) bool {
	ip := p.Addr.AddrPort().Addr()
	return ip.IsLoopback() || ip.IsValid() && ip == e.Cfg.Self.Addr.AddrPort().Addr()
}

// learn notes where players reach a node. It says so over its own link, which
// proves who it is.
func (e *entries) learn(f *peers.Remote, m *PlayersAt) {
	near := e.near(f.Peer)
	if !f.IsUp() || m.Local && !near && !m.channels() {
		return
	}
	if _, known := e.known[f.Peer.ID]; !known && len(e.known) >= maxEntries {
		e.forgetOldest()
	}
	e.known[f.Peer.ID] = Entry{Node: f.Peer, At: *m, Near: near, Heard: e.Env.Now()}
}

func (e *entries) forgetOldest() {
	var oldest id.ID
	for _, node := range id.Sorted(e.known) {
		if oldest.IsZero() || e.known[node].Heard < e.known[oldest].Heard {
			oldest = node
		}
	}
	delete(e.known, oldest)
}

// nodeWith is the first node with a link whose certificate for browsers is the one that is
// looked for; zero: there is none.
func (e *entries) nodeWith(is func(certificate [32]byte) bool) (who id.ID) {
	for _, node := range id.Sorted(e.known) {
		if f := e.links.ByID(node); f != nil && f.IsUp() && is(e.known[node].At.Certificate) {
			return node
		}
	}
	return who
}

// list forgets what is too old, and returns the rest.
func (e *entries) list() (out []Entry) {
	now := e.Env.Now()
	for _, node := range id.Sorted(e.known) {
		v := e.known[node]
		if f := e.links.ByID(node); f != nil && f.IsUp() {
			v.Linked, v.Heard = true, now
			e.known[node] = v
		}
		if now.Sub(v.Heard) > entryLife {
			delete(e.known, node)
		} else if v.At.Port != 0 {
			v.At.Names = slices.Clone(v.At.Names)
			out = append(out, v)
		}
	}
	return out
}
