package node

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// remoteNode is another node, with the link to it.
type remoteNode struct {
	peer         machine.Peer // at the address that is used
	lastFrom     machine.Peer // at the address that it was last heard from; zero: never heard
	reportedAs   machine.Peer // at another address that others have named since; zero: none
	state        linkState
	queue        []machine.Message // until the link is up
	heard        machine.Time      // when it last said something
	usualSilence time.Duration     // about the longest that it has been silent of late
	seen         machine.Peer      // as memory knows it
	seenAt       machine.Time
	used         machine.Time // when the link was last needed
	retry        machine.Time // the link is not opened before

	knownSince machine.Time // when it was first heard of
	left       bool         // it has said that it stops
	invited    machine.Time // when it last said whether it has room,
	room       bool
	led        uint32 // and how many shards it leads

	sessions        map[id.ID]bool // of that node, that shards here have heard of
	played          machine.Time   // when one of them last said something here; 0: never
	ownerPlays      bool           // its owner plays at it, as it has said over the link that is up
	nextStrayNotice machine.Time   // when it may be told again that a session here has gone

	unverified int // how much of what it said waits for who hosts the shard

	asked          machine.Time // when it was looked how many messages wait for it
	waiting, limit int

	overlayShare linkShare // the overlay's

	nextDecisions machine.Time // when it may be given all decisions again
}

type linkState uint8

const (
	linkNone    linkState = iota
	linkWaiting           // it has just failed, and is opened again soon
	linkOpening
	linkUp
)

const (
	maxLinkQueue      = 4096 // messages that wait for a link
	maxRemoteSessions = 4096 // of one node at shards here
	maxRemoteNodes    = 4096 // that are known at a time
	reopenAfter       = 500 * time.Millisecond
	idleLink          = time.Minute // a link that nobody needs is closed
)

// reported returns the entry of a node that others have named, or that is
// remembered from the disk. The address that the node's own messages come from
// has priority; what others report is tried only when it cannot be reached
// there.
func (w *network) reported(p machine.Peer) *remoteNode {
	f := w.remotes[p.ID]
	if f == nil {
		f = &remoteNode{peer: p, knownSince: w.n.env.Now(), sessions: map[id.ID]bool{}}
		if s, known := w.store.seen[p.ID]; known {
			f.peer, f.lastFrom = s.peer, s.peer
		}
		w.remember(f)
	}
	if f.peer != p && f.lastFrom != p && p.Addr != (machine.Addr{}) {
		f.reportedAs = p
	}
	return f
}

// remember notes a node. Anybody can name nodes: when there are too many, the one
// that was heard from or needed least recently is forgotten. If all of them are in
// use, f is not noted, and known only to the handler that runs.
func (w *network) remember(f *remoteNode) {
	if len(w.order) >= maxRemoteNodes {
		var oldest *remoteNode
		for _, o := range w.order {
			if o.dispensable(w.n.env.Now()) && (oldest == nil || o.last() < oldest.last()) {
				oldest = o
			}
		}
		if oldest == nil {
			return
		}
		w.order = slices.DeleteFunc(w.order, func(o *remoteNode) bool { return o == oldest })
		w.forget(oldest)
	}
	w.remotes[f.peer.ID], w.tags[tagOf(f.peer.ID)] = f, f
	w.order = append(w.order, f)
}

// forget forgets a node that is in the order no more.
func (w *network) forget(f *remoteNode) {
	delete(w.remotes, f.peer.ID)
	delete(w.tags, tagOf(f.peer.ID))
}

// last is when the node was last heard from, needed, or named first.
func (f *remoteNode) last() machine.Time { return max(f.used, f.heard, f.knownSince) }

// dispensable reports whether nothing would be lost with what is known of the node:
// there is no link to it, and no handler that runs has just heard from it.
func (f *remoteNode) dispensable(now machine.Time) bool {
	return f.state == linkNone && len(f.sessions) == 0 && !f.overlayShare.on && f.unverified == 0 && f.last() < now
}

