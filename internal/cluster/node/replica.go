package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// replica is this node's replica of a shard. While it leads its group, the shard itself
// runs here for as long as it is needed. Its parts have the state: what is known of the
// group, who uses the shard, its record, its members, and what to do without a leader
// or with two groups.
type replica struct {
	part.Part
	space    string
	newSeat  func(name string) part.Seat
	send     func(to machine.Peer, m machine.Message) // over links
	runner   shardRunner
	routes   leaderRoutes
	owner    replicaOwner
	setAside func(group.Copy) []machine.DiskWrite

	seat        part.Seat // the replica, as one of the node's machines
	group       *shardgroup.Group
	users       *shardUsers
	record      *shardRecord
	membership  *membership
	quorumLoss  *quorumLoss
	rollback    *rollbackCheck
	comparison  *comparison
	otherGroups *otherGroups
	spares      *copies.SpareSending
	log         *accountability.LogSending
	followed    *accountability.LogFollowing

	rereadAt machine.Time // when to read the disk again, if the replica lost its way
}

// shardRunner runs shards on this node (Node).
type shardRunner interface {
	Runs(shards.Shard) bool
	startLobby() // if it does not run
	stop(shards.Shard)
	// done is the end of a job that the shard has asked for, forgetJob when the shard
	// need not hear of it.
	done(tag uint64, result any, err error)
	forgetJob(tag uint64)
}

// leaderRoutes hears who leads a shard (routes).
type leaderRoutes interface {
	GroupKnows(*shardgroup.Group)
	LeadLost(p shards.Shard, hibernates bool)
	LeftGroup(shards.Shard)
}

// replicaOwner has the replicas of the node (hosting).
type replicaOwner interface {
	// leaseChanged is when the lease of a replica may end earlier than before.
	leaseChanged()
	// removed is when a replica has ended. damaged: it cannot be read.
	removed(h *replica, damaged bool)
	// gaveWay is when it has ended for the sake of a greater group.
	gaveWay(shards.Shard, group.Gen)
	// resigned is when it has ended as the last one of its group.
	resigned(shards.Shard)
}

const (
	hibernateAfter = 5 * time.Second // a group that nobody needs hibernates
	sparesAtMost   = time.Minute     // not before its spare copies are complete, but for so long
	// rereadAfter is when a replica that a member's invalid message has ended
	// is read again.
	rereadAfter = 10 * time.Second
)

// open begins with a replica that reads the disk.
func (h *replica) open() {
	h.seat = h.newSeat(group.OwnSpace(h.space))
	h.rollback.restart()
	h.group.Raft = group.New(group.Config{
		Space: h.space, Self: h.Cfg.Self, SetAside: h.setAside, Applied: h.spares.Applied, Vouched: h.rollback.isNeeded(),
		Installed: h.comparison.installed,
	}, groupEnv{h.Env, h.seat, h.send}, h)
	h.seat.Put(h.group.Raft)
	h.group.Raft.Start()
}

// holdMessage queues a message until the leader is known.
func (h *replica) holdMessage(f *peers.Remote, m *routing.Routed) {
	if h.users.hold(f, m) {
		h.group.Raft.Wake()
	}
}

// releaseHeld delivers, forwards or drops the messages that waited for a leader.
func (h *replica) releaseHeld() { h.users.release(func() bool { return h.group.Serves() }) }

// wake wakes a group that hibernates or has no leader, because the shard is needed.
func (h *replica) wake() {
	if h.group.Raft.Hibernates() || h.group.Raft.Leader() == (machine.Peer{}) {
		h.group.Raft.Wake()
	}
	h.routes.GroupKnows(h.group)
}

// beat drops messages that have waited for too long and maintains the group:
// hibernation, record, members.
func (h *replica) beat(now machine.Time) {
	if h.users.waitTooLong(now) {
		h.releaseHeld()
	}
	if h.seat.HasLeft() && now >= h.rereadAt {
		h.open()
	}
	if h.otherGroups.yield() {
		return
	}
	h.rollback.beat(now)
	h.followed.Beat(now)
	h.log.Beat(now)
	if !h.group.Leading {
		if h.quorumLoss.isDue(now) {
			if h.quorumLoss.leaderlessFor(now) >= leaderlessAfter || h.group.Raft.Hibernates() && h.otherGroups.isClaimed(now) {
				h.otherGroups.search(now)
			}
			h.quorumLoss.check(now)
		}
		h.record.renew(now)
		h.spares.Speak(now)
		return
	}
	h.comparison.beat(now)
	h.record.leads()
	h.quorumLoss.reset()
	h.otherGroups.search(now)
	if h.group.IsRunning() {
		h.group.IdleSince, h.group.Used = now, true
	}
	if h.record.publish() {
		h.users.notify() // whom to ask when this node falls silent
		h.comparison.published()
	}
	h.membership.update(now)
	h.spares.Beat(now)
	if idle := now.Sub(h.group.IdleSince); idle >= hibernateAfter && (h.spares.IsSettled() || idle >= sparesAtMost) && !h.IsLeaving() {
		h.group.Raft.Hibernate()
	}
}

// restoredFor is how long players are told that a shard was restored.
const restoredFor = time.Hour

// restoredLately is the time of the copy that the shard was restored from not long ago; 0:
// it was not, or nobody else hosts the world.
func (h *replica) restoredLately() machine.Time {
	if h == nil {
		return 0
	}
	if st := h.group.Raft.Status(); st.Restored != 0 && h.Env.Now().Sub(st.Gen.Created()) < restoredFor {
		return st.Restored
	}
	return 0
}

// canLeave reports whether another member could lead the shard.
func (h *replica) canLeave() bool { return h.membership.canLeave() }

// groupEnv is what a replica sees of the node: links are the network's.
type groupEnv struct {
	machine.Env
	seat part.Seat
	send func(to machine.Peer, m machine.Message)
}

func (e groupEnv) Send(to machine.Peer, m machine.Message)   { e.send(to, m) }
func (e groupEnv) SetTimer(at machine.Time, t machine.Timer) { e.seat.SetTimer(at, t) }
func (e groupEnv) Open(machine.Peer)                         {}
func (e groupEnv) Close(machine.Peer)                        {}
func (e groupEnv) Do(queue string, tag uint64, job machine.Job) {
	e.seat.Do(queue, tag, job)
}
