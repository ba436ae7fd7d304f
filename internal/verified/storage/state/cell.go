package state

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Cell is one square of the world at one time: frozen, and shared by all who
// hold the same.
type Cell struct {
	Objects []*Object // dynamic, ascending by ID
	// Dormant are characters that became static in the step that made the cell.
	Dormant []*Object

	Players []*Object // those of Objects that are a player's character
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
			c.Players = append(c.Players, o)
		}
	}
	return c
}

// Find returns an object by its id.
func (c *Cell) Find(id ObjectID) *Object {
	if i, ok := c.Index(id); ok {
		return c.Objects[i]
	}
	return nil
}

func (c *Cell) Index(id ObjectID) (int, bool) {
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

// Among reports whether a list has an object in this version.
func Among(list []*Object, o *Object) bool {
	return slices.ContainsFunc(list, func(p *Object) bool { return p.ID == o.ID && SameObject(p, o) })
}

func SameCellContent(a, b *Cell) bool {
	switch {
	case a == b:
		return true
	case a.IsDigestOnly():
		return a.digestOnly.matches(b)
	case b.IsDigestOnly():
		return b.digestOnly.matches(a)
	}
	return SameWithin(nil, a, b, true)
}

// Within is the part of a cell that lies in an area: how says how the cell lies to it.
func (c *Cell) Within(a *overlay.Area, how relation) *Cell {
	out := func(o *Object) bool { return !Contains(a, o.Pos) }
	switch {
	case how == Outside:
		return nil
	case how == Inside || !slices.ContainsFunc(c.Objects, out) && !slices.ContainsFunc(c.Dormant, out):
		return c
	}
	return NewCell(slices.DeleteFunc(slices.Concat(c.Objects, c.Dormant), out))
}

// Union is all objects of two versions of a cell, the first one's before the
// second's.
func Union(a, b *Cell) *Cell {
	out := slices.Concat(a.Objects, b.Objects)
	slices.SortStableFunc(out, ByID)
	return NewCell(slices.CompactFunc(out, func(a, b *Object) bool { return a.ID == b.ID }))
}

func Indicator(b bool) int {
	if b {
		return 1
	}
	return 0
}

func SameObject(a, b *Object) bool { return a == b || a.Digest == b.Digest }

// SameWithin reports whether two cells hold the same objects in an area.
func SameWithin(area *overlay.Area, a, b *Cell, whole bool) bool {
	if a == nil {
		a = &Cell{}
	}
	if b == nil {
		b = &Cell{}
	}
	next := func(c *Cell, i int) int {
		for i < len(c.spots) && !whole && !Contains(area, c.spots[i].pos) {
			i++
		}
		return i
	}
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		i, j = next(a, i), next(b, j)
		switch {
		case i == len(a.Objects) || j == len(b.Objects):
			return i == len(a.Objects) && j == len(b.Objects)
		case !SameObject(a.Objects[i], b.Objects[j]):
			return false
		}
	}
}
