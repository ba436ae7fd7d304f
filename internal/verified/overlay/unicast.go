package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Unicast is a message for whoever is responsible for a place (thesis 4.7.1).
type Unicast struct {
	Route
	Body machine.Message
}

func (m *Unicast) onward(via bool) routable {
	fwd := *m
	fwd.step(via)
	return &fwd
}

// Unicast sends a message to the node responsible for a place, this one perhaps.
func (n *Node) Unicast(to geom.Point, body machine.Message) {
	n.router.originate(&Unicast{Route{Origin: n.self, Seq: n.nextSeq(), Dest: to}, body})
}

// UnicastVia is the same by way of the node responsible for another place: it does not
// take the way that Unicast takes.
func (n *Node) UnicastVia(to, via geom.Point, body machine.Message) {
	n.router.originate(&Unicast{Route{Origin: n.self, Seq: n.nextSeq(), Dest: to, Via: via, HasVia: true}, body})
}

// Reply sends a message to a node itself, over a shortcut.
func (n *Node) Reply(to *Contact, body machine.Message) {
	m := &Unicast{Route{Origin: n.self, Seq: n.nextSeq(), Dest: to.Pos}, body}
	if to.ID == n.self.ID {
		n.router.receiveUnicast(m)
		return
	}
	n.shortcuts.direct(to, m)
}

// onUnicast takes a message from a link. What is for this node itself came over
// a shortcut and needs no routing; the sender becomes a shortcut in turn (4.6).
func (ro *router) onUnicast(m *Unicast) {
	if m.Dest == ro.self.Pos {
		ro.receiveUnicast(m)
		return
	}
	ro.forward(m)
}

// receiveUnicast is where the message ends; both are likely to talk again, so
// its origin becomes a shortcut (thesis 4.6).
func (ro *router) receiveUnicast(m *Unicast) {
	if m.Origin.ID != ro.self.ID {
		ro.shortcuts.shortcut(m.Origin)
	}
	if ro.cfg.Events != nil {
		ro.cfg.Events.Received(m, ro.arrivedAt())
	}
}
