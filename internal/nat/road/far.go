package road

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// far is another node.
type far struct {
	id   id.ID
	addr machine.Addr // as it wants to be known; zero: not known
	name machine.Peer // as the node here knows the link
	via  machine.Peer // as the transport does
	// reached is where the node was last spoken to, if that is another address than
	// addr; zero: nowhere else, or it did not answer there.
	reached machine.Addr

	opening, up bool // the transport's link
	hello       bool // the other end has said how it is known
	want        bool // the node waits for the link
	linked      bool // the node has it
	heard       machine.Time
	used        machine.Time

	back struct { // whom this node has asked last to dial that one back
		third id.ID
		nonce uint64
	}

	search
	move
	circuit bool // there is one, at helper
	renewed machine.Time
	wait    []machine.Message // datagrams, until there is a way
}

const (
	maxFar  = 8192
	maxWait = 16
	// warm is how long a translator surely lets answers in.
	warm = 20 * time.Second
	// forget is when a node that has nothing to do with this one is forgotten.
	forget = 3 * time.Minute
	// unsure is how long a node must have been silent until a datagram goes to both of
	// its addresses.
	unsure = 5 * time.Second
	// every is how often linked nodes are asked for the time.
	every = 30 * time.Second
)

func (r *Road) meet(who id.ID) *far {
	f := r.far[who]
	if f == nil {
		f = &far{id: who, heard: r.env.Now()}
		r.far[who] = f
		r.order = append(r.order, f)
	}
	return f
}

// hear is meet for who says something: mostly several things, one after the other.
func (r *Road) hear(who id.ID) *far {
	if r.last == nil || r.last.id != who {
		r.last = r.meet(who)
	}
	return r.last
}

// public reports whether the node can help now.
func (f *far) public() bool { return f.up && f.hello && !Veiled(f.addr) }

// way is how the transport reaches a node now.
func (r *Road) way(f *far, addr machine.Addr) (machine.Peer, bool) {
	switch {
	case f.up:
		return f.via, true
	case f.circuit:
		return machine.Peer{ID: f.id, Addr: f.addr}, true
	case !Veiled(addr):
		if addr == f.addr && f.reached != (machine.Addr{}) {
			addr = f.reached
		}
		return machine.Peer{ID: f.id, Addr: addr}, true
	case !f.via.Addr.IsZero() && r.env.Now().Sub(f.heard) < warm:
		return f.via, true
	}
	return machine.Peer{}, false
}

// nodeEnv is what the node sees of the transport.
type nodeEnv struct{ r *Road }

func (e nodeEnv) Now() machine.Time                            { return e.r.env.Now() }
func (e nodeEnv) Rand() *rng.Rand                              { return e.r.env.Rand() }
func (e nodeEnv) SetTimer(at machine.Time, t machine.Timer)    { e.r.env.SetTimer(at, t) }
func (e nodeEnv) Do(queue string, tag uint64, job machine.Job) { e.r.env.Do(queue, tag, job) }

func (e nodeEnv) Send(to machine.Peer, m machine.Message) {
	r := e.r
	if to.Addr.IsZero() || to.ID.IsZero() {
		r.env.Send(to, m)
		return
	}
	f := r.meet(to.ID)
	f.used = r.env.Now()
	if _, loose := m.(machine.Datagram); loose {
		r.loose(f, to.Addr, m)
		return
	}
	if f.linked {
		to = f.via
	}
	r.env.Send(to, m)
}

// loose sends a datagram, once there is a way.
func (r *Road) loose(f *far, addr machine.Addr, m machine.Message) {
	via, ok := r.way(f, addr)
	if !ok {
		f.aim(addr)
		if len(f.wait) < maxWait {
			f.wait = append(f.wait, m)
		}
		r.find(f)
		return
	}
	if r.hidden {
		m = &relay.Veiled{Addr: r.self.Addr, Msg: m}
	}
	r.env.Send(via, m)
	if !f.up && via.Addr == f.reached && r.env.Now().Sub(f.heard) > unsure {
		r.env.Send(machine.Peer{ID: f.id, Addr: addr}, m)
	}
}

