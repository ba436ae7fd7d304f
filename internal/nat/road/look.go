package road

import (
	"net/netip"
	"slices"
	"time"

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
	dial  bool // the dial-back is under way
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
		r.look.dial, r.look.until = true, now.Add(r.cfg.Patience)
		r.env.Send(f.via, &q)
	}
}

func (r *Road) onDialled(f *far, m *reach.Dialled) {
	if r.look.over || f.id != r.look.asked.ID {
		return
	}
	if !m.OK {
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

// lookBeat goes on when somebody has not answered in time.
func (r *Road) lookBeat(now machine.Time) {
	if r.look.over || now < r.look.until {
		return
	}
	if !r.look.dial {
		r.lookOn()
		return
	}
	seen, _ := r.reach.Addr(now)
	r.hide(machine.AddrFrom(seen))
}

// probing is a probe for a node that wants to be dialled back. It is sent more than
// once: the first may be sealed for who was at the address before, a node that has
// been killed and started again.
type probing struct {
	to   machine.Peer
	what reach.Probe
	next machine.Time
	left int
}

const (
	probeTimes = 3
	probeEvery = time.Second
)

// probeBeat sends the probes that are due.
func (r *Road) probeBeat(now machine.Time) {
	r.probes = slices.DeleteFunc(r.probes, func(p probing) bool { return p.left == 0 })
	for i := range r.probes {
		if p := &r.probes[i]; now >= p.next {
			p.next, p.left = now.Add(probeEvery), p.left-1
			what := p.what
			r.env.Send(p.to, &what)
		}
	}
}

// onAskBack lets another public node dial back who asks.
func (r *Road) onAskBack(f *far, m *reach.AskBack) {
	third := r.third(f)
	ok := third != nil && f.up
	if ok {
		var b reach.Back
		if b, ok = r.reach.Help(f.via.Addr.AddrPort().Addr(), *m, r.env.Now()); ok {
			r.env.Send(third.via, &b)
		}
	}
	if f.up {
		r.env.Send(f.via, &reach.Dialled{OK: ok})
	}
}

// third is a public node with a link to here, not always the same.
func (r *Road) third(not *far) *far {
	var all []*far
	for _, f := range r.order {
		if f != not && f.public() && f.via.Addr.AddrPort() != not.via.Addr.AddrPort() {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[r.env.Rand().Intn(len(all))]
}
