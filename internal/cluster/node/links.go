package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// links are the nodes that this one knows, and its links to them: at which address each
// is reached, when links are opened, and when idle ones are closed.
type links struct {
	part.Part
	seen   *sightings
	events linkEvents

	remotes map[id.ID]*remoteNode
	tags    map[machine.Addr]*remoteNode
	order   []*remoteNode // the same in order of acquaintance
	parts   int           // that have state of their own for each node (Own)
}

// linkEvents is what a link means for the other parts of the node.
type linkEvents interface {
	// bars reports whether a node is refused.
	bars(machine.Peer) bool
	// uses reports whether a part needs the link to a node, remembers whether one has
	// state for a node without a link that must not be lost.
	uses(*remoteNode) bool
	remembers(*remoteNode) bool
	// linkUp is when a link is up and what waited for it was sent.
	linkUp(*remoteNode)
	// linkDown is when a link that was up has ended, or could not be opened.
	linkDown(*remoteNode)
	// shareLost is the same for what the overlay wants of the link.
	shareLost(*remoteNode, machine.LinkEvent)
	// linkChanged tells the groups.
	linkChanged(machine.Peer, machine.LinkEvent)
}

const (
	maxLinkQueue   = 4096 // messages that wait for a link
	maxRemoteNodes = 4096 // that are known at a time
	reopenAfter    = 500 * time.Millisecond
	idleLink       = time.Minute // a link that nobody needs is closed
	// unsure is how long a node must have been silent until a datagram to it goes to
	// where others say it is as well.
	unsure = 5 * time.Second
)

func newLinks(c part.Part, seen *sightings) *links {
	return &links{Part: c, seen: seen, remotes: map[id.ID]*remoteNode{}, tags: map[machine.Addr]*remoteNode{}}
}

// byID returns a node that is known; nil: it is not.
func (l *links) byID(node id.ID) *remoteNode { return l.remotes[node] }

// byTag returns the node whose tag is the address of its sessions.
func (l *links) byTag(tag machine.Addr) *remoteNode { return l.tags[tag] }

// all are the nodes that are known, in order of acquaintance.
func (l *links) all() []*remoteNode { return slices.Clone(l.order) }

// up are those that there is a link to.
func (l *links) up() (out []*remoteNode) {
	for _, f := range l.order {
		if f.isUp() {
			out = append(out, f)
		}
	}
	return out
}

// reported returns the entry of a node that others have named, or that is
// remembered from the disk. The address that the node's own messages come from
// has priority; what others report is tried only when it cannot be reached
// there.
func (l *links) reported(p machine.Peer) *remoteNode {
	f := l.remotes[p.ID]
	if f == nil {
		f = &remoteNode{peer: p, knownSince: l.Env.Now()}
		if at, known := l.seen.peer(p.ID); known {
			f.peer, f.lastFrom = at, at
		}
		l.remember(f)
	}
	if f.peer != p && f.lastFrom != p && p.Addr != (machine.Addr{}) {
		f.reportedAs = p
	}
	return f
}

// remember notes a node. Anybody can name nodes: when there are too many, the one
// that was heard from or needed least recently is forgotten. If all of them are in
// use, f is not noted, and known only to the handler that runs.
func (l *links) remember(f *remoteNode) {
	if len(l.order) >= maxRemoteNodes {
		var oldest *remoteNode
		for _, o := range l.order {
			if l.isDispensable(o) && (oldest == nil || o.last() < oldest.last()) {
				oldest = o
			}
		}
		if oldest == nil {
			return
		}
		l.order = slices.DeleteFunc(l.order, func(o *remoteNode) bool { return o == oldest })
		l.forget(oldest)
	}
	l.remotes[f.peer.ID], l.tags[tagOf(f.peer.ID)] = f, f
	l.order = append(l.order, f)
}

// isDispensable reports whether nothing would be lost with what is known of a node: there
// is no link to it, and no handler that runs has just heard from it.
func (l *links) isDispensable(f *remoteNode) bool {
	return f.state == linkNone && !l.events.uses(f) && !l.events.remembers(f) && f.last() < l.Env.Now()
}

// forget forgets a node that is in the order no more.
func (l *links) forget(f *remoteNode) {
	delete(l.remotes, f.peer.ID)
	delete(l.tags, tagOf(f.peer.ID))
}

// heard returns the entry of a node that has sent something itself. If its
// address differs from before it has moved: ids are bound to keys.
func (l *links) heard(p machine.Peer) *remoteNode {
	f := l.reported(p)
	if f.lastFrom, f.reportedAs = p, (machine.Peer{}); f.state == linkNone || f.state == linkWaiting {
		f.peer = p
	}
	f.recordHeard(l.Env.Now())
	if f.seen != p || f.heard.Sub(f.seenAt) >= beat {
		f.seen, f.seenAt = p, f.heard
		l.seen.record(p)
	}
	return f
}

// leaves is when a node says that it is about to stop: its silence means nothing.
func (l *links) leaves(f *remoteNode) {
	f.left, f.seen = true, machine.Peer{}
	l.seen.forget(f.peer.ID)
}

// sendDatagram sends a datagram to the address that a node was last heard from.
func (l *links) sendDatagram(to machine.Peer, m machine.Message) {
	at := l.newestAddress(to)
	l.Env.Send(at, m)
	f := l.remotes[to.ID]
	if f == nil {
		if at != to {
			l.Env.Send(to, m)
		}
		return
	}
	l.reported(to)
	if f.reportedAs != (machine.Peer{}) && l.Env.Now().Sub(f.heard) > unsure {
		l.Env.Send(f.reportedAs, m)
	}
}

// newestAddress is a node at the address that it was last heard from, if it was.
func (l *links) newestAddress(p machine.Peer) machine.Peer {
	if p.ID == l.Cfg.Self.ID {
		return l.Cfg.Self
	}
	if f := l.remotes[p.ID]; f != nil && f.lastFrom != (machine.Peer{}) {
		return f.lastFrom
	}
	if at, known := l.seen.peer(p.ID); known {
		return at
	}
	return p
}

// currentAddress is a member at its newest address: that of the link to it.
func (l *links) currentAddress(p machine.Peer) machine.Peer {
	if f := l.remotes[p.ID]; p.ID == l.Cfg.Self.ID || f != nil && f.isUp() {
		return l.newestAddress(p)
	}
	return p
}

// linked reports whether there is a link to a node that goes on. The members of a group
// that hibernates hear nothing of each other, however well they are.
func (l *links) linked(p machine.Peer) bool {
	f := l.remotes[p.ID]
	return f != nil && f.isUp() && !f.left
}

// hearsAny reports whether one of some nodes, other than the one that asks, was heard a
// moment ago.
func (l *links) hearsAny(nodes []machine.Peer, but id.ID) bool {
	now := l.Env.Now()
	return slices.ContainsFunc(nodes, func(p machine.Peer) bool {
		f := l.remotes[p.ID]
		return p.ID != but && f != nil && f.heard != 0 && (f.isUp() || now.Sub(f.heard) < heardLately)
	})
}

// heardLately is how long ago a moment is.
const heardLately = 5 * time.Second

// reachable reports whether a node can be sent to, as far as is known.
func (l *links) reachable(p machine.Peer) bool {
	f := l.remotes[p.ID]
	return p == l.Cfg.Self || f == nil || f.state != linkNone || l.Env.Now() >= f.retry
}
