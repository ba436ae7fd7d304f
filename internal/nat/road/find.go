package road

import (
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
)

// search is the state of looking for a way to a node.
type search struct {
	finding stage
	helper  id.ID        // over whom
	tried   int          // helpers
	until   machine.Time // of this stage
	end     machine.Time // of the search
	retry   machine.Time // none before
	leads   bool         // this node has begun
	theirs  relay.Offer  // to be answered
}

type stage uint8

const (
	idle       stage = iota
	seeking          // for a helper
	calling          // the other node has been asked to open a link
	preparing        // an offer
	signalled        // waits for the answer
	answering        // prepares the answer
	connecting       // looks for a hole
	relaying         // waits for the other end to ask for the circuit
)

const (
	retryAfter   = 2 * time.Second
	callTime     = 4 * time.Second
	searchTime   = 30 * time.Second
	connectTime  = 20 * time.Second // Paths gives up before
	relayTime    = 15 * time.Second // the other end may still look for a hole
	renewCircuit = 15 * time.Second
	leaveCircuit = 2 * time.Minute // unused
)

// find looks for a way to a hidden node.
func (r *Road) find(f *far) {
	now := r.env.Now()
	if f.finding != idle {
		return
	}
	if now < f.retry || !stands(f.addr, f.id) || r.hidden && r.cfg.Paths == nil {
		r.fail(f)
		return
	}
	f.search = search{end: now.Add(searchTime), leads: true}
	r.seek(f)
}

// seek asks the next helper.
func (r *Road) seek(f *far) {
	now := r.env.Now()
	f.finding, f.until = seeking, now.Add(beat)
	h := r.nextHelper(f)
	if h == nil { // later once more from the first, which is then the anchor
		f.tried = 0
		r.reachAnchor(f)
		return
	}
	f.helper, f.until = h.id, now.Add(callTime)
	f.tried++
	if !r.hidden {
		f.finding = calling
		r.env.Send(h.via, &relay.Call{Peer: f.id, Addr: r.self.Addr})
		return
	}
	f.finding, f.until = preparing, now.Add(connectTime)
	r.cfg.Paths.Prepare(f.id, r.seen())
}

func (r *Road) seen() netip.AddrPort {
	a, _ := r.reach.Addr(r.env.Now())
	return a
}

// nextHelper is one that was not asked yet, the anchor of the wanted node first.
func (r *Road) nextHelper(f *far) *far {
	at := anchorOf(f.addr)
	var all []*far
	for _, h := range r.order {
		if h == f || !h.public() {
			continue
		}
		if h.addr == at || h.via.Addr == at {
			all = append([]*far{h}, all...)
		} else {
			all = append(all, h)
		}
	}
	if f.tried < len(all) {
		return all[f.tried]
	}
	return nil
}

// reachAnchor opens a link to the anchor of a wanted node, or asks who it is.
func (r *Road) reachAnchor(f *far) {
	at := anchorOf(f.addr)
	if at == r.self.Addr {
		return // that is this node: the other will come back
	}
	for _, h := range r.order {
		if h.addr != at {
			continue
		}
		if !h.up && !h.opening {
			r.open(h, machine.Peer{ID: h.id, Addr: at})
		}
		return
	}
	r.env.Send(machine.Peer{Addr: at}, &reach.Ping{Sent: r.env.Now()})
}

// searchBeat goes on where nobody has answered in time, and keeps circuits.
func (r *Road) searchBeat(f *far, now machine.Time) {
	if f.circuit {
		switch h := r.far[f.helper]; {
		case now.Sub(max(f.used, f.heard)) > leaveCircuit && !f.up:
			r.endCircuit(f)
		case now.Sub(f.renewed) > renewCircuit && h != nil && h.up:
			f.renewed = now
			r.env.Send(h.via, &relay.Open{Peer: f.id})
		}
	}
	if f.finding == idle || now < f.until {
		return
	}
	if f.circuit {
		r.stay(f)
		return
	}
	if now >= f.end {
		r.fail(f)
		return
	}
	r.giveUp(f)
	r.seek(f)
}

func (r *Road) giveUp(f *far) {
	if f.finding >= preparing {
		r.cfg.Paths.Drop(f.id)
	}
}

// fail is when there is no way.
func (r *Road) fail(f *far) {
	if f.finding != idle {
		r.giveUp(f)
		f.finding, f.retry = idle, r.env.Now().Add(retryAfter)
	}
	f.wait = nil
	if f.want {
		f.want = false
		r.later = append(r.later, func() { r.node.OnLink(f.name, machine.LinkFailed) })
	}
}

