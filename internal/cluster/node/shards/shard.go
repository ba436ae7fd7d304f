// Package shards names the shards of a world: its regions and the lobby, as something
// that nodes host. A shard has a logical peer, spaces on the disk, and a key in the
// directory that its hosts are nearest to (docs/protocols/hosting.md).
package shards

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Shard names a shard of the world that a node can lead: a region, or the lobby.
type Shard struct {
	Lobby  bool
	Region world.RegionPos // if it is not the lobby
}

// Lobby is the shard that the lobby is.
var Lobby = Shard{Lobby: true}

func InWorld(pos world.RegionPos) bool {
	const end = world.Limit / world.RegionSize
	return pos.X >= -end && pos.X < end && pos.Z >= -end && pos.Z < end
}

func Sorted[V any](m map[Shard]V) []Shard {
	return slices.SortedFunc(maps.Keys(m), Compare)
}

func Compare(a, b Shard) int {
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

// Of is the shard that a logical peer stands for.
func Of(p machine.Peer) (Shard, bool) {
	if p == region.Lobby {
		return Lobby, true
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

// Peer is the logical peer of a shard.
func (p Shard) Peer() machine.Peer {
	if p.Lobby {
		return region.Lobby
	}
	return region.PeerOf(p.Region)
}

func (p Shard) InWorld() bool { return p.Lobby || InWorld(p.Region) }

// GroupSpace is the space of this node's replica.
func (p Shard) GroupSpace() string { return group.OwnSpace(p.Space()) }

// Space is the shard's space on the disk.
func (p Shard) Space() string {
	if p.Lobby {
		return "hall"
	}
	return region.Space(p.Region)
}

// Stored is the shard that a space of a node's disk holds, for tools that read a
// store without running the node. replica: it is not the shard itself but what the
// node's replica of it knows of its group.
func Stored(space string) (p Shard, replica, ok bool) {
	name, replica := strings.CutPrefix(space, group.OwnSpace(""))
	p, ok = InSpace(name)
	return p, replica, ok
}

// InSpace is the shard whose space has a name; what comes from elsewhere is not
// believed to be one.
func InSpace(space string) (Shard, bool) {
	if space == Lobby.Space() {
		return Lobby, true
	}
	f := strings.Split(space, ".")
	if len(f) != 3 || f[0] != "r" {
		return Shard{}, false
	}
	x, errX := strconv.ParseInt(f[1], 10, 32)
	z, errZ := strconv.ParseInt(f[2], 10, 32)
	p := Shard{}
	p.Region.X, p.Region.Z = int32(x), int32(z)
	return p, errX == nil && errZ == nil && p.InWorld() && p.Space() == space
}

// Key is the key of a shard of a world: what its hosts are nearest to.
func Key(world id.ID, p Shard) id.ID {
	b := append([]byte("voxelpopuli part\n"), world[:]...)
	if p.Lobby {
		return id.Of(append(b, 'h'))
	}
	b = append(b, 'r')
	b = binary.BigEndian.AppendUint32(b, uint32(p.Region.X))
	return id.Of(binary.BigEndian.AppendUint32(b, uint32(p.Region.Z)))
}
