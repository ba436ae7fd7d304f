package peers

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Remote is another node, with the link to it. Other parts keep state of their own
// for it (Own).
type Remote struct {
	Peer         machine.Peer // at the address that is used
	lastFrom     machine.Peer // at the address that it was last heard from; zero: never heard
	reportedAs   machine.Peer // at another address that others have named since; zero: none
	State        State
	queue        []machine.Message // until the link is up
	Heard        machine.Time      // when it last said something
	usualSilence time.Duration     // about the longest that it has been silent of late
	sighted      machine.Peer      // as sightings know it
	seenAt       machine.Time
	used         machine.Time // when the link was last needed
	retry        machine.Time // the link is not opened before
	KnownSince   machine.Time // when it was first heard of
	Left         bool         // it has said that it stops

	own []any // of parts of the node (Own)
}

type State uint8

const (
	None        State = iota
	linkWaiting       // it has just failed, and is opened again soon
	linkOpening
	Up
)

// Own is the state of one part for each node, which lasts for as long as the node is
// known.
type Own[T any] struct{ at int }

// NewOwn makes room for the state of one more part.
func NewOwn[T any](l *Links) Own[T] {
	l.parts++
	return Own[T]{l.parts - 1}
}

// Of returns the part's state for a node, at first the zero value.
func (o Own[T]) Of(f *Remote) *T {
	for len(f.own) <= o.at {
		f.own = append(f.own, nil)
	}
	if f.own[o.at] == nil {
		f.own[o.at] = new(T)
	}
	return f.own[o.at].(*T)
}

// IsUp reports whether there is a link.
func (f *Remote) IsUp() bool { return f.State == Up }

// last is when the node was last heard from, needed, or named first.
func (f *Remote) last() machine.Time { return max(f.used, f.Heard, f.KnownSince) }

// RecordHeard notes that the node has sent something.
func (f *Remote) RecordHeard(now machine.Time) {
	if f.Heard != 0 {
		f.usualSilence = max(now.Sub(f.Heard), f.usualSilence-f.usualSilence/8)
	}
	f.Heard, f.Left = now, false
}

const (
	// SilentAfter is the least silence after which a leader that players here
	// use is checked, SilentAtMost the longest, for leaders that send seldom.
	SilentAfter  = 500 * time.Millisecond
	SilentAtMost = 2 * time.Second
)

// IsSilent reports whether a node that should be sending all the time is
// silent. How often that is depends: a region tells those whose players it has
// each tick, and those who only look at it, while nothing happens there, once a
// second.
func (f *Remote) IsSilent(now machine.Time) bool {
	return now.Sub(f.Heard) >= min(max(SilentAfter, f.usualSilence+f.usualSilence/2), SilentAtMost)
}

// IsQuiet reports whether the node has so little to send that its silence means
// nothing: it leads only the lobby, and nobody enters, leaves or talks.
func (f *Remote) IsQuiet() bool { return f.usualSilence+f.usualSilence/2 >= SilentAtMost }

// tryOtherAddress switches to the other known address of a node.
func (f *Remote) tryOtherAddress() {
	switch {
	case f.lastFrom != (machine.Peer{}) && f.Peer != f.lastFrom:
		f.Peer = f.lastFrom
	case f.reportedAs != (machine.Peer{}):
		f.Peer = f.reportedAs
	}
}

// Among reports whether a node is one of several.
func Among(nodes []machine.Peer, who id.ID) bool {
	return slices.ContainsFunc(nodes, func(p machine.Peer) bool { return p.ID == who })
}

// AppendOthers appends the nodes that are not among those yet, and are not self.
func AppendOthers(nodes []machine.Peer, self id.ID, more ...machine.Peer) []machine.Peer {
	for _, p := range more {
		if p.ID != self && !Among(nodes, p.ID) {
			nodes = append(nodes, p)
		}
	}
	return nodes
}

func Sorted(m map[machine.Peer]bool) []machine.Peer {
	return slices.SortedFunc(maps.Keys(m), func(a, b machine.Peer) int {
		if c := slices.Compare(a.ID[:], b.ID[:]); c != 0 {
			return c
		}
		return slices.Compare(a.Addr[:], b.Addr[:])
	})
}

// TagOf is the address that stands for a node in the peers of its sessions: a
// shard sees a session as its id and the tag of the gateway node. It is made
// from the node's id, for its network address may look different from different
// places.
func TagOf(node id.ID) (a machine.Addr) {
	copy(a[:], node[:])
	return a
}
