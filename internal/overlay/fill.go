package overlay

import "github.com/voxelpopuli/voxelpopuli/internal/geom"

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
func (n *Node) fillAll() {
	for _, e := range n.table.entries {
		if e != nil {
			e.lost = n.env.Now()
			n.request(e)
		}
	}
}

// request asks for an entry over all zones (thesis 4.5.5): in each zone by way
// of the place that mirrors the target, so that the paths stay apart until their
// last jump. In the target's zone it goes there directly; in the own zone the
// mirrored place would be this node itself, so the nearest neighbour stands in.
func (n *Node) request(e *entry) {
	s := n.cfg.Space
	to := n.goal(e)
	home, goal := s.Zone(n.self.Pos), s.Zone(to)
	for zone := range s.Zones() {
		m := &RtRequest{Route: Route{Origin: n.self, Seq: n.nextSeq(), Dest: to}}
		switch {
		case zone == goal:
		case zone == home:
			if m.HasVia = len(n.neighbours) > 0; m.HasVia {
				m.Via = n.nearestNeighbour().Pos
			}
		default:
			m.Via, m.HasVia = s.Mirror(to, zone), true
		}
		n.originate(m)
	}
}

func (n *Node) nearestNeighbour() *peer {
	best := n.neighbours[0]
	for _, p := range n.neighbours[1:] {
		if closer(n.self.Pos, p.Contact, best.Contact) {
			best = p
		}
	}
	return best
}

func (n *Node) onRtRequest(m *RtRequest) {
	if m.Handed {
		n.receiveRtRequest(m)
		return
	}
	n.forward(m)
}

// receiveRtRequest answers as the node nearest to the target. Near the border of
// a zone that node may be in another one, useless for the entry (thesis 4.5.3,
// 4.5.4: "lower level entries might still be empty"). Then its neighbour in the
// right zone, if there is one, is handed the request.
func (n *Node) receiveRtRequest(m *RtRequest) {
	if m.Origin.ID == n.self.ID {
		return
	}
	n.hint(m.Origin)
	if p := n.inZoneOf(m); p != nil {
		handed := *m
		handed.Hops++
		handed.Handed = true
		n.env.Send(p.peer, &handed)
		return
	}
	n.direct(m.Origin, &RtResponse{From: n.self, Target: m.Dest})
}

// inZoneOf returns the neighbour that fits the request's entry and is nearest to
// the target, if this node does not fit it itself.
func (n *Node) inZoneOf(m *RtRequest) (best *peer) {
	s := n.cfg.Space
	want, ok := s.SlotOf(m.Origin.Pos, m.Dest)
	if own, fits := s.SlotOf(m.Origin.Pos, n.self.Pos); !ok || m.Handed || fits && own == want {
		return nil
	}
	for _, p := range n.neighbours {
		if slot, fits := s.SlotOf(m.Origin.Pos, p.Pos); fits && slot == want &&
			p.ID != m.Origin.ID && (best == nil || closer(m.Dest, p.Contact, best.Contact)) {
			best = p
		}
	}
	return best
}
