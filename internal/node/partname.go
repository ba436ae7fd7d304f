package node

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/group"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Part names a part of the world that a node can lead: a region, or the hall.
type Part struct {
	Hall   bool
	Region world.RegionPos // if it is not the hall
}

// theHall is the part that the hall is.
var theHall = Part{Hall: true}

func inWorld(pos world.RegionPos) bool {
	const end = world.Limit / world.RegionSize
	return pos.X >= -end && pos.X < end && pos.Z >= -end && pos.Z < end
}

func sortedParts[V any](m map[Part]V) []Part { return slices.SortedFunc(maps.Keys(m), compareParts) }

func compareParts(a, b Part) int {
	switch {
	case a.Hall != b.Hall:
		if a.Hall {
			return -1
		}
		return 1
	case a.Region.X != b.Region.X:
		return cmp.Compare(a.Region.X, b.Region.X)
	}
	return cmp.Compare(a.Region.Z, b.Region.Z)
}

// partOf is the part that a logical peer stands for.
func partOf(p machine.Peer) (Part, bool) {
	if p == region.Hall {
		return theHall, true
	}
	pos, ok := region.RegionOf(p)
	return Part{Region: pos}, ok
}

// String names a part to a person.
func (p Part) String() string {
	if p.Hall {
		return "the hall"
	}
	return p.Region.String()
}

// peer is the logical peer of a part.
func (p Part) peer() machine.Peer {
	if p.Hall {
		return region.Hall
	}
	return region.PeerOf(p.Region)
}

func (p Part) inWorld() bool { return p.Hall || inWorld(p.Region) }

// Space is the part's space on the disk, GroupSpace that of this node's replica.
func (p Part) Space() string      { return p.space() }
func (p Part) GroupSpace() string { return group.OwnSpace(p.space()) }

// space is the part's space on the disk.
func (p Part) space() string {
	if p.Hall {
		return "hall"
	}
	return region.Space(p.Region)
}

// PartOf is the part that a space of a node's disk holds, for tools that read a
// store without running the node. replica: it is not the part itself but what the
// node's replica of it knows of its group.
func PartOf(space string) (p Part, replica, ok bool) {
	name, replica := strings.CutPrefix(space, group.OwnSpace(""))
	p, ok = partIn(name)
	return p, replica, ok
}

// partIn is the part whose space has a name; what comes from elsewhere is not
// believed to be one.
func partIn(space string) (Part, bool) {
	if space == theHall.space() {
		return theHall, true
	}
	f := strings.Split(space, ".")
	if len(f) != 3 || f[0] != "r" {
		return Part{}, false
	}
	x, errX := strconv.ParseInt(f[1], 10, 32)
	z, errZ := strconv.ParseInt(f[2], 10, 32)
	p := Part{}
	p.Region.X, p.Region.Z = int32(x), int32(z)
	return p, errX == nil && errZ == nil && p.inWorld() && p.space() == space
}
