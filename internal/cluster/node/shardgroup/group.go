// Package shardgroup is what this node knows of the group of a shard that it hosts. The
// parts of a node that route, host, copy and check read it; hosting alone changes it
// (decision 140).
//
// Source: decisions 63 and 87. Invariants: a Group exists as long as this node's replica
// of the shard, and Serves is true only while the shard may run here.
//
// Where to start: Group (group.go), and GroupStatus, which nodes tell each other of it
// (messages.go).
package shardgroup

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Group is what this node knows of the group of a shard, by its replica: the Raft
// replica, whether it leads, and since when nobody needs the shard. The replica changes
// it; its parts read it.
type Group struct {
	self   machine.Peer
	Shard  shards.Shard
	runner interface{ Runs(shards.Shard) bool } // Node
	Raft   *group.Replica

	Leading   bool
	Waits     bool         // the shard does not run yet, although this node leads (comparison)
	Compared  bool         // what this node got of a restored shard is what its hosts had signed
	Gone      bool         // this node is no member any more
	Opened    machine.Time // when a replica of an earlier run was read from the disk; 0: it is of this run
	IdleSince machine.Time // since when nobody needs the shard
	Used      bool         // somebody has needed it since this node leads
	// Left are the members that this replica went on without, because they followed a
	// convicted leader (quorumLoss).
	Left map[id.ID]machine.Time
}

// New returns what is known of a group whose replica is not read yet.
func New(self machine.Peer, p shards.Shard, runner interface{ Runs(shards.Shard) bool }, now machine.Time) *Group {
	return &Group{self: self, Shard: p, runner: runner, IdleSince: now}
}

// leftFor is how long who followed a convicted leader is not taken again, and not heard
// about other groups: it may have been slow to check the evidence.
const leftFor = 10 * time.Minute

// HasLeft reports whether this replica went on without a member a while ago.
func (g *Group) HasLeft(who id.ID, now machine.Time) bool {
	at, ok := g.Left[who]
	return ok && now.Sub(at) < leftFor
}

// Serves reports whether the shard is led here, and runs when it is needed.
func (g *Group) Serves() bool { return g.Leading && !g.Waits }

// Leader is who leads the group, as far as this replica knows.
func (g *Group) Leader() machine.Peer {
	if g.Serves() {
		return g.self
	}
	if p := g.Raft.Leader(); p != g.self {
		return p
	}
	return machine.Peer{}
}

// Members are the voters of the group, and the other one of two.
func (g *Group) Members() []machine.Peer { return g.Raft.Hosts(nil) }

// IsMember reports whether a node is a member of the group, with a vote or without.
func (g *Group) IsMember(who id.ID) bool {
	return slices.ContainsFunc(g.Raft.Status().Members, func(m group.MemberStatus) bool { return m.Peer.ID == who })
}

// Voters are the members with a vote.
func (g *Group) Voters() []machine.Peer { return g.Raft.Voters(nil) }

// IsOnlyVoter reports whether this node has the only vote in the group, or may have.
func (g *Group) IsOnlyVoter() bool {
	voters := g.Voters()
	return len(voters) == 0 || len(voters) == 1 && voters[0].ID == g.self.ID
}

// IsOneOfTwoVoters reports whether this node has one of two votes: the other member
// cannot elect a leader without it. That is so for a moment while a lone voter hands
// over, until the other, which leads by then, has removed it.
func (g *Group) IsOneOfTwoVoters() bool {
	voters := g.Voters()
	return len(voters) == 2 && peers.Among(voters, g.self.ID)
}

// Term orders statements about the shard's leader: by generation, then by term.
func (g *Group) Term() uint64 { return TermOf(g.Raft.Term()) }

func TermOf(g group.Gen, term uint64) uint64 { return g.Number<<raftTermBits | RaftTermOf(term) }

// raftTermBits are the lower bits of a term, which hold that of the group's Raft; the
// rest is the number of the generation.
const raftTermBits = 36

func GenerationOf(term uint64) uint64 { return term >> raftTermBits }

func RaftTermOf(term uint64) uint64 { return term & (1<<raftTermBits - 1) }

// KnowsBetter reports whether the replica here has newer knowledge of the leader than
// others had in a term. A replica that was partitioned has not: its group may have
// continued without it, with other members.
func (g *Group) KnowsBetter(term uint64) bool {
	return g != nil && (g.Serves() || g.Leader() != machine.Peer{} && g.Term() >= term)
}

// Status is what this node says of the group to others; nil: the replica is still being
// read.
func (g *Group) Status() *GroupStatus {
	st := g.Raft.Status()
	if !st.Member {
		return nil
	}
	return &GroupStatus{
		Shard: g.Shard, Member: true, Led: g.Leading || g.Leader() != machine.Peer{} && !st.Asleep,
		Gen: st.Gen, Term: st.LastTerm, Last: st.Last, Members: g.Members(), Compared: g.Compared,
	}
}

// IsRunning reports whether the shard itself runs here.
func (g *Group) IsRunning() bool { return g.runner.Runs(g.Shard) }

// IsQuiet reports whether nobody has used the shard for a moment: its leadership may
// move.
func (g *Group) IsQuiet(now machine.Time) bool {
	return !g.IsRunning() && now.Sub(g.IdleSince) >= transferAfterIdle
}

// transferAfterIdle is how long a shard must have been idle before leadership moves.
const transferAfterIdle = 2 * time.Second

// EndOf is the end of a replica's log.
func EndOf(st *group.Status) hostpolicy.Log {
	return hostpolicy.Log{Gen: st.Gen, Term: st.LastTerm, Last: st.Last}
}
