package placement

import (
	"iter"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
)

// Acquaintances judges whether a node can be responsible for a place, by the nodes that
// this one knows. Places are certified, so that nobody is closer to a place than it is;
// what a node cannot know of another zone is who else stands there. It is wrong at times
// about a node that has just come or gone: who is refused wrongly is a storer less, and
// there are others.
type Acquaintances struct {
	*part.Part
	Area *Area
	// Reported returns those of a zone that have told this node of their neighbourhood.
	Reported func(zone int) iter.Seq[*overlay.Contact]
}

// roomOfCells is how many times the mean square of the distances between neighbours the
// node that is responsible for a place is away from it at most: with places that are
// drawn at random that is a circle of some twenty cells, and one of a billion is empty.
const roomOfCells = 4

// MayBeResponsible reports whether a node may be the one in whose cell a place of the
// world lies in its zone.
func (aq *Acquaintances) MayBeResponsible(c *overlay.Contact, home geom.Point) bool {
	zone := aq.Space.Zone(c.Pos)
	key := aq.Places.KeyBeyond(home, zone)
	return aq.Area.isWithin(roomOfCells, c, key) && !aq.knowsNearer(c, key, zone)
}

// IsClose reports whether a node stands so close to a key that it is likely to be the one in
// whose cell the key lies: of a hundred of these one does not.
func (oa *Area) IsClose(c *overlay.Contact, key geom.Point) bool { return oa.isWithin(1, c, key) }

// MayHold reports whether a node stands close enough to a place to hold it: the circle around
// a cell reaches farther than the cell, but seldom so far.
func (oa *Area) MayHold(c *overlay.Contact, key geom.Point) bool { return oa.isWithin(2, c, key) }

// isWithin reports whether the square of a node's distance to a key is at most so many times
// the mean one between neighbours, by the node's own.
func (oa *Area) isWithin(times int64, c *overlay.Contact, key geom.Point) bool {
	limit := times * oa.meanDistance2()
	return limit == 0 || key.Dist2(c.Pos) <= limit
}

// knowsNearer reports whether the node knows somebody in a zone who stands nearer to a
// key.
func (aq *Acquaintances) knowsNearer(c *overlay.Contact, key geom.Point, zone int) bool {
	nearer := func(o *overlay.Contact) bool { return o.ID != c.ID && geom.Closer(key, o.Pos, c.Pos) }
	if zone == aq.Zone {
		if nearer(aq.Self) {
			return true
		}
		for _, o := range aq.Area.Now.Neighbours {
			if nearer(o) {
				return true
			}
		}
		return false
	}
	for o := range aq.Reported(zone) {
		if nearer(o) {
			return true
		}
	}
	return false
}

// meanDistance2 is the mean square of the distances to the neighbours in the own zone;
// 0: these are too few to tell anything.
func (oa *Area) meanDistance2() int64 {
	list := oa.Now.Neighbours
	if len(list) < 3 {
		return 0
	}
	var sum int64
	for _, c := range list {
		sum += c.Pos.Dist2(oa.Self.Pos)
	}
	return sum / int64(len(list))
}
