package verifiedworld

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Place is where a node stands in the overlay of a world with an authority.
type Place struct {
	Pos        geom.Point
	Stable     bool         // it has found its place
	At         world.Pos    // the same in metres
	Cell       []world.Pos  // corners of its Voronoi cell, in metres
	Links      int          // of the overlay
	Neighbours []Neighbour  // counter-clockwise
	Reports    uint64       // evidence against other nodes, since the start
	Dropped    uint64       // messages that were not sane
	Revoked    uint64       // version of the revocations in force; 0: none
	Since      machine.Time // when those were issued
}

// Neighbour is a neighbour in the overlay.
type Neighbour struct {
	Peer machine.Peer
	Pos  geom.Point
	At   world.Pos   // the same in metres
	Cell []world.Pos // as it says; empty: not known yet
	Near []id.ID     // its neighbours, as it says
}

// Place reads it.
func (v *World) Place() *Place {
	if v == nil || v.overlay == nil {
		return nil
	}
	l, space := v.overlay, overlay.SpaceFor(v.Zones)
	p := &Place{
		Pos: l.overlay.Self().Pos, At: metre(space, l.overlay.Self().Pos), Stable: l.overlay.Stable(), Cell: metres(space, l.overlay.Cell(nil)),
		Links: len(l.overlay.Linked(nil)), Reports: l.reports, Dropped: l.overlay.Dropped(),
	}
	for _, c := range l.overlay.Neighbours(nil) {
		near := Neighbour{Peer: c.Peer(), Pos: c.Pos, At: metre(space, c.Pos), Cell: metres(space, l.overlay.CellOf(c.ID, nil))}
		for _, remote := range l.overlay.NeighboursOf(c.ID, nil) {
			near.Near = append(near.Near, remote.ID)
		}
		p.Neighbours = append(p.Neighbours, near)
	}
	if r := v.Verifier.Revoked(); r != nil {
		p.Revoked, p.Since = r.Version, r.Issued
	}
	return p
}

// metres lays the key space over the world: its edges are the world's.
func metres(s overlay.Space, cell geom.Polygon) (out []world.Pos) {
	for _, p := range cell {
		out = append(out, metre(s, p))
	}
	return out
}

func metre(s overlay.Space, p geom.Point) world.Pos {
	side := int64(s.Side() - 1)
	at := func(v int32) int32 { return int32(int64(v)*2*world.Limit/side) - world.Limit }
	return world.Pos{X: at(p.X), Z: at(p.Y)}
}
