package road

import (
	"net/netip"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
)

// look is how a node finds out how it is reached. It speaks to one node at a
// time: one that it has not spoken to must dial back.
type look struct {
	over  bool
	at    int // in Config.Known, of the next one
	asked machine.Peer
	spoke map[id.ID]bool
	until machine.Time
	dial  bool         // the dial-back is under way
	again machine.Time // when it is asked for once more; 0: it was
}

// lookOn asks the next node that is known.
func (r *Road) lookOn() {
	l := &r.look
	l.asked, l.dial = machine.Peer{}, false
	for l.at < len(r.cfg.Known) {
		p := r.cfg.Known[l.at]
		l.at++
		if p.ID == r.cfg.ID || p.Addr.IsZero() {
			continue
		}
		if l.spoke == nil {
			l.spoke = map[id.ID]bool{}
		}
		l.asked, l.spoke[p.ID], l.until = p, true, r.env.Now().Add(r.cfg.Patience)
		f := r.meet(p.ID)
		f.via, f.opening = p, true
		r.env.Open(p)
		return
	}
	r.believe()
}

// believe is when nobody can dial this node back. A router, or a machine that sees
// it at an address of its own, is believed; otherwise there is a translator
// between.
func (r *Road) believe() {
	seen, ok := r.reach.Addr(r.env.Now())
	local := r.cfg.Local.AddrPort()
	switch {
	case !ok && len(r.cfg.Known) == 0 && r.cfg.Opened.IsValid():
		r.settle(machine.AddrFrom(r.cfg.Opened))
	case !ok:
		r.settle(r.cfg.Local)
	case seen == r.cfg.Opened, seen.Port() == local.Port() && r.own(seen.Addr()):
		r.settle(machine.AddrFrom(seen))
	default:
		r.hide(machine.AddrFrom(seen))
	}
}

func (r *Road) own(a netip.Addr) bool {
	return a == r.cfg.Local.AddrPort().Addr() || r.cfg.Own != nil && r.cfg.Own(a)
}

// hide goes on as a hidden node, if that is possible.
func (r *Road) hide(seen machine.Addr) {
	anchor := r.look.asked.Addr
	if f := r.far[r.look.asked.ID]; f != nil && !f.addr.IsZero() {
		anchor = f.addr
	}
	if Veiled(anchor) { // that one is hidden itself: its own anchor will do
		anchor = anchorOf(anchor)
	}
	at, ok := Veil(r.cfg.ID, anchor.AddrPort())
	if !ok || r.cfg.Paths == nil {
		at = seen
	}
	r.settle(at)
}

func (r *Road) onSeen(f *far, m *reach.Seen) {
	now := r.env.Now()
	r.reach.Seen(f.id, f.via.Addr.AddrPort().Addr(), m.Addr, now)
	if r.look.over || f.id != r.look.asked.ID || r.look.dial {
		return
	}
	if q, ok := r.reach.Ask(r.env.Rand().Uint64(), now); ok {
		r.look.dial, r.look.until, r.look.again = true, now.Add(r.cfg.Patience), now.Add(r.cfg.Patience/2)
		r.env.Send(f.via, &q)
	}
}

func (r *Road) onDialled(f *far, m *reach.Dialled) {
	if r.look.over || f.id != r.look.asked.ID {
		return
	}
	if !m.OK && r.look.again != 0 {
		r.believe()
	}
}

// onProbe: a node that this one has never spoken to has reached it.
func (r *Road) onProbe(f *far, m *reach.Probe) {
	if r.look.spoke[f.id] || !r.reach.Probed(*m, r.env.Now()) || r.look.over {
		return
	}
	if at, ok := r.reach.Reachable(r.env.Now()); ok {
		r.settle(machine.AddrFrom(at))
	}
}

// lookBeat goes on when somebody has not answered in time. Who was to dial back may
// have just gone, so another is asked for before this node takes itself for hidden.
func (r *Road) lookBeat(now machine.Time) {
	l := &r.look
	if !l.over && l.dial && l.again != 0 && now >= l.again {
		l.again = 0
		if q, ok := r.reach.Again(now); ok {
			r.env.Send(r.meet(l.asked.ID).via, &q)
		}
	}
	if l.over || now < l.until {
		return
	}
	if !l.dial {
		r.lookOn()
		return
	}
	seen, _ := r.reach.Addr(now)
	r.hide(machine.AddrFrom(seen))
}

// onAskBack lets another public node dial back who asks.
func (r *Road) onAskBack(f *far, m *reach.AskBack) {
	third := r.third(f)
	ok := third != nil && f.up
	if ok {
		var b reach.Back
		if b, ok = r.reach.Help(f.via.Addr.AddrPort().Addr(), *m, r.env.Now()); ok {
			f.back.third, f.back.nonce = third.id, b.Nonce
			r.env.Send(third.via, &b)
		}
	}
	if f.up {
		r.env.Send(f.via, &reach.Dialled{OK: ok})
	}
}

// third is a public node with a link to here, not the same twice if there are others.
func (r *Road) third(not *far) *far {
	var all []*far
	for _, f := range r.order {
		if f != not && f.public() && f.via.Addr.AddrPort() != not.via.Addr.AddrPort() {
			all = append(all, f)
		}
	}
	if len(all) > 1 {
		all = slices.DeleteFunc(all, func(f *far) bool { return f.id == not.back.third })
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.env.Rand().Intn(len(all))]
}

// onBack sends a probe, for a node that another one helps.
func (r *Road) onBack(f *far, m *reach.Back) {
	if p, ok := r.reach.Dial(*m, r.env.Now()); ok && !r.hidden {
		r.env.Send(machine.Peer{Addr: machine.AddrFrom(m.Addr)}, &p)
	} else if f.up {
		r.env.Send(f.via, &reach.Undialled{Nonce: m.Nonce})
	}
}

// onUndialled tells who has asked that nobody dials it back.
func (r *Road) onUndialled(third *far, m *reach.Undialled) {
	for _, f := range r.order {
		if f.up && f.back.third == third.id && f.back.nonce == m.Nonce {
			r.env.Send(f.via, &reach.Dialled{})
		}
	}
}
