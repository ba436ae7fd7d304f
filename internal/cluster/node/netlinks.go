package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What links to other nodes mean for the components: network implements linkEvents.

// bars reports whether a node is to be refused.
func (w *network) bars(who machine.Peer) bool {
	return w.verified.bars(who.ID) || w.access.bars(who.ID)
}

// uses implements linkEvents.
func (w *network) uses(f *remoteNode) bool { return w.guests.has(f) || w.overlay.uses(f) }

// remembers implements linkEvents.
func (w *network) remembers(f *remoteNode) bool { return w.speakers.heeds(f) }

// linkUp implements linkEvents: both ends exchange what each must know.
func (w *network) linkUp(f *remoteNode) {
	w.verified.lists().greet(f)
	w.access.lists().greet(f)
	w.entries.greet(f)
	w.owner.greet(f)
	w.n.decisions.greet(f)
	w.overlay.greet(f)
	w.evidence.greet(f)
}

// linkDown implements linkEvents: the sessions of that node count as ended, and the
// leaders of its shards are searched.
func (w *network) linkDown(f *remoteNode) {
	w.owner.linkDown(f)
	w.guests.endAll(f)
	w.shown.linkDown(f)
	w.routes.linkDown(f)
}

// shareLost implements linkEvents.
func (w *network) shareLost(f *remoteNode, ev machine.LinkEvent) { w.overlay.lost(f, ev) }

// linkChanged implements linkEvents.
func (w *network) linkChanged(peer machine.Peer, ev machine.LinkEvent) {
	w.hosting.linkChanged(peer, ev)
}

// disconnectBarred disconnects the nodes that are to be refused.
func (w *network) disconnectBarred() {
	for _, f := range w.links.all() {
		if w.bars(f.peer) {
			w.dir.remove(f.peer.ID)
			w.seen.forget(f.peer.ID)
			w.links.disconnect(f)
		}
	}
}

// newHost implements routeEvents: the regions led here say again what the host of
// another shard knew before.
func (w *network) newHost(p shards.Shard) { w.n.announceNewHost(p) }
