package overlay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// RtRequest looks for the node nearest to Dest, a target position of the origin
// (thesis 4.5.3).
type RtRequest struct {
	Route
	// Handed: the node nearest to the target stands in another zone than the
	// target and has handed the request to its neighbour there, who answers.
	Handed bool
}

func (m *RtRequest) onward(via bool) routable {
	fwd := *m
	fwd.step(via)
	return &fwd
}

// RtResponse is the answer, sent directly.
type RtResponse struct {
	From   *Contact
	Target geom.Point
}

// fillAll asks for every entry that can be filled (active filling, 4.5.6).
func (rt *routingTable) fillAll() {
	for _, e := range rt.table.entries {
		if e != nil {
			e.lost = rt.env.Now()
			rt.request(e)
		}
	}
}

// request asks for an entry over all zones (thesis 4.5.5): in each zone by way
// of the place that mirrors the target, so that the paths stay apart until their
// last jump. In the target's zone it goes there directly; in the own zone the
// mirrored place would be this node itself, so the nearest neighbour stands in.
func (rt *routingTable) request(e *entry) {
	s := rt.cfg.Space
	to := rt.goal(e)
	home, goal := s.Zone(rt.self.Pos), s.Zone(to)
	for zone := range s.Zones() {
		m := &RtRequest{Route: Route{Origin: rt.self, Seq: rt.nextSeq(), Dest: to}}
		switch {
		case zone == goal:
		case zone == home:
			if m.HasVia = len(rt.hood.neighbours) > 0; m.HasVia {
				m.Via = rt.hood.nearestNeighbour().Pos
			}
		default:
			m.Via, m.HasVia = s.Mirror(to, zone), true
		}
		rt.router.originate(m)
	}
}

func (rt *routingTable) onRtRequest(m *RtRequest) {
	if m.Handed {
		rt.receiveRtRequest(m)
		return
	}
	rt.router.forward(m)
}

// receiveRtRequest answers as the node nearest to the target. Near the border of
// a zone that node may be in another one, useless for the entry (thesis 4.5.3,
// 4.5.4: "lower level entries might still be empty"). Then its neighbour in the
// right zone, if there is one, is handed the request.
func (rt *routingTable) receiveRtRequest(m *RtRequest) {
	if m.Origin.ID == rt.self.ID {
		return
	}
	rt.hint(m.Origin)
	if p := rt.inZoneOf(m); p != nil {
		handed := *m
		handed.Hops++
		handed.Handed = true
		rt.env.Send(p.peer, &handed)
		return
	}
	rt.shortcuts.direct(m.Origin, &RtResponse{From: rt.self, Target: m.Dest})
}

// AnswerRequest answers a request for a routing table's entry with this node, whether or
// not it is the nearest one. It reports false, and does nothing, if the request has not
// come over an open link or is not valid.
func (n *Node) AnswerRequest(from machine.Peer, r *RtRequest) bool {
	p := n.peers.get(from.ID)
	if n.stopped || p == nil || p.greeting || p.link != linkUp || !n.valid(r) || !n.hello.consistentOrigin(p, r.Origin) {
		return false
	}
	n.routing.offer(r.Origin)
	n.shortcuts.direct(r.Origin, &RtResponse{From: n.self, Target: r.Dest})
	n.finishHandler()
	return true
}

// inZoneOf returns the neighbour that fits the request's entry and is nearest to
// the target, if this node does not fit it itself.
func (rt *routingTable) inZoneOf(m *RtRequest) (best *peer) {
	s := rt.cfg.Space
	want, ok := s.SlotOf(m.Origin.Pos, m.Dest)
	if own, fits := s.SlotOf(m.Origin.Pos, rt.self.Pos); !ok || m.Handed || fits && own == want {
		return nil
	}
	for _, p := range rt.hood.neighbours {
		if slot, fits := s.SlotOf(m.Origin.Pos, p.Pos); fits && slot == want &&
			p.ID != m.Origin.ID && (best == nil || closer(m.Dest, p.Contact, best.Contact)) {
			best = p
		}
	}
	return best
}
