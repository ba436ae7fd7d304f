// Package peers is what a node knows of the other nodes: at which address each is reached,
// the links to them, and when each was last heard. Other parts keep what they know of a
// node for as long as it is known here (Own).
//
// Start with Links; Sightings says whether silent nodes may return or are gone.
package peers

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Links are the nodes that this one knows, and its links to them: at which address each
// is reached, when links are opened, and when idle ones are closed.
type Links struct {
	part.Part
	seen   *Sightings
	Events Events

	Remotes map[id.ID]*Remote
	Tags    map[machine.Addr]*Remote
	Order   []*Remote // the same in order of acquaintance
	parts   int       // that have state of their own for each node (Own)
}

// Events is what a link means for the other parts of the node.
type Events interface {
	// Bars reports whether a node is refused.
	Bars(machine.Peer) bool
	// Uses reports whether a part needs the link to a node, remembers whether one has
	// state for a node without a link that must not be lost.
	Uses(*Remote) bool
	Remembers(*Remote) bool
	// LinkUp is when a link is up and what waited for it was sent.
	LinkUp(*Remote)
	// LinkDown is when a link that was up has ended, or could not be opened.
	LinkDown(*Remote)
	// ShareLost is the same for what the overlay wants of the link.
	ShareLost(*Remote, machine.LinkEvent)
	// LinkChanged tells the groups.
	LinkChanged(machine.Peer, machine.LinkEvent)
}

const (
	maxLinkQueue   = 4096 // messages that wait for a link
	MaxRemoteNodes = 4096 // that are known at a time
	reopenAfter    = 500 * time.Millisecond
	idleLink       = time.Minute // a link that nobody needs is closed
	// unsure is how long a node must have been silent until a datagram to it goes to
	// where others say it is as well.
	unsure = 5 * time.Second
)

// Beat is how often onBeat runs.
const Beat = 250 * time.Millisecond

func NewLinks(c part.Part, seen *Sightings) *Links {
	return &Links{Part: c, seen: seen, Remotes: map[id.ID]*Remote{}, Tags: map[machine.Addr]*Remote{}}
}

// ByID returns a node that is known; nil: it is not.
func (l *Links) ByID(node id.ID) *Remote { return l.Remotes[node] }

// ByTag returns the node whose tag is the address of its sessions.
func (l *Links) ByTag(tag machine.Addr) *Remote { return l.Tags[tag] }

// All are the nodes that are known, in order of acquaintance.
func (l *Links) All() []*Remote { return slices.Clone(l.Order) }

// Up are those that there is a link to.
func (l *Links) Up() (out []*Remote) {
	for _, f := range l.Order {
		if f.IsUp() {
			out = append(out, f)
		}
	}
	return out
}

// Reported returns the entry of a node that others have named, or that is
// remembered from the disk. The address that the node's own messages come from
// has priority; what others report is tried only when it cannot be reached
// there.
func (l *Links) Reported(p machine.Peer) *Remote {
	f := l.Remotes[p.ID]
	if f == nil {
		f = &Remote{Peer: p, KnownSince: l.Env.Now()}
		if at, known := l.seen.Peer(p.ID); known {
			f.Peer, f.lastFrom = at, at
		}
		l.remember(f)
	}
	if f.Peer != p && f.lastFrom != p && p.Addr != (machine.Addr{}) {
		f.reportedAs = p
	}
	return f
}

// remember notes a node. Anybody can name nodes: when there are too many, the one
// that was heard from or needed least recently is forgotten. If all of them are in
// use, f is not noted, and known only to the handler that runs.
func (l *Links) remember(f *Remote) {
	if len(l.Order) >= MaxRemoteNodes {
		var oldest *Remote
		for _, o := range l.Order {
			if l.isDispensable(o) && (oldest == nil || o.last() < oldest.last()) {
				oldest = o
			}
		}
		if oldest == nil {
			return
		}
		l.Order = slices.DeleteFunc(l.Order, func(o *Remote) bool { return o == oldest })
		l.forget(oldest)
	}
	l.Remotes[f.Peer.ID], l.Tags[TagOf(f.Peer.ID)] = f, f
	l.Order = append(l.Order, f)
}

