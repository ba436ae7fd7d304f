package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/records"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
)

// tellParts tells the regions led here that another part has a new host: they
// say again what the one before knew.
func (w *network) tellParts(p Part) {
	for _, q := range w.n.awake {
		if q.hall || !p.Hall && !besides(q.pos.X-p.Region.X, q.pos.Z-p.Region.Z) {
			continue
		}
		w.n.push(upcall{to: q.peer, from: p.peer(), m: &region.NewHost{Region: p.Region}})
	}
}

func besides(dx, dz int32) bool {
	return max(dx, -dx, dz, -dz) == 1
}

// tellWhere answers who asks for a part.
func (w *network) tellWhere(to machine.Peer, p Part) {
	out := &Elsewhere{Part: p}
	h, r := w.hosted(p), w.routes[p]
	if h != nil {
		out.Leader, out.Members, out.Term = h.leader(), h.members(), h.term()
	}
	if r != nil && r.leader != w.cfg.Self && (h == nil || r.leader != (machine.Peer{}) && !h.knows(r.term)) {
		out.Leader, out.Members, out.Term = r.leader, r.members, r.term
	}
	w.tell(to, out)
}

func (w *network) onWho(f *farNode, m *Who) {
	if h := w.hosted(m.Part); h != nil {
		h.rouse()
	}
	w.tellWhere(f.peer, m.Part)
}

// onElsewhere learns where a part is led. What is older than what is known is
// not believed.
func (w *network) onElsewhere(f *farNode, m *Elsewhere) {
	r := w.routes[m.Part]
	if r == nil || len(m.Members) > records.MaxHosts || !r.trusts(f.peer) {
		return
	}
	knows := w.hosted(m.Part).knows(max(m.Term, r.term))
	if m.Term < r.term {
		if !knows && r.leader.ID == f.peer.ID && m.Leader.ID != f.peer.ID {
			w.lose(r) // it has left the group, and knows nothing of the part any more
		}
		return
	}
	switch m.Leader.ID {
	case id.ID{}:
		if len(m.Members) > 0 && !knows {
			r.members = m.Members
		}
		if r.leader.ID == f.peer.ID {
			w.lose(r)
		}
		return
	case w.cfg.Self.ID:
		return // not any more
	}
	if knows {
		return
	}
	if m.Term > r.term || r.leader == (machine.Peer{}) || r.leader.ID == f.peer.ID {
		w.found(r, m.Leader, m.Members, m.Term)
	}
}
