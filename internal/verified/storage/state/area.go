package state

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// relation is how a square lies to an area.
type relation uint8

const (
	Outside relation = iota
	Across
	Inside
)

// Contains reports whether a place lies in an area.
func Contains(a *overlay.Area, p geom.Point) bool {
	if len(a.Polygon) > 0 {
		return a.Polygon.Contains(p)
	}
	return a.Circle.Contains(p)
}

// Relate tells how the square with the smallest corner (x, y) lies to an area.
func Relate(a *overlay.Area, x, y, side int32) relation {
	if len(a.Polygon) > 0 {
		return relatePolygon(a.Polygon, x, y, side)
	}
	c := &a.Circle
	far := geom.Point{X: x, Y: y}
	near := geom.Point{X: min(max(c.C.X, x), x+side-1), Y: min(max(c.C.Y, y), y+side-1)}
	if c.C.X < x+side/2 {
		far.X += side - 1
	}
	if c.C.Y < y+side/2 {
		far.Y += side - 1
	}
	switch {
	case c.Contains(far):
		return Inside
	case c.Contains(near):
		return Across
	}
	return Outside
}

func relatePolygon(poly geom.Polygon, x, y, side int32) relation {
	square := geom.Rect{Min: geom.Point{X: x, Y: y}, Max: geom.Point{X: x + side - 1, Y: y + side - 1}}
	all := true
	var corners [4]geom.Point
	for _, p := range square.Polygon(corners[:0]) {
		all = all && poly.Contains(p)
	}
	switch {
	case all:
		return Inside
	case poly.Overlaps(square.Polygon(corners[:0])):
		return Across
	}
	return Outside
}

// bounds is the square around an area.
func bounds(a *overlay.Area) geom.Rect {
	if len(a.Polygon) == 0 {
		c := a.Circle
		return geom.Rect{Min: geom.Point{X: c.C.X - c.R, Y: c.C.Y - c.R}, Max: geom.Point{X: c.C.X + c.R, Y: c.C.Y + c.R}}
	}
	r := geom.Rect{Min: a.Polygon[0], Max: a.Polygon[0]}
	for _, p := range a.Polygon {
		r.Min = geom.Point{X: min(r.Min.X, p.X), Y: min(r.Min.Y, p.Y)}
		r.Max = geom.Point{X: max(r.Max.X, p.X), Y: max(r.Max.Y, p.Y)}
	}
	return r
}

// ValidArea reports whether an area is one that can be calculated with.
func ValidArea(a *overlay.Area) bool {
	const half = geom.Limit / 2
	small := func(p geom.Point) bool { return p.X > -half && p.X < half && p.Y > -half && p.Y < half }
	if len(a.Polygon) == 0 {
		return a.Circle.R >= 0 && a.Circle.R < half && small(a.Circle.C)
	}
	return len(a.Polygon) > 2 && len(a.Polygon) <= 64 && !slices.ContainsFunc(a.Polygon, func(p geom.Point) bool { return !small(p) })
}