// aim notes the address that stands for a node.
func (f *far) aim(addr machine.Addr) {
	if stands(addr, f.id) && !f.hello {
		f.addr = addr
	}
}

func (e nodeEnv) Open(to machine.Peer) {
	r := e.r
	f := r.meet(to.ID)
	f.used = r.env.Now()
	if f.linked || f.want {
		return
	}
	f.name, f.want = to, true
	switch {
	case f.up && f.hello:
		r.env.Send(f.via, &relay.Link{Up: true})
		r.later = append(r.later, func() { r.linked(f) })
	case f.up || f.opening: // its hello is on its way
	default:
		f.aim(to.Addr)
		if via, ok := r.way(f, to.Addr); ok {
			r.open(f, via)
		} else {
			r.find(f)
		}
	}
}

func (r *Road) open(f *far, via machine.Peer) {
	f.via, f.opening = via, true
	r.env.Open(via)
}

func (e nodeEnv) Close(to machine.Peer) {
	r := e.r
	if to.Addr.IsZero() {
		r.env.Close(to)
		return
	}
	f := r.far[to.ID]
	if f == nil || f.name != to {
		return
	}
	f.linked, f.want = false, false
	switch {
	case f.up && f.hello && r.hidden != Veiled(f.addr): // it is how the hidden one is found
		r.env.Send(f.via, &relay.Link{})
	case f.up || f.opening:
		r.forgetMove(f)
		r.env.Close(f.via)
		r.down(f)
	}
}

// Backlog makes nodeEnv a machine.Backlogger.
func (e nodeEnv) Backlog(to machine.Peer) (waiting, limit int) {
	if to.Addr.IsZero() {
		return machine.Backlog(e.r.env, to) // a session
	}
	if f := e.r.far[to.ID]; f != nil && f.linked {
		to = f.via
	}
	return machine.Backlog(e.r.env, to)
}

// onLink follows the transport's links to other nodes.
func (r *Road) onLink(peer machine.Peer, ev machine.LinkEvent) {
	f := r.meet(peer.ID)
	if ev == machine.LinkUp {
		if f.relayed() && f.hello && f.old == (machine.Peer{}) && !Veiled(peer.Addr) {
			r.moveTo(f, peer)
			return
		}
		if f.up && f.via != peer { // a newer one by another way
			r.env.Close(f.via)
			r.lost(f, machine.LinkFailed)
		}
		if f.opening && f.via != peer {
			r.env.Close(f.via)
		}
		f.via, f.up, f.opening, f.heard = peer, true, false, r.env.Now()
		r.found(f)
		r.env.Send(peer, &reach.Seen{Addr: peer.Addr.AddrPort()})
		if !r.self.Addr.IsZero() {
			r.env.Send(peer, &relay.Hello{Addr: r.self.Addr})
		}
		return
	}
	if r.moveEnds(f, peer, ev) || f.via != peer || !f.up && !f.opening {
		return
	}
	if f.circuit && peer.Addr == f.addr && ev == machine.LinkFailed {
		r.endCircuit(f)
	}
	attempt := f.opening
	r.lost(f, ev)
	if attempt { // it is not there any more
		f.reached = machine.Addr{}
	}
	if attempt && !r.look.over && f.id == r.look.asked.ID {
		r.lookOn()
	}
}

// lost is when the transport has ended a link, or given it up.
func (r *Road) lost(f *far, ev machine.LinkEvent) {
	r.forgetMove(f)
	tell := f.linked || f.want
	f.linked, f.want = false, false
	if ev == machine.LinkFailed {
		f.via = machine.Peer{}
	}
	r.down(f)
	if tell && r.node != nil {
		r.later = append(r.later, func() { r.node.OnLink(f.name, ev) })
	}
}

func (r *Road) down(f *far) {
	f.up, f.opening, f.hello = false, false, false
}

