package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// Ask lets a node retrieve any area, whether or not it is its business.
func (n *Node) Ask(k Kind, area overlay.Area, of int64) {
	n.retrieve(k, area, of)
	n.drain()
}

// Keeps reports whether static data at a place is the node's.
func (n *Node) Keeps(p geom.Point) bool { return n.responsible(p) }

// Misplace makes a node believe that somebody was the only one of its zone who has
// answered about the node's update area.
func (n *Node) Misplace(c *overlay.Contact) { n.pins[n.space.Zone(c.Pos)] = []pin{{who: c}} }
