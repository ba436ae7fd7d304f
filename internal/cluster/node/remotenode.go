package node

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// remoteNode is another node, with the link to it. Other parts keep state of their own
// for it (Own).
type remoteNode struct {
	peer         machine.Peer // at the address that is used
	lastFrom     machine.Peer // at the address that it was last heard from; zero: never heard
	reportedAs   machine.Peer // at another address that others have named since; zero: none
	state        linkState
	queue        []machine.Message // until the link is up
	heard        machine.Time      // when it last said something
	usualSilence time.Duration     // about the longest that it has been silent of late
	seen         machine.Peer      // as sightings know it
	seenAt       machine.Time
	used         machine.Time // when the link was last needed
	retry        machine.Time // the link is not opened before
	knownSince   machine.Time // when it was first heard of
	left         bool         // it has said that it stops

	own []any // of parts of the node (Own)
}

type linkState uint8

const (
	linkNone    linkState = iota
	linkWaiting           // it has just failed, and is opened again soon
	linkOpening
	linkUp
)

// Own is the state of one part for each node, which lasts for as long as the node is
// known.
type Own[T any] struct{ at int }

// newOwn makes room for the state of one more part.
func newOwn[T any](l *links) Own[T] {
	l.parts++
	return Own[T]{l.parts - 1}
}

// of returns the part's state for a node, at first the zero value.
func (o Own[T]) of(f *remoteNode) *T {
	for len(f.own) <= o.at {
		f.own = append(f.own, nil)
	}
	if f.own[o.at] == nil {
		f.own[o.at] = new(T)
	}
	return f.own[o.at].(*T)
}

// isUp reports whether there is a link.
func (f *remoteNode) isUp() bool { return f.state == linkUp }

// last is when the node was last heard from, needed, or named first.
func (f *remoteNode) last() machine.Time { return max(f.used, f.heard, f.knownSince) }

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

// tryOtherAddress switches to the other known address of a node.
func (f *remoteNode) tryOtherAddress() {
	switch {
	case f.lastFrom != (machine.Peer{}) && f.peer != f.lastFrom:
		f.peer = f.lastFrom
	case f.reportedAs != (machine.Peer{}):
		f.peer = f.reportedAs
	}
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
