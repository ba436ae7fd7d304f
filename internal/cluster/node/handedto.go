package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// handedTo are the replicas here to which players' acts are handed over that their leaders
// do not do (accountability.HandedOver).
type handedTo struct {
	hosting *hosting
	runner  runner
}

// Follows is what follows the log of a region.
func (h handedTo) Follows(at world.RegionPos) *accountability.LogFollowing {
	if r := h.hosting.replicas[shards.Shard{Region: at}]; r != nil && !r.group.Leading {
		return r.followed
	}
	return nil
}

// Heed lets a region that is led here do what another host hands over.
func (h handedTo) Heed(by machine.Peer, at world.RegionPos, of *inputlog.Session, signed []byte, act uint32) bool {
	r := h.hosting.replicas[shards.Shard{Region: at}]
	if r == nil || !r.group.Leading || !r.group.IsMember(by.ID) {
		return false
	}
	h.runner.heed(at, of, signed, act)
	return true
}
