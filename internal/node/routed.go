package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/hall"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// onRouted takes a message for a part that is led here.
func (w *network) onRouted(f *farNode, m *Routed) {
	h := w.hosted(m.To)
	switch {
	case h == nil:
		w.tellWhere(f.peer, m.To)
		return
	case !h.leading:
		if l := h.leader(); l == (machine.Peer{}) || h.rep.Sleeps() {
			h.hold(f, m)
		} else {
			w.tellWhere(f.peer, m.To)
		}
		return
	}
	if m.Msg == nil {
		return
	}
	h.users[f.peer] = true
	u := upcall{to: m.To.peer(), from: m.From.peer(), m: m.Msg}
	if !m.Session.IsZero() {
		if !f.sessions[m.Session] && len(f.sessions) >= maxFarSessions {
			w.n.counts.Dropped++
			return
		}
		f.sessions[m.Session], f.played = true, w.n.env.Now()
		u.from = machine.Peer{ID: m.Session, Addr: tagOf(f.peer.ID)}
		if e, ok := m.Msg.(*hall.Enter); ok && !w.mayEnter(f, m.Session, e) {
			return
		}
		u.m = w.ofNode(f.peer.ID, m.Msg)
		if w.vouchFirst(m.To, u.from, u.m) {
			return
		}
	} else if _, ok := m.Msg.(*hall.Enter); ok || m.From == m.To || !m.From.inWorld() {
		w.n.counts.Dropped++ // what only sessions may say
		return
	} else if !w.speaksFor(f.peer, m.From) {
		w.doubt(f, m.From, func() { w.onRouted(f, m) })
		return
	} else {
		w.heardFor(f.peer, m.From)
		if v, ok := m.Msg.(*hall.Vouched); ok {
			if m.From.Hall {
				w.onVouched(v)
			}
			return
		}
	}
	if !m.Stone.ID.IsZero() && m.Stone.ID != w.cfg.Self.ID {
		w.meet(m.Stone)
	}
	w.n.push(u)
}

// maxDoubted bounds what waits for an answer about who leads its sender,
// maxDoubtedOf what waits of one node.
const (
	maxDoubted   = 64
	maxDoubtedOf = 256
)

// speaksFor reports whether a node is known to be a host of a part: only those
// may speak in its name.
func (w *network) speaksFor(p machine.Peer, part Part) bool {
	is := func(m machine.Peer) bool { return m.ID == p.ID }
	if h := w.hosts[part]; h != nil && slices.ContainsFunc(h.members(), is) {
		return true
	}
	r := w.routes[part]
	return r != nil && (is(r.leader) || slices.ContainsFunc(r.members, is))
}

// heardFor asks a host that speaks for a part, and is not known to lead it,
// whether it does: an answer would go to who led it before.
func (w *network) heardFor(p machine.Peer, part Part) {
	r, now := w.routes[part], w.n.env.Now()
	if r == nil || r.leader == p || r.leader == w.cfg.Self || w.hosts[part].knows(r.term) || now < r.heardFor {
		return
	}
	r.heardFor = now.Add(beat)
	w.n.env.Send(p, &Who{part})
}

// doubted is what a node has said in the name of a part that it may not host.
type doubted struct {
	from *farNode
	do   func()
	at   machine.Time
}

// doubt asks who hosts the part that a message is said to come from, and does then
// what it says.
func (w *network) doubt(f *farNode, from Part, do func()) {
	if w.routes[from] == nil && len(w.routes) >= maxRoutes {
		w.n.counts.Dropped++
		return
	}
	r := w.route(from)
	switch {
	case r.leader == w.cfg.Self || len(r.doubted) >= maxDoubted || f.doubted >= maxDoubtedOf:
		w.n.counts.Dropped++
		return
	case r.leader == machine.Peer{}:
		w.seek(r)
	default:
		w.askHosts(r, machine.Peer{}) // the leader that is known may be gone
	}
	f.doubted++
	r.doubted = append(r.doubted, doubted{f, do, w.n.env.Now()})
}

// takeDoubted takes what waits off the route.
func (r *route) takeDoubted() []doubted {
	waiting := r.doubted
	r.doubted = nil
	for _, x := range waiting {
		x.from.doubted--
	}
	return waiting
}

// trust takes in what was said in a part's name by those who host it. Who has
// just begun to may not be known yet to whom was asked first.
func (w *network) trust(r *route) {
	for _, x := range r.takeDoubted() {
		switch {
		case w.speaksFor(x.from.peer, r.part):
			x.do()
		case w.n.env.Now().Sub(x.at) < heldFor:
			x.from.doubted++
			r.doubted = append(r.doubted, x)
		default:
			w.n.counts.Dropped++
		}
	}
}
