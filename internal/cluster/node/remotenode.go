package node

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// remoteNode is another node, with the link to it. Parts of the network share it, each
// with fields of its own.
type remoteNode struct {
	// links
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

	offer hostOffer // offers

	// remoteSessions
	sessions       map[id.ID]bool // of that node, that shards here have heard of
	played         machine.Time   // when one of them last said something here; 0: never
	asked          machine.Time   // when it was looked how many messages wait for it
	waiting, limit int
	shown          map[world.RegionPos]*shownTo // what it was shown of regions here

	ownerPlays      bool          // owner: its owner plays at it, as it has said over the link that is up
	nextStrayNotice machine.Time  // gatewaySessions: when it may be told again that a session here has gone
	unverified      int           // speakers: how much of what it said waits for who hosts the shard
	wakes           *limit.Budget // hosting: of groups that it makes run here; nil: it has not
	memberWakes     *limit.Budget // hosting: of groups of which it is a member
	spares          *limit.Budget // spareKeeping: bytes of spare copies that it may send
	merges          *limit.Budget // merges: changes that it may have merged
	overlayShare    linkShare     // overlayAdapter
	nextDecisions   machine.Time  // decisions: when it may be given all decisions again
	evidence        *limit.Budget // convictions: messages about who has lied
}

type linkState uint8

const (
	linkNone    linkState = iota
	linkWaiting           // it has just failed, and is opened again soon
	linkOpening
	linkUp
)

// isUp reports whether there is a link.
func (f *remoteNode) isUp() bool { return f.state == linkUp }

// last is when the node was last heard from, needed, or named first.
func (f *remoteNode) last() machine.Time { return max(f.used, f.heard, f.knownSince) }

// dispensable reports whether nothing would be lost with what is known of the node:
// there is no link to it, and no handler that runs has just heard from it.
func (f *remoteNode) dispensable(now machine.Time) bool {
	return f.state == linkNone && len(f.sessions) == 0 && !f.overlayShare.on && f.unverified == 0 && f.last() < now
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