func (r *Road) onHello(f *far, m *relay.Hello) {
	if !f.up || f.hello || m.Addr.IsZero() || Veiled(m.Addr) && !stands(m.Addr, f.id) {
		return
	}
	f.hello, f.addr = true, named(m.Addr, f.via.Addr)
	f.reached = machine.Addr{}
	if !Veiled(f.addr) && f.via.Addr != f.addr {
		f.reached = f.via.Addr
	}
	r.env.Send(f.via, &reach.Ping{Sent: r.env.Now()})
	if r.node != nil {
		r.linked(f)
	}
}

// linked tells the node that there is a link.
func (r *Road) linked(f *far) {
	if f.linked || !f.up || !f.hello {
		return
	}
	if !f.want {
		f.name = machine.Peer{ID: f.id, Addr: f.addr}
	}
	f.linked, f.want, f.used = true, false, r.env.Now()
	r.node.OnLink(f.name, machine.LinkUp)
}

// onUse is when the other end's node begins or ends to use a link that stays.
func (r *Road) onUse(f *far, up bool) {
	switch {
	case up && r.node != nil:
		r.linked(f)
	case !up && f.linked:
		f.linked = false
		r.node.OnLink(f.name, machine.LinkClosed)
	}
}

// onBeat looks after all that waits for something.
func (r *Road) onBeat() {
	now := r.env.Now()
	r.lookBeat(now)
	ping := now.Sub(r.pinged) >= every
	if ping {
		r.pinged = now
	}
	kept := r.order[:0]
	for _, f := range r.order {
		r.searchBeat(f, now)
		r.moveBeat(f, now)
		if ping && f.up {
			r.env.Send(f.via, &reach.Ping{Sent: now})
		}
		if !f.up && !f.opening && f.finding == idle && !f.circuit && now.Sub(max(f.heard, f.used)) > forget {
			delete(r.far, f.id)
			r.last = nil
			continue
		}
		kept = append(kept, f)
	}
	clear(r.order[len(kept):])
	r.order = kept
	if r.hidden {
		r.holdAnchors(now)
	}
}

func (r *Road) onPong(f *far, from machine.Peer, m *reach.Pong) {
	now := r.env.Now()
	if trip := now.Sub(m.Sent); r.cfg.Clock != nil && f.up && trip >= 0 && trip < time.Minute {
		r.cfg.Clock(f.id, m.Now.Sub(m.Sent.Add(trip/2)), trip)
	}
	if f.addr.IsZero() { // an anchor that was asked who it is
		f.addr = from.Addr
	}
}

// holdAnchors keeps links to public nodes: others find this one by them. Those
// that it has joined by come first.
func (r *Road) holdAnchors(now machine.Time) {
	if r.anchored() {
		return
	}
	links := 0
	for _, p := range r.cfg.Known {
		if f := r.meet(p.ID); p.ID != r.cfg.ID && !Veiled(p.Addr) {
			r.hold(f, p, now)
		}
	}
	for _, f := range r.order {
		if f.public() {
			links++
		}
	}
	for _, f := range r.order {
		if links < spareAnchors && !f.addr.IsZero() && !Veiled(f.addr) && r.hold(f, machine.Peer{ID: f.id, Addr: f.addr}, now) {
			return
		}
	}
}

// hold opens a link to a public node, not too often.
func (r *Road) hold(f *far, at machine.Peer, now machine.Time) bool {
	if f.up || f.opening || now < f.retry {
		return false
	}
	f.retry = now.Add(retryAfter)
	r.open(f, at)
	return true
}

// spareAnchors is how many links to public nodes a hidden node whose anchor is gone
// wants to have.
const spareAnchors = 3

// anchored reports whether there is a link to this node's anchor.
func (r *Road) anchored() bool {
	at := anchorOf(r.self.Addr)
	return slices.ContainsFunc(r.order, func(f *far) bool { return f.public() && (f.addr == at || f.via.Addr == at) })
}
