package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A shard that nobody needs costs nothing: its group hibernates, and after a restart its
// replicas are read from the disk only when somebody asks. Any node may ask, so each has
// a budget of groups that it makes run here. Whoever plays at a node comes to one or two
// regions a second, and with the widest view to a hundred at once.
const (
	wakesAtOnce    = 512
	wakesPerSecond = 16
)

// A member of a group wakes the others also when it leaves: it hands over all groups of
// which it has the only vote. A group that is awake is so for some 6 s.
const (
	memberWakesAtOnce    = 1024
	memberWakesPerSecond = 64
)

// wakenBy is the shard whose replica a message of another node reads from the disk, or
// whose group it wakes; false: it does neither.
func wakenBy(m machine.Message) (shards.Shard, bool) {
	switch m := m.(type) {
	case *routing.Routed:
		return m.To, true
	case *routing.LeaderQuery:
		return m.Shard, true
	case *shardgroup.GroupStatus:
		return m.Shard, true
	case *copies.MergeChanges:
		return m.Shard, true
	case *copies.RestoreState:
		return m.Shard, true
	case *HostQuery:
		return m.Shard, true
	case *routing.Generate:
		return m.Shard, true
	}
	return shards.Shard{}, false
}

// mayWake reports whether a node may speak of a shard: the group is awake, or the node
// may wake it.
func (o *hosting) mayWake(f *peers.Remote, p shards.Shard) bool {
	h := o.replicas[p]
	if h == nil && !o.dormant[p] || h != nil && !h.group.Raft.Hibernates() {
		return true
	}
	return o.takesWake(f, h)
}

// mayPass reports whether a message of a group may be passed to the replica here: it
// does not wake the group, or the node may wake it.
func (o *hosting) mayPass(f *peers.Remote, p shards.Shard, m machine.Message) bool {
	h := o.replicas[p]
	if h == nil && !o.dormant[p] || h != nil && !h.group.Raft.WokenBy(m) {
		return true
	}
	return o.takesWake(f, h)
}

// wakeBudgets are what a node may wake: groups of which it is a member, and others; nil:
// it has woken none.
type wakeBudgets struct{ others, members *limit.Budget }

// takesWake takes from a node's budget that it wakes a group; h is nil if the replica
// was not read yet, and who is a member of the group is not known.
func (o *hosting) takesWake(f *peers.Remote, h *replica) bool {
	own := o.wakes.Of(f)
	budget, atOnce, perSecond := &own.others, float64(wakesAtOnce), float64(wakesPerSecond)
	if h != nil && peers.Among(h.group.Members(), f.Peer.ID) {
		budget, atOnce, perSecond = &own.members, memberWakesAtOnce, memberWakesPerSecond
	}
	if *budget == nil {
		b := limit.NewBudget(perSecond, atOnce)
		*budget = &b
	}
	if (*budget).Take(1, time.Unix(0, int64(o.Env.Now()))) {
		return true
	}
	o.Counts.Dropped++
	return false
}
