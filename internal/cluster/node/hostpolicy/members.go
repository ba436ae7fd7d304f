package hostpolicy

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const (
	// ReplaceAfter is how long a member may be silent before another node replaces
	// it, if there is one; ReduceAfter, before the group continues without.
	ReplaceAfter = 10 * time.Second
	ReduceAfter  = 5 * time.Minute
)

// Member is a member of a shard's group.
type Member struct {
	Peer   machine.Peer
	Silent time.Duration // 0: it answers
	Known  time.Duration // how long this node has known it
}

// Candidate is a node that has room for the shard.
type Candidate struct {
	Peer   machine.Peer
	Former bool          // it was a member before: it keeps what it had
	Known  time.Duration // how long this node has known it
}

// EstablishedAfter is how long a node must have been known to be no newcomer.
const EstablishedAfter = time.Hour

// Remaining returns the members without those that are gone for long.
func Remaining(members []Member) (out []Member) {
	for _, m := range members {
		if m.Silent < ReduceAfter {
			out = append(out, m)
		}
	}
	return out
}

// Members chooses the members that a group of at most so many replicas should have: the
// present ones without those that are too many, and candidates in free places. The
// candidates are no members, nearest to the shard's key first. A member that answers is
// never displaced by a candidate: who searches for a key near the shard's would take
// the shard away from its hosts (decision 66). Who gets free places says Ranked.
func Members(key id.ID, members []Member, spare []Candidate, replicas int) []machine.Peer {
	out := make([]machine.Peer, len(members))
	for i, m := range members {
		out[i] = m.Peer
	}
	for i, m := range members {
		if m.Silent >= ReplaceAfter && len(spare) > 0 {
			out[i] = Ranked(spare, slices.Delete(slices.Clone(out), i, i+1))[0].Peer
			return out
		}
	}
	kademlia.SortNearest(key, out)
	size := groupSize(len(out)+len(spare), replicas)
	if size < len(out) {
		return out[:size]
	}
	for len(out) < size {
		spare = Ranked(spare, out)
		out, spare = append(out, spare[0].Peer), spare[1:]
	}
	return out
}

// Ranked sorts candidates for a place beside some members: former members first, which
// have most of what the shard is; then nodes that have been known for long, before
// newcomers, whose keys may have been searched for; of either kind those first that are
// in another network than the members. Otherwise the order stays.
func Ranked(spare []Candidate, beside []machine.Peer) []Candidate {
	rank := func(c Candidate) (n int) {
		if c.Former {
			return 0
		}
		if n = 1; c.Known < EstablishedAfter {
			n = 3
		}
		if slices.ContainsFunc(beside, func(p machine.Peer) bool { return kademlia.SameNetwork(p.Addr, c.Peer.Addr) }) {
			n++
		}
		return n
	}
	out := slices.Clone(spare)
	slices.SortStableFunc(out, func(a, b Candidate) int { return rank(a) - rank(b) })
	return out
}

// groupSize is how many members a group has of so many nodes. Two are allowed: one of
// them has the only vote.
func groupSize(nodes, replicas int) int {
	size := min(replicas, nodes)
	if size > 2 {
		size = odd(size)
	}
	return size
}

// odd is the largest odd number up to n: a group of two votes is lost with either of
// its members.
func odd(n int) int { return n - 1 + n&1 }
