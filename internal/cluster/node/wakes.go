package node

import (
	"time"

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

// wakenBy is the shard whose replica a message of another node reads from the disk, or
// whose group it wakes; false: it does neither.
func wakenBy(m machine.Message) (Shard, bool) {
	switch m := m.(type) {
	case *Routed:
		return m.To, true
	case *LeaderQuery:
		return m.Shard, true
	case *GroupStatus:
		return m.Shard, true
	case *HostQuery:
		return m.Shard, true
	case *Generate:
		return m.Shard, true
	}
	return Shard{}, false
}

// mayWake reports whether a node may speak of a shard: the group is awake, or the node
// is a member of it, or may wake it.
func (o *hosting) mayWake(f *remoteNode, p Shard) bool {
	h := o.replicas[p]
	switch {
	case h == nil && !o.dormant[p], h != nil && !h.group.raft.Hibernates():
		return true
	case h != nil && among(h.group.members(), f.peer.ID):
		return true
	}
	if f.wakes == nil {
		b := limit.NewBudget(wakesPerSecond, wakesAtOnce)
		f.wakes = &b
	}
	if f.wakes.Take(1, time.Unix(0, int64(o.env.Now()))) {
		return true
	}
	o.counts.Dropped++
	return false
}
