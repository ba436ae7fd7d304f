package node

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Shard names a shard of the world that a node can lead: a region, or the lobby.
type Shard struct {
	Lobby  bool
	Region world.RegionPos // if it is not the lobby
}

// theLobby is the shard that the lobby is.
var theLobby = Shard{Lobby: true}

func inWorld(pos world.RegionPos) bool {
	const end = world.Limit / world.RegionSize
	return pos.X >= -end && pos.X < end && pos.Z >= -end && pos.Z < end
}

func sortedShards[V any](m map[Shard]V) []Shard {
	return slices.SortedFunc(maps.Keys(m), compareShards)
}

func compareShards(a, b Shard) int {
	switch {
	case a.Lobby != b.Lobby:
		if a.Lobby {
			return -1
		}
		return 1
	case a.Region.X != b.Region.X:
		return cmp.Compare(a.Region.X, b.Region.X)
	}
	return cmp.Compare(a.Region.Z, b.Region.Z)
}

// shardOf is the shard that a logical peer stands for.
func shardOf(p machine.Peer) (Shard, bool) {
	if p == region.Lobby {
		return theLobby, true
	}
	pos, ok := region.RegionOf(p)
	return Shard{Region: pos}, ok
}

// String names a shard to a person.
func (p Shard) String() string {
	if p.Lobby {
		return "the lobby"
	}
	return p.Region.String()
}

// peer is the logical peer of a shard.
func (p Shard) peer() machine.Peer {
	if p.Lobby {
		return region.Lobby
	}
	return region.PeerOf(p.Region)
}

func (p Shard) inWorld() bool { return p.Lobby || inWorld(p.Region) }

// Space is the shard's space on the disk, GroupSpace that of this node's replica.
func (p Shard) Space() string      { return p.space() }
func (p Shard) GroupSpace() string { return group.OwnSpace(p.space()) }

// space is the shard's space on the disk.
func (p Shard) space() string {
	if p.Lobby {
		return "hall"
	}
	return region.Space(p.Region)
}

// ShardOf is the shard that a space of a node's disk holds, for tools that read a
// store without running the node. replica: it is not the shard itself but what the
// node's replica of it knows of its group.
func ShardOf(space string) (p Shard, replica, ok bool) {
	name, replica := strings.CutPrefix(space, group.OwnSpace(""))
	p, ok = shardInSpace(name)
	return p, replica, ok
}

// shardInSpace is the shard whose space has a name; what comes from elsewhere is not
// believed to be one.
func shardInSpace(space string) (Shard, bool) {
	if space == theLobby.space() {
		return theLobby, true
	}
	f := strings.Split(space, ".")
	if len(f) != 3 || f[0] != "r" {
		return Shard{}, false
	}
	x, errX := strconv.ParseInt(f[1], 10, 32)
	z, errZ := strconv.ParseInt(f[2], 10, 32)
	p := Shard{}
	p.Region.X, p.Region.Z = int32(x), int32(z)
	return p, errX == nil && errZ == nil && p.inWorld() && p.space() == space
}