// heard returns the entry of a node that has sent something itself. If its
// address differs from before it has moved: ids are bound to keys.
func (w *network) heard(p machine.Peer) *remoteNode {
	f := w.reported(p)
	if f.lastFrom, f.reportedAs = p, (machine.Peer{}); f.state == linkNone || f.state == linkWaiting {
		f.peer = p
	}
	f.recordHeard(w.n.env.Now())
	if f.seen != p || f.heard.Sub(f.seenAt) >= beat {
		f.seen, f.seenAt = p, f.heard
		w.store.recordSeen(p)
	}
	return f
}

// recordHeard notes that the node has sent something.
func (f *remoteNode) recordHeard(now machine.Time) {
	if f.heard != 0 {
		f.usualSilence = max(now.Sub(f.heard), f.usualSilence-f.usualSilence/8)
	}
	f.heard, f.left = now, false
}

// isSilent reports whether a node that should be sending all the time is
// silent. How often that is depends: a region tells those whose players it has
// each tick, and those who only look at it, while nothing happens there, once a
// second.
func (f *remoteNode) isSilent(now machine.Time) bool {
	return now.Sub(f.heard) >= min(max(silentAfter, f.usualSilence+f.usualSilence/2), silentAtMost)
}

// isQuiet reports whether the node has so little to send that its silence means
// nothing: it leads only the lobby, and nobody enters, leaves or talks.
func (f *remoteNode) isQuiet() bool { return f.usualSilence+f.usualSilence/2 >= silentAtMost }

// playing is how long a session of another node counts as one that plays after it
// has said something here: what it watches is said again every rewatchEvery, and to
// the lobby it says next to nothing once it is in.
const playing = time.Minute

// plays reports whether somebody plays at the node, as far as shards here know.
func (f *remoteNode) plays(now machine.Time) bool {
	return f.played != 0 && now.Sub(f.played) < playing
}

// tryOtherAddress switches to the other known address of a node.
func (f *remoteNode) tryOtherAddress() {
	switch {
	case f.lastFrom != (machine.Peer{}) && f.peer != f.lastFrom:
		f.peer = f.lastFrom
	case f.reportedAs != (machine.Peer{}):
		f.peer = f.reportedAs
	}
}

// unsure is how long a node must have been silent until a datagram to it goes to
// where others say it is as well.
const unsure = 5 * time.Second

// sendDatagram sends a datagram to the address that a node was last heard from.
func (w *network) sendDatagram(to machine.Peer, m machine.Message) {
	at := w.newestAddress(to)
	w.n.env.Send(at, m)
	f := w.remotes[to.ID]
	if f == nil {
		if at != to {
			w.n.env.Send(to, m)
		}
		return
	}
	w.reported(to)
	if f.reportedAs != (machine.Peer{}) && w.n.env.Now().Sub(f.heard) > unsure {
		w.n.env.Send(f.reportedAs, m)
	}
}

// newestAddress is a node at the address that it was last heard from, if it was.
func (w *network) newestAddress(p machine.Peer) machine.Peer {
	if p.ID == w.cfg.Self.ID {
		return w.cfg.Self
	}
	if f := w.remotes[p.ID]; f != nil && f.lastFrom != (machine.Peer{}) {
		return f.lastFrom
	}
	if s, known := w.store.seen[p.ID]; known {
		return s.peer
	}
	return p
}

// sendOverLink sends a message over the link to a node, which it opens if there
// is none.
func (w *network) sendOverLink(to machine.Peer, m machine.Message) {
	f := w.reported(to)
	f.used = w.n.env.Now()
	if f.state == linkUp {
		w.n.env.Send(f.peer, m)
		return
	}
	if f.state == linkNone {
		f.state = linkWaiting
		w.reopenLink(f)
	}
	if len(f.queue) >= maxLinkQueue {
		w.n.counts.Dropped++
		return
	}
	f.queue = append(f.queue, m)
}