// found is when there is a way: what has waited goes.
func (r *Road) found(f *far) {
	if f.finding != idle {
		if f.finding != connecting { // the other end may still need the attempt
			r.giveUp(f)
		}
		f.finding = idle
	}
	wait := f.wait
	f.wait = nil
	for _, m := range wait {
		r.loose(f, f.addr, m)
	}
}

// onCall: to the helper, to be passed on; or a public node wants this one to come.
func (r *Road) onCall(h *far, m *relay.Call) {
	if !r.hidden {
		r.passOn(h, m.Peer, &relay.Call{Peer: h.id, Addr: h.addr})
		return
	}
	f := r.meet(m.Peer)
	if Veiled(m.Addr) || m.Addr.IsZero() || f.up || f.opening || !h.public() {
		return
	}
	r.open(f, machine.Peer{ID: m.Peer, Addr: m.Addr})
}

// passOn brings a message to a hidden node that has a link to here.
func (r *Road) passOn(from *far, to id.ID, m machine.Message) {
	t := r.far[to]
	if from.up && from.hello && t != nil && t.up && t.hello && Veiled(t.addr) {
		r.env.Send(t.via, m)
	} else if from.up {
		r.env.Send(from.via, &relay.Unable{Peer: to})
	}
}

func (r *Road) onUnable(h *far, m *relay.Unable) {
	f := r.far[m.Peer]
	if f == nil || f.helper != h.id {
		return
	}
	if f.circuit {
		r.endCircuit(f)
	}
	if f.finding == calling || f.finding == signalled || f.finding == relaying {
		f.until = r.env.Now() // the beat goes on with the next
	}
}

// onSignal: to the helper, to be passed on; or another hidden node looks for a
// way to here.
func (r *Road) onSignal(h *far, m *relay.Signal) {
	if !r.hidden {
		r.passOn(h, m.Peer, &relay.Signal{Peer: h.id, Addr: h.addr, Answer: m.Answer, Offer: m.Offer})
		return
	}
	if r.cfg.Paths == nil || !h.public() || !m.Offer.Sane() {
		return
	}
	f, now := r.meet(m.Peer), r.env.Now()
	if m.Answer {
		if f.finding == signalled && f.helper == h.id {
			f.finding, f.until = connecting, now.Add(connectTime)
			r.cfg.Paths.Connect(f.id, m.Offer, true)
		}
		return
	}
	if !stands(m.Addr, f.id) {
		return
	}
	if f.finding != idle && f.leads && less(r.cfg.ID, f.id) { // both have begun
		return
	}
	if f.circuit && f.helper != h.id { // it knows nothing of that any more
		r.endCircuit(f)
	}
	r.giveUp(f)
	f.aim(m.Addr)
	f.search = search{finding: answering, helper: h.id, theirs: m.Offer, until: now.Add(connectTime), end: now.Add(searchTime)}
	r.cfg.Paths.Prepare(f.id, r.seen())
}

func less(a, b id.ID) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// Prepared is the answer to Paths.Prepare.
func (r *Road) Prepared(peer id.ID, offer relay.Offer, err error) {
	f := r.far[peer]
	if f == nil || f.finding != preparing && f.finding != answering {
		return
	}
	h := r.far[f.helper]
	switch {
	case h == nil || !h.up:
		f.until = r.env.Now()
	case err != nil && f.circuit:
		r.stay(f)
	case err != nil:
		r.askCircuit(f)
	default:
		r.env.Send(h.via, &relay.Signal{Peer: peer, Answer: !f.leads, Offer: offer})
		if f.leads {
			f.finding, f.until = signalled, r.env.Now().Add(callTime)
		} else {
			f.finding, f.until = connecting, r.env.Now().Add(connectTime)
			r.cfg.Paths.Connect(peer, f.theirs, false)
		}
	}
	r.drain()
}

// Connected is the answer to Paths.Connect.
func (r *Road) Connected(peer id.ID, at netip.AddrPort, err error) {
	f := r.far[peer]
	if f == nil || f.finding != connecting {
		return
	}
	switch {
	case err != nil && f.circuit:
		r.stay(f)
		return
	case err != nil:
		r.askCircuit(f)
		r.drain()
		return
	case f.relayed():
		r.punched(f, machine.AddrFrom(at))
		r.drain()
		return
	case f.circuit:
		f.leave = r.env.Now().Add(leaveAfter)
	}
	r.stats.Punched++
	f.via, f.heard, f.finding = machine.Peer{ID: peer, Addr: machine.AddrFrom(at)}, r.env.Now(), idle
	r.arrive(f, f.via)
	r.drain()
}

// arrive opens a link by a new way, if this node has begun; it keeps the way open,
// and shows that it is one.
func (r *Road) arrive(f *far, via machine.Peer) {
	if f.leads && !f.up && !f.opening {
		r.open(f, via)
	}
	r.found(f)
}
