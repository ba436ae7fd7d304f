package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What links to other nodes mean for the components: network implements Events.

// Bars reports whether a node is to be refused.
func (w *network) Bars(who machine.Peer) bool {
	return w.verified.Bars(who.ID) || w.access.Refuses(who.ID)
}

// Uses implements linkEvents.
func (w *network) Uses(f *peers.Remote) bool { return w.guests.has(f) || w.verified.Uses(f) }

// Remembers implements linkEvents.
func (w *network) Remembers(f *peers.Remote) bool { return w.routes.Speakers.Remembers(f) }

// LinkUp implements linkEvents: both ends exchange what each must know.
func (w *network) LinkUp(f *peers.Remote) {
	w.verified.Lists().Greet(f)
	w.access.Lists().Greet(f)
	w.entries.greet(f)
	w.owner.greet(f)
	w.n.decisions.greet(f)
	w.verified.Greet(f)
	w.evidence.Greet(f)
}

// LinkDown implements linkEvents: the sessions of that node count as ended, and the
// leaders of its shards are searched.
func (w *network) LinkDown(f *peers.Remote) {
	w.owner.linkDown(f)
	w.guests.endAll(f)
	w.shown.LinkDown(f)
	for _, h := range w.hosting.replicas { // the order does not matter
		h.followed.LinkDown(f)
	}
	w.routes.LinkDown(f)
}

// ShareLost implements linkEvents.
func (w *network) ShareLost(f *peers.Remote, ev machine.LinkEvent) { w.verified.Lost(f, ev) }

// LinkChanged implements linkEvents.
func (w *network) LinkChanged(peer machine.Peer, ev machine.LinkEvent) {
	w.hosting.linkChanged(peer, ev)
}

// disconnectBarred disconnects the nodes that are to be refused.
func (w *network) disconnectBarred() {
	for _, f := range w.links.All() {
		if w.Bars(f.Peer) {
			w.dir.Remove(f.Peer.ID)
			w.seen.Forget(f.Peer.ID)
			w.links.Disconnect(f)
		}
	}
}

// NewHost implements routing.Events: the regions led here say again what the host of
// another shard knew before.
func (w *network) NewHost(p shards.Shard) { w.n.announceNewHost(p) }
