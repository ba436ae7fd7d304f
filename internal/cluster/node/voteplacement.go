package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// votePlacement knows which of two hosts has the higher priority (hostpolicy.Priority),
// and wakes groups that hibernate with the vote at the other.
type votePlacement struct {
	part.Part
	links *peers.Links
	owner interface {
		isPlaying() bool // the owner of this machine
		playsAt(*peers.Remote) bool
	}
	guests interface {
		lastPlayed(*peers.Remote) machine.Time
	}
	players interface{ hasSessions() bool } // anybody
	hosted  interface {
		wakeVoters(func(*shardgroup.Group) bool, int)
	} // the replicas here

	next machine.Time // when to look for votes that another node should have
}

const (
	// giveEvery is how often shards that nobody uses are looked through for votes that
	// another node should have, and giveAtOnce how many groups are woken for it then:
	// what the players walk to next is to survive this node too, and what they use now
	// comes first.
	giveEvery  = time.Second
	giveAtOnce = 4
	// playing is how long a session of another node counts as one that plays after it
	// has said something here: what it watches is said again every routing.RewatchEvery, and to
	// the lobby it says next to nothing once it is in.
	playing = time.Minute
	// KnownFor is how long a node must have been known before it gets the only vote.
	knownFor = 20 * time.Second
)

// here is the priority of this node.
func (v *votePlacement) here() hostpolicy.Priority {
	switch {
	case v.owner.isPlaying():
		return hostpolicy.Owned
	case v.players.hasSessions():
		return hostpolicy.Used
	}
	return hostpolicy.Unused
}

// there is the priority of another node. It says itself whether its owner plays. What a
// lie gains it is the vote of shards of which it has the only other copy.
func (v *votePlacement) there(f *peers.Remote, now machine.Time) hostpolicy.Priority {
	switch {
	case f == nil || !f.IsUp():
		return hostpolicy.Unused
	case v.owner.playsAt(f):
		return hostpolicy.Owned
	case v.hasPlayed(f, now):
		return hostpolicy.Used
	}
	return hostpolicy.Unused
}

// hasPlayed reports whether a session of a node has said something here not long ago.
func (v *votePlacement) hasPlayed(f *peers.Remote, now machine.Time) bool {
	at := v.guests.lastPlayed(f)
	return at != 0 && now.Sub(at) < playing
}

// isReady reports whether a node could have the only vote: there has been a link for a
// while.
func (v *votePlacement) isReady(f *peers.Remote, now machine.Time) bool {
	return f != nil && f.IsUp() && !f.Left && now.Sub(f.KnownSince) >= knownFor
}

// moves reports whether the other one of two hosts is to have the vote.
func (v *votePlacement) moves(other id.ID, nearer, quiet bool, now machine.Time) bool {
	f := v.links.ByID(other)
	return hostpolicy.Vote{Here: v.here(), There: v.there(f, now), Ready: v.isReady(f, now), Quiet: quiet, Nearer: nearer}.Moves()
}

// beat wakes groups that hibernate and whose only vote is here while the other node has
// the higher priority. Once they are awake, membership moves the vote. Groups that are
// only on the disk are read for that.
func (v *votePlacement) beat(now machine.Time) {
	if now < v.next || v.IsLeaving() {
		return
	}
	v.next = now.Add(giveEvery)
	here := v.here()
	outranked := func(f *peers.Remote) bool { return v.isReady(f, now) && v.there(f, now) > here }
	if !slices.ContainsFunc(v.links.Up(), outranked) {
		return
	}
	v.hosted.wakeVoters(func(g *shardgroup.Group) bool {
		members := g.Members()
		return len(members) == 2 && slices.ContainsFunc(members, func(p machine.Peer) bool {
			return p.ID != v.Cfg.Self.ID && outranked(v.links.ByID(p.ID))
		})
	}, giveAtOnce)
}
