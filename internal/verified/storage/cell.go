package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
)

// Cell is one square of the world at one time: frozen, and shared by all who
// hold the same.
type Cell struct {
	Objects []*Object // dynamic, ascending by ID
	// Dormant are characters that became static in the step that made the cell.
	Dormant []*Object

	players []*Object // those of Objects that are a player's character
	size    int
	spots   []spot // of Objects, side by side: messages' sizes are counted by them

	digestOnly *digestCell // nothing else is known of it (see digestanswer.go); nil: it is
	sum        Digest      // of Objects; zero: nobody has wanted it yet
	kept       cellAge     // in a cache
}

// spot is what counts of an object in a message's size, and whether a step needs it.
type spot struct {
	pos  geom.Point
	size int32
}

// NewCell returns a cell of some objects, which it keeps.
func NewCell(objects []*Object) *Cell {
	c := &Cell{}
	for _, o := range objects {
		if o.Static {
			c.Dormant = append(c.Dormant, o)
		}
	}
	if c.Dormant != nil {
		objects = slices.DeleteFunc(slices.Clone(objects), func(o *Object) bool { return o.Static })
	}
	c.Objects = objects
	c.spots = make([]spot, len(objects))
	for i, o := range objects {
		c.spots[i] = spot{o.Pos, int32(o.Size)}
		c.size += o.Size
		if o.Player != nil {
			c.players = append(c.players, o)
		}
	}
	return c
}

// find returns an object by its id.
func (c *Cell) find(id ObjectID) *Object {
	if i, ok := c.index(id); ok {
		return c.Objects[i]
	}
	return nil
}

func (c *Cell) index(id ObjectID) (int, bool) {
	return slices.BinarySearchFunc(c.Objects, id, func(o *Object, id ObjectID) int {
		switch {
		case o.ID < id:
			return -1
		case o.ID > id:
			return 1
		}
		return 0
	})
}
