package storage

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// recentlyDormant are the characters that fell asleep in one step where the node keeps them.
type recentlyDormant struct {
	of   int64
	them []*Object
}

// makeDormant stores the characters that have become static in the node's cell.
func (n *Node) makeDormant(c *Cell) {
	for _, o := range c.Asleep {
		if n.responsible(o.Pos) {
			n.static[o.ID] = o
			n.recentlyDormant.them = append(n.recentlyDormant.them, o)
		}
	}
}

// dormantSince are the static objects of the node, those too that a farewell has only
// named, or those that fell asleep in a step.
func (n *Node) dormantSince(of int64) (out []*Object) {
	switch of {
	case 0:
		return slices.AppendSeq(slices.Collect(maps.Values(n.static)), maps.Values(n.bequests))
	case n.recentlyDormant.of:
		for _, o := range n.recentlyDormant.them {
			if n.static[o.ID] == o {
				out = append(out, o)
			}
		}
	}
	return out
}

// requestDormant asks the other zones at t^s who fell asleep in the node's cell in the
// step that everybody has made by now, if the node has not made all of it: because a
// neighbour has left since the update area was asked for, because it has just come
// itself, or because it was unsure. When it asked for all that sleeps there, the
// others had perhaps not made that step either (Protocol.Farewell). To ask for all
// again would be too much: characters are large, and where few nodes keep the world,
// answers to many such questions would leave no room for the next update's.
func (n *Node) requestDormant(of int64) {
	if !n.cfg.Protocol.Farewell || !n.ready || of == 0 || len(n.part.cell) < 3 || n.hasComputed(of) {
		return
	}
	n.retrieve(ForFailure, overlay.Area{Polygon: n.part.cell}, of)
}

// hasComputed reports whether the node's state is that of t_of, and all of its cell known.
func (n *Node) hasComputed(of int64) bool {
	s := n.state
	if s == nil || s.Of != of || slices.ContainsFunc(n.part.cell, func(p geom.Point) bool { return !contains(&s.Cover, p) }) {
		return false
	}
	return !s.hasUnsure(&overlay.Area{Polygon: n.part.cell}, n.world.Cell)
}
