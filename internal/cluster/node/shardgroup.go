package node

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

// shardGroup is what this node knows of the group of a shard, by its replica: the Raft
// replica, whether it leads, and since when nobody needs the shard. The replica changes
// it; its parts read it.
type shardGroup struct {
	self   machine.Peer
	shard  shards.Shard
	runner shardRunner
	raft   *group.Replica

	leading   bool
	gone      bool         // this node is no member any more
	opened    machine.Time // when a replica of an earlier run was read from the disk; 0: it is of this run
	idleSince machine.Time // since when nobody needs the shard
	used      bool         // somebody has needed it since this node leads
	// left are the members that this replica went on without, because they followed a
	// convicted leader (quorumLoss).
	left map[id.ID]machine.Time
}

// leftFor is how long who followed a convicted leader is not taken again, and not heard
// about other groups: it may have been slow to check the evidence.
const leftFor = 10 * time.Minute

// hasLeft reports whether this replica went on without a member a while ago.
func (g *shardGroup) hasLeft(who id.ID, now machine.Time) bool {
	at, ok := g.left[who]
	return ok && now.Sub(at) < leftFor
}

// shardRunner runs shards on this node (Node).
type shardRunner interface {
	runs(shards.Shard) bool
	startLobby() // if it does not run
	stop(shards.Shard)
	// done is the end of a job that the shard has asked for, forgetJob when the shard
	// need not hear of it.
	done(tag uint64, result any, err error)
	forgetJob(tag uint64)
}

// leader is who leads the group, as far as this replica knows.
func (g *shardGroup) leader() machine.Peer {
	if g.leading {
		return g.self
	}
	if p := g.raft.Leader(); p != g.self {
		return p
	}
	return machine.Peer{}
}

// members are the voters of the group, and the other one of two.
func (g *shardGroup) members() []machine.Peer { return g.raft.Hosts(nil) }

// isMember reports whether a node is a member of the group, with a vote or without.
func (g *shardGroup) isMember(who id.ID) bool {
	return slices.ContainsFunc(g.raft.Status().Members, func(m group.MemberStatus) bool { return m.Peer.ID == who })
}

// voters are the members with a vote.
func (g *shardGroup) voters() []machine.Peer { return g.raft.Voters(nil) }

// isOnlyVoter reports whether this node has the only vote in the group, or may have.
func (g *shardGroup) isOnlyVoter() bool {
	voters := g.voters()
	return len(voters) == 0 || len(voters) == 1 && voters[0].ID == g.self.ID
}

// isOneOfTwoVoters reports whether this node has one of two votes: the other member
// cannot elect a leader without it. That is so for a moment while a lone voter hands
// over, until the other, which leads by then, has removed it.
func (g *shardGroup) isOneOfTwoVoters() bool {
	voters := g.voters()
	return len(voters) == 2 && peers.Among(voters, g.self.ID)
}

// term orders statements about the shard's leader: by generation, then by term.
func (g *shardGroup) term() uint64 { return termOf(g.raft.Term()) }

func termOf(g group.Gen, term uint64) uint64 { return g.Number<<raftTermBits | raftTermOf(term) }

// raftTermBits are the lower bits of a term, which hold that of the group's Raft; the
// rest is the number of the generation.
const raftTermBits = 36

func generationOf(term uint64) uint64 { return term >> raftTermBits }

func raftTermOf(term uint64) uint64 { return term & (1<<raftTermBits - 1) }

// knowsBetter reports whether the replica here has newer knowledge of the leader than
// others had in a term. A replica that was partitioned has not: its group may have
// continued without it, with other members.
func (g *shardGroup) knowsBetter(term uint64) bool {
	return g != nil && (g.leading || g.leader() != machine.Peer{} && g.term() >= term)
}

// status is what this node says of the group to others; nil: the replica is still being
// read.
func (g *shardGroup) status() *GroupStatus {
	st := g.raft.Status()
	if !st.Member {
		return nil
	}
	return &GroupStatus{
		Shard: g.shard, Member: true, Led: g.leader() != machine.Peer{} && !st.Asleep,
		Gen: st.Gen, Term: st.LastTerm, Last: st.Last, Members: g.members(),
	}
}

// isRunning reports whether the shard itself runs here.
func (g *shardGroup) isRunning() bool { return g.runner.runs(g.shard) }

// IsQuiet reports whether nobody has used the shard for a moment: its leadership may
// move.
func (g *shardGroup) isQuiet(now machine.Time) bool {
	return !g.isRunning() && now.Sub(g.idleSince) >= transferAfterIdle
}

// transferAfterIdle is how long a shard must have been idle before leadership moves.
const transferAfterIdle = 2 * time.Second

// endOf is the end of a replica's log.
func endOf(st *group.Status) hostpolicy.Log {
	return hostpolicy.Log{Gen: st.Gen, Term: st.LastTerm, Last: st.Last}
}
