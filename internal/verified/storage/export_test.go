package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
)

// TakePart is takePart, for tests.
var TakePart = takePart

// Ask lets a node retrieve any area, whether or not it is its business.
func (n *Node) Ask(k messages.Kind, area overlay.Area, of int64) {
	n.queries.Retrieve(k, area, of)
	n.drain()
}

// Keeps reports whether static data at a place is the node's.
func (n *Node) Keeps(p geom.Point) bool { return n.area.Responsible(p) }

// Misplace makes a node believe that somebody was the only one of its zone who has
// answered about the node's update area.
func (n *Node) Misplace(c *overlay.Contact) {
	n.queries.AskNext(n.part.Space.Zone(c.Pos), c)
}

// Pinned lists those of a zone who the node will ask directly the next time.
func (n *Node) Pinned(zone int) []*overlay.Contact { return n.queries.Direct(zone) }

// UpdateKeys is the part of a zone that the node asks for its update area.
func (n *Node) UpdateKeys(zone int) overlay.Area {
	a := overlay.Area{Circle: n.area.Now.Circle}
	a.Circle.R += n.part.UpdateMargin()
	return n.part.Places.Area(&a, zone)
}

// Doubts reports whether the node is unsure about some of its circle.
func (n *Node) Doubts() bool {
	return n.replica.State.HasUnsure(&n.replica.State.Cover, n.part.World.Cell)
}

// WireForm is what a real node sends instead of a message of a simulated one. Messages
// that it does not name are the same, or their size does not depend on it.
func (n *Node) WireForm(body machine.Message) machine.Message {
	switch m := body.(type) {
	case *messages.Retrieve:
		out := *m
		out.Known = m.Known.EncodeFor(m.Query, &m.Area, &n.part.World)
		return &out
	case *messages.Result:
		if m.Brief || m.Known != nil {
			return m.EncodeDigests(m.Known.EncodeFor(m.Query, &m.Area, &n.part.World), n.part.World)
		}
	case *messages.Fetch:
		return replica.EncodeQuestion(m)
	}
	return body
}