// isDispensable reports whether nothing would be lost with what is known of a node: there
// is no link to it, and no handler that runs has just heard from it.
func (l *Links) isDispensable(f *Remote) bool {
	return f.State == None && !l.Events.Uses(f) && !l.Events.Remembers(f) && f.last() < l.Env.Now()
}

// forget forgets a node that is in the order no more.
func (l *Links) forget(f *Remote) {
	delete(l.Remotes, f.Peer.ID)
	delete(l.Tags, TagOf(f.Peer.ID))
}

// Heard returns the entry of a node that has sent something itself. If its
// address differs from before it has moved: ids are bound to keys.
func (l *Links) Heard(p machine.Peer) *Remote {
	f := l.Reported(p)
	if f.lastFrom, f.reportedAs = p, (machine.Peer{}); f.State == None || f.State == linkWaiting {
		f.Peer = p
	}
	f.RecordHeard(l.Env.Now())
	if f.sighted != p || f.Heard.Sub(f.seenAt) >= Beat {
		f.sighted, f.seenAt = p, f.Heard
		l.seen.Record(p)
	}
	return f
}

// Leaves is when a node says that it is about to stop: its silence means nothing.
func (l *Links) Leaves(f *Remote) {
	f.Left, f.sighted = true, machine.Peer{}
	l.seen.Forget(f.Peer.ID)
}

// SendDatagram sends a datagram to the address that a node was last heard from.
func (l *Links) SendDatagram(to machine.Peer, m machine.Message) {
	at := l.NewestAddress(to)
	l.Env.Send(at, m)
	f := l.Remotes[to.ID]
	if f == nil {
		if at != to {
			l.Env.Send(to, m)
		}
		return
	}
	l.Reported(to)
	if f.reportedAs != (machine.Peer{}) && l.Env.Now().Sub(f.Heard) > unsure {
		l.Env.Send(f.reportedAs, m)
	}
}

// NewestAddress is a node at the address that it was last heard from, if it was.
func (l *Links) NewestAddress(p machine.Peer) machine.Peer {
	if p.ID == l.Cfg.Self.ID {
		return l.Cfg.Self
	}
	if f := l.Remotes[p.ID]; f != nil && f.lastFrom != (machine.Peer{}) {
		return f.lastFrom
	}
	if at, known := l.seen.Peer(p.ID); known {
		return at
	}
	return p
}

// CurrentAddress is a member at its newest address: that of the link to it.
func (l *Links) CurrentAddress(p machine.Peer) machine.Peer {
	if f := l.Remotes[p.ID]; p.ID == l.Cfg.Self.ID || f != nil && f.IsUp() {
		return l.NewestAddress(p)
	}
	return p
}

// Linked reports whether there is a link to a node that goes on. The members of a group
// that hibernates hear nothing of each other, however well they are.
func (l *Links) Linked(p machine.Peer) bool {
	f := l.Remotes[p.ID]
	return f != nil && f.IsUp() && !f.Left
}

// HearsAny reports whether one of some nodes, other than the one that asks, was heard a
// moment ago.
func (l *Links) HearsAny(nodes []machine.Peer, but id.ID) bool {
	now := l.Env.Now()
	return slices.ContainsFunc(nodes, func(p machine.Peer) bool {
		f := l.Remotes[p.ID]
		return p.ID != but && f != nil && f.Heard != 0 && (f.IsUp() || now.Sub(f.Heard) < heardLately)
	})
}

// heardLately is how long ago a moment is.
const heardLately = 5 * time.Second

// Reachable reports whether a node can be sent to, as far as is known.
func (l *Links) Reachable(p machine.Peer) bool {
	f := l.Remotes[p.ID]
	return p == l.Cfg.Self || f == nil || f.State != None || l.Env.Now() >= f.retry
}
