package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// putAsleep stores the characters that have become static in the node's cell.
func (n *Node) putAsleep(c *Cell) {
	for _, o := range c.Asleep {
		if n.responsible(o.Pos) {
			n.static[o.ID] = o
		}
	}
}

// askForSleepers fetches the static data of the node's cell again if the node has not
// made all of that in the update that everybody has made by now, t^s: because a
// neighbour has left since the update area was asked for, because it has just come
// itself, or because it was unsure. Who fell asleep there in this step it has not
// seen, and when it asked the others last, they had perhaps not seen it either
// (Protocol.Farewell).
func (n *Node) askForSleepers(of int64) {
	if !n.cfg.Protocol.Farewell || !n.ready || of == 0 || len(n.part.cell) < 3 || n.hasMade(of) {
		return
	}
	n.retrieve(ForFailure, overlay.Area{Polygon: n.part.cell}, of)
}

// hasMade reports whether the node's state is that of t_of, and all of its cell known.
func (n *Node) hasMade(of int64) bool {
	s := n.state
	if s == nil || s.Of != of || slices.ContainsFunc(n.part.cell, func(p geom.Point) bool { return !contains(&s.Cover, p) }) {
		return false
	}
	cell, side := overlay.Area{Polygon: n.part.cell}, n.world.Cell
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if s.unsure(x, y) && relate(&cell, x*side, y*side, side) != outside {
				return false
			}
		}
	}
	return true
}