// reopenLink opens a link, not at once if it has just failed.
func (w *network) reopenLink(f *remoteNode) {
	if f.state == linkWaiting && w.n.env.Now() >= f.retry {
		f.state = linkOpening
		w.n.env.Open(f.peer)
	}
}

// onLink follows the links to other nodes.
func (w *network) onLink(peer machine.Peer, ev machine.LinkEvent) {
	f := w.reported(peer)
	if ev == machine.LinkUp && (w.bars(peer) || w.remotes[peer.ID] != f) { // barred, or one too many
		w.n.env.Close(peer)
		return
	}
	defer func() {
		for _, p := range sortedShards(w.replicas) {
			w.replicas[p].raft.OnLink(peer, ev)
		}
	}()
	if ev == machine.LinkUp {
		if f.peer != peer { // it has come back from another address
			w.n.env.Close(f.peer)
			w.onLinkDown(f)
			f.peer = peer
		}
		w.heard(peer)
		w.overlay.lost(f, machine.LinkClosed)
		f.state, f.used = linkUp, w.n.env.Now()
		queue := f.queue
		f.queue = nil
		for _, m := range queue {
			w.n.env.Send(f.peer, m)
		}
		w.verified.lists().greet(f)
		w.access.lists().greet(f)
		w.entries.greet(f)
		w.owner.greet(f)
		w.n.decisions.greet(f)
		w.overlay.greet(f)
		return
	}
	if f.peer == peer {
		w.onLinkDown(f)
		w.overlay.lost(f, ev)
		f.tryOtherAddress()
	}
}

// onLinkDown handles the end of a link: the sessions of that node count as
// ended, and the leaders of its shards are searched.
func (w *network) onLinkDown(f *remoteNode) {
	f.state, f.queue, f.ownerPlays = linkNone, nil, false
	f.retry = w.n.env.Now().Add(reopenAfter)
	for _, s := range id.Sorted(f.sessions) {
		w.endRemoteSession(f, s)
	}
	for _, r := range w.sortedRoutes() {
		if r.leader.ID == f.peer.ID {
			w.forgetLeader(r)
		}
	}
}

// endRemoteSession tells the shards here that a session of another node has gone. They may
// know of it though it has said nothing here: its player was handed over.
func (w *network) endRemoteSession(f *remoteNode, session id.ID) {
	delete(f.sessions, session)
	w.forgetVouching(machine.Peer{ID: session, Addr: tagOf(f.peer.ID)})
	w.n.linkEventToAll(machine.Peer{ID: session, Addr: tagOf(f.peer.ID)}, machine.LinkClosed, nil)
}

// maintainLinks reopens links that are due, and closes idle ones.
func (w *network) maintainLinks() {
	now := w.n.env.Now()
	kept := w.order[:0]
	for _, f := range w.order {
		w.reopenLink(f)
		idle := now.Sub(max(f.used, f.heard)) > idleLink && len(f.sessions) == 0 && !f.overlayShare.on
		if idle && f.state == linkUp {
			w.n.env.Close(f.peer)
			w.onLinkDown(f)
		}
		if idle && f.state == linkNone {
			w.forget(f)
			continue
		}
		kept = append(kept, f)
	}
	clear(w.order[len(kept):])
	w.order = kept
}

// among reports whether a node is one of several.
func among(nodes []machine.Peer, who id.ID) bool {
	return slices.ContainsFunc(nodes, func(p machine.Peer) bool { return p.ID == who })
}

func sortedPeers(m map[machine.Peer]bool) []machine.Peer {
	return slices.SortedFunc(maps.Keys(m), func(a, b machine.Peer) int {
		if c := slices.Compare(a.ID[:], b.ID[:]); c != 0 {
			return c
		}
		return slices.Compare(a.Addr[:], b.Addr[:])
	})
}
