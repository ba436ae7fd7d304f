package hostpolicy

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// MemberLostAfter is how long a replica must have had no leader, and a member must have
// been silent, before the group may continue without that member.
const MemberLostAfter = 5 * time.Minute

// LastHostAfter is how long a shard must have had no leader, and all its other hosts must
// have been silent, before the last one continues in a group of its own (decision 82). The
// other hosts may come back with more; then their group wins, what was built meanwhile is
// merged, and what players carry is as they have it. So it is longer than machines take to
// restart: until the two groups meet both have a leader.
const LastHostAfter = 45 * time.Second

// HostsLostAfter is how long all hosts of a shard must have been silent before a copy
// continues, if their machines do not say that they have ended: some seconds long they may
// only pause.
const HostsLostAfter = 7 * time.Second

// ReplaceLeaderAfter is how long a replica that has evidence against its leader waits for
// the others to convict it, too: to be sent the evidence, check it, and elect another.
const ReplaceLeaderAfter = 10 * time.Second

// ReplaceIdleAfter is how long it waits for others that answer, have no more than it has,
// and follow nobody: their group may hibernate. Honest ones wake and vote.
const ReplaceIdleAfter = 15 * time.Second

// Replacement is what a replica knows of a group with a convicted member, without a leader
// that it could follow.
type Replacement struct {
	Leaderless     time.Duration
	Others         int  // voters besides this one that were not convicted
	Follow         int  // of them those that say that they have a leader
	Idle           int  // of them those that follow nobody, and have no longer log
	Newer          bool // somebody says that a newer generation of the group has a leader
	Near, Answered int  // nodes near the key, those that have answered; with this one, without convicted ones
}

// MayReplace reports whether the replica continues the group without the others. If all of
// them say that they follow somebody, that can only be the convicted one. Those that are
// silent may be restarting, and a newer generation may be led by somebody honest: they are
// waited for as long as the last host waits. They may lie, so it is not longer.
func (r Replacement) MayReplace() bool {
	if 2*r.Answered <= r.Near {
		return false
	}
	switch {
	case r.Newer || r.Follow+r.Idle < r.Others:
		return r.Leaderless >= LastHostAfter
	case r.Idle > 0:
		return r.Leaderless >= ReplaceIdleAfter
	}
	return r.Leaderless >= ReplaceLeaderAfter
}

// Log is the end of a replica's log: of two logs the one with the later end has more.
type Log struct {
	Gen        group.Gen
	Term, Last uint64
}

// Survivor is a node that has said what it knows of the group.
type Survivor struct {
	ID     id.ID
	Led    bool // it leads, or knows who does
	Member bool // it has a replica
	Waits  bool // it does not continue by itself: it was to get a vote, and has none yet
	Log    Log
}

// Quorum counts the voters of a group without a leader, and the nodes near its key.
type Quorum struct {
	Voters, Dead   int // without an answer for MemberLostAfter, or without the log
	Near, Answered int // nodes near the key that are not gone, those that have answered; with this one
}

// ObjectionFor is how long a minority of the nodes that were asked can keep a group from
// recovering.
const ObjectionFor = 30 * time.Minute

// Objections counts the nodes that say that somebody leads, and the survivors that should
// continue instead.
func Objections(self id.ID, own Log, heard []Survivor) (n int) {
	for _, s := range heard {
		if s.Led || s.Member && prefers(self, own, s) {
			n++
		}
	}
	return n
}

// MayContinue reports whether a replica continues its group without the others: the
// others cannot elect, more than half of the nodes near the key have answered, and nobody
// objects. If most of those who answered object, that holds. Fewer may lie, or see a
// leader that this node cannot reach: they have ObjectionFor until that leader, or that
// survivor, is heard of. objected is how long there have been objections.
func MayContinue(self id.ID, own Log, heard []Survivor, q Quorum, objected time.Duration) bool {
	if q.Voters-q.Dead > q.Voters/2 || 2*q.Answered <= q.Near {
		return false
	}
	n := Objections(self, own, heard)
	return n == 0 || 2*n <= len(heard)+1 && objected >= ObjectionFor
}

// prefers reports whether another survivor should continue instead: one of a newer
// generation or with a longer log; of equal logs the lower id.
func prefers(self id.ID, own Log, s Survivor) bool {
	switch c := s.Log.Gen.Compare(own.Gen); {
	case c != 0:
		return c > 0
	case s.Log.Term != own.Term:
		return s.Log.Term > own.Term
	case s.Log.Last != own.Last:
		return s.Log.Last > own.Last
	}
	return !s.Waits && slices.Compare(s.ID[:], self[:]) < 0
}

// Claimant is a node that says that it hosts another, greater group of a shard.
type Claimant struct {
	Founder  bool // it is the node of the world's founder
	Member   bool // it is a member of the group here
	Former   bool // it was one, or a host of the group in whose place it was restored
	Returned bool // it was heard again a moment ago after Net.GoneAfter
}

// Standing is what a replica knows of its own group when others claim a greater one.
type Standing struct {
	Voters     int
	Living     int           // voters that answer, if the replica leads; 0: it does not
	JustBack   bool          // the replica has come back from an absence a moment ago,
	Away       time.Duration // which took this long
	Leaderless time.Duration // how long it has had no leader; 0: it has one
	GoneAfter  time.Duration // Net.GoneAfter
	Restored   bool          // it took the place of a group whose hosts were gone,
	Former     int           // so many
}

// Proven reports whether enough nodes claim that the shard continues in a greater group:
// as many as the group here has living voters, and at least two; or one that is credible
// alone (decision 53). A restored group gives way to most of the hosts that it took the
// place of.
func (s Standing) Proven(claims []Claimant) bool {
	former := 0
	for _, c := range claims {
		if c.Former {
			former++
		}
	}
	if s.Restored && former > s.Former/2 {
		return true
	}
	return len(claims) >= max(2, s.Living) || slices.ContainsFunc(claims, s.credible)
}

// credible reports whether one node's claim is enough: the group can have continued
// without this replica, which was away for as long as that takes; or the world's founder
// says so to a node that hosts the shard alone.
func (s Standing) credible(c Claimant) bool {
	switch {
	case s.Voters == 1 && c.Founder:
		return true
	case s.JustBack && s.Away >= s.GoneAfter:
		return true
	case s.Voters > 1:
		return c.Member && (s.JustBack && s.Away >= MemberLostAfter || s.Leaderless >= MemberLostAfter)
	}
	return c.Member && c.Returned // the one with the copy has not heard of this node either
}
