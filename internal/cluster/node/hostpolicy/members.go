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

	Newcomer   bool
	Invitation id.ID // by which it was admitted; zero: none, or not known
}

// Candidate is a node that has room for the shard.
type Candidate struct {
	Peer     machine.Peer
	Former   bool // it was a member before: it keeps what it had
	Newcomer bool

	Invitation id.ID
}

// A node must have been known for half of the time that who decides has been in the world
// itself to be no newcomer, within these bounds: attackers that come to a world of some age
// have to stay as long again before they count like others.
const (
	EstablishedAfter = time.Hour
	EstablishedBy    = 14 * 24 * time.Hour
)

// Newcomer reports whether a node that has been known for so long is a newcomer to one
// that has been in the world for so long.
func Newcomer(known, here time.Duration) bool {
	return known < min(max(here/2, EstablishedAfter), EstablishedBy)
}

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
// candidates are no members, in the order of hosts; sort puts nodes into it. A member that
// answers is never displaced by a candidate: who searches for a key near the shard's would
// take the shard away from its hosts (decision 66). Who gets free places says Ranked; at most
// one of the members is a newcomer where there are others (withoutNewcomers), and nodes
// that one invitation admitted count as one where there are others (apart).
func Members(sort func([]machine.Peer), members []Member, spare []Candidate, replicas int) []machine.Peer {
	out := make([]machine.Peer, len(members))
	for i, m := range members {
		out[i] = m.Peer
	}
	enough := established(members, spare) >= replicas
	for i, m := range members {
		others := slices.Delete(slices.Clone(members), i, i+1)
		able := apart(others, withoutNewcomers(others, spare, enough))
		if m.Silent >= ReplaceAfter && len(able) > 0 {
			out[i] = Ranked(able, slices.Delete(slices.Clone(out), i, i+1))[0].Peer
			return out
		}
	}
	sort(out)
	size := groupSize(len(out)+len(spare), replicas)
	if size < len(out) {
		return out[:size]
	}
	beside := slices.Clone(members)
	for len(out) < size {
		able := Ranked(apart(beside, withoutNewcomers(beside, spare, enough)), out)
		if len(able) == 0 {
			break
		}
		first := able[0]
		out, beside = append(out, first.Peer), append(beside, Member{Peer: first.Peer, Newcomer: first.Newcomer, Invitation: first.Invitation})
		spare = slices.DeleteFunc(slices.Clone(spare), func(c Candidate) bool { return c.Peer == first.Peer })
	}
	return out
}

// withoutNewcomers leaves newcomers out of the candidates for a place beside others, if one
// of those is a newcomer already: else nodes that came together would be the majority of a
// group that replaces its members one by one. Where fewer nodes than a group has members
// are known for longer, somebody has to be trusted.
func withoutNewcomers(beside []Member, spare []Candidate, enough bool) []Candidate {
	if !enough || !slices.ContainsFunc(beside, func(m Member) bool { return m.Newcomer }) {
		return spare
	}
	return slices.DeleteFunc(slices.Clone(spare), func(c Candidate) bool { return c.Newcomer })
}

// apart leaves out candidates that came by the same invitation as a member beside the
// place, as long as others remain: whoever has an invitation can start as many nodes as
// its uses permit.
func apart(beside []Member, spare []Candidate) []Candidate {
	others := slices.DeleteFunc(slices.Clone(spare), func(c Candidate) bool {
		return !c.Invitation.IsZero() && slices.ContainsFunc(beside, func(m Member) bool { return m.Invitation == c.Invitation })
	})
	if len(others) == 0 {
		return spare
	}
	return others
}

// established counts the nodes that are no newcomers.
func established(members []Member, spare []Candidate) (n int) {
	for _, m := range members {
		if !m.Newcomer {
			n++
		}
	}
	for _, c := range spare {
		if !c.Newcomer {
			n++
		}
	}
	return n
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
		if n = 1; c.Newcomer {
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
