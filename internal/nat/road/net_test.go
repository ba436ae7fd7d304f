package road

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// town is a few roads on a network in simulated time: every packet takes delay.
type town struct {
	*testing.T
	now    machine.Time
	rand   rng.Rand
	queue  []event // by time
	houses []*house
}

type event struct {
	at machine.Time
	do func()
}

const (
	delay = 20 * time.Millisecond
	// dead is after how long a link fails whose other end says nothing more.
	dead = 3 * time.Second
)

func newTown(t *testing.T, seed uint64) *town {
	return &town{T: t, rand: rng.New(seed)}
}

func (w *town) after(d time.Duration, do func()) {
	e := event{w.now.Add(d), do}
	i, _ := slices.BinarySearchFunc(w.queue, e.at+1, func(q event, at machine.Time) int { return int(q.at - at) })
	w.queue = slices.Insert(w.queue, i, e)
}

func (w *town) run(d time.Duration) {
	for end := w.now.Add(d); ; {
		if len(w.queue) == 0 || w.queue[0].at > end {
			w.now = end
			return
		}
		e := w.queue[0]
		w.queue = w.queue[1:]
		w.now = e.at
		e.do()
	}
}

// house is a place where a node may live. A translator before it lets in only whom
// it has sent something to.
type house struct {
	*town
	self   machine.Peer // as seen from outside
	local  machine.Addr // what the node takes for its address; zero: the same
	closed bool         // there is a translator
	sent   map[machine.Addr]bool
	life   int
	road   *Road // nil: nobody lives here
	links  []*line
	paths  *paths
	env    machine.Env            // the node's
	got    []string               // by the node's links
	events []machine.LinkEvent    // of the node's links
	named  map[id.ID]machine.Peer // as the node knows those it has a link with
}

// line is one end of a link.
type line struct {
	peer  machine.Peer // the other end, as the road here knows it
	house *house
	far   *line // nil: not yet
}

func (w *town) house(at string, closed bool) *house {
	h := &house{town: w, closed: closed, self: machine.Peer{ID: id.Of([]byte(at)), Addr: addr(at)}}
	w.houses = append(w.houses, h)
	return h
}

// settle lets a node live there that joins by others.
func (h *house) settle(by ...*house) {
	h.life++
	h.sent, h.links, h.got, h.events, h.named = map[machine.Addr]bool{}, nil, nil, nil, map[id.ID]machine.Peer{}
	h.paths = &paths{house: h, routes: map[machine.Addr]id.ID{}}
	c := Config{
		ID: h.self.ID, Local: h.self.Addr, Relays: true, Paths: h.paths,
		Own:  func(a netip.Addr) bool { return !h.closed && a == h.self.Addr.AddrPort().Addr() },
		Make: func(_ machine.Peer, env machine.Env) machine.Machine { h.env = env; return resident{h} },
	}
	if h.local != (machine.Addr{}) {
		c.Local = h.local
	}
	if h.closed {
		c.Local = addr("192.168.0.1:1")
	}
	for _, b := range by {
		c.Known = append(c.Known, b.self)
	}
	h.road = New(c, houseEnv{h})
	h.road.Start()
}

// kill ends the node: nobody is told.
func (h *house) kill() { h.road, h.life = nil, h.life+1 }

// later lets the node do something, if it still lives.
func (h *house) later(d time.Duration, do func()) {
	life := h.life
	h.after(d, func() {
		if h.life == life && h.road != nil {
			do()
		}
	})
}

// at is who gets a packet from here that is sent to an address.
func (h *house) at(to machine.Addr) *house {
	h.sent[to] = true
	for _, o := range h.houses {
		if o.self.Addr == to && o.road != nil && (!o.closed || o.sent[h.self.Addr]) {
			return o
		}
	}
	return nil
}

func (h *house) line(to machine.Peer) *line {
	for _, l := range h.links {
		if l.peer == to {
			return l
		}
	}
	return nil
}

func (h *house) cut(l *line) {
	h.links = slices.DeleteFunc(h.links, func(o *line) bool { return o == l })
}

// fails is when the road hears that a link has failed.
func (h *house) fails(l *line) {
	if h.line(l.peer) == l {
		h.cut(l)
		h.road.OnLink(l.peer, machine.LinkFailed)
	}
}

// houseEnv is what a road sees of the network.
type houseEnv struct {
	*house
}

func (e houseEnv) Now() machine.Time              { return e.now }
func (e houseEnv) Rand() *rng.Rand                { return &e.rand }
func (e houseEnv) Do(string, uint64, machine.Job) {}
func (e houseEnv) SetTimer(at machine.Time, t machine.Timer) {
	e.later(at.Sub(e.now), func() { e.road.OnTimer(t) })
}

func (e houseEnv) Send(to machine.Peer, m machine.Message) {
	h := e.house
	if _, loose := m.(machine.Datagram); loose {
		if peer, ok := h.paths.routes[to.Addr]; ok {
			h.road.Out(peer, h.paths.pack(func(o *house) { o.road.OnMessage(o.veiled(h), m) }))
			return
		}
		if o := h.at(to.Addr); o != nil && (to.ID.IsZero() || to.ID == o.self.ID) {
			o.later(delay, func() { o.road.OnMessage(h.self, m) })
		}
		return
	}
	if l := h.line(to); l != nil {
		h.carry(l, func(far *line) { far.house.road.OnMessage(far.peer, m) })
	}
}

// carry brings something to the other end of a link.
func (h *house) carry(l *line, do func(far *line)) {
	if l.far == nil {
		h.Errorf("%v sends to %v over a link that is not up", h.self, l.peer)
		return
	}
	far := l.far
	arrive := func() {
		if far.house.road != nil && far.house.line(far.peer) == far {
			do(far)
		}
	}
	if peer, ok := h.paths.routes[l.peer.Addr]; ok {
		h.road.Out(peer, h.paths.pack(func(*house) { arrive() }))
		return
	}
	if Veiled(l.peer.Addr) {
		return // the circuit has gone
	}
	far.house.later(delay, arrive)
}

func (e houseEnv) Open(to machine.Peer) {
	h := e.house
	if h.line(to) != nil {
		return
	}
	l := &line{peer: to, house: h}
	h.links = append(h.links, l)
	h.later(dead, func() {
		if l.far == nil {
			h.fails(l)
		}
	})
	if peer, ok := h.paths.routes[to.Addr]; ok {
		h.road.Out(peer, h.paths.pack(func(o *house) { o.accept(l, o.veiled(h)) }))
		return
	}
	if o := h.at(to.Addr); o != nil && o.self.ID == to.ID {
		o.sent[h.self.Addr] = true
		o.later(delay, func() { o.accept(l, h.self) })
	}
}

// accept ends the opening of a link. One to the same place from before fails.
func (o *house) accept(from *line, as machine.Peer) {
	if old := o.line(as); old != nil {
		o.fails(old)
	}
	l := &line{peer: as, house: o, far: from}
	o.links = append(o.links, l)
	h := from.house
	if _, ok := o.paths.routes[as.Addr]; ok {
		o.road.Out(h.self.ID, o.paths.pack(func(*house) { h.opened(from, l) }))
	} else {
		h.later(delay, func() { h.opened(from, l) })
	}
	o.watch(l)
	o.road.OnLink(as, machine.LinkUp)
}

func (h *house) opened(l, far *line) {
	if h.line(l.peer) == l && l.far == nil {
		l.far = far
		h.watch(l)
		h.road.OnLink(l.peer, machine.LinkUp)
	}
}

// watch looks whether the other end is still there.
func (h *house) watch(l *line) {
	h.later(dead, func() {
		switch far := l.far.house; {
		case h.line(l.peer) != l:
		case far.road == nil || far.line(l.far.peer) != l.far:
			h.fails(l)
		default:
			h.watch(l)
		}
	})
}

func (e houseEnv) Close(to machine.Peer) {
	if l := e.line(to); l != nil {
		if l.far != nil {
			e.carry(l, func(far *line) {
				far.house.cut(far)
				far.house.road.OnLink(far.peer, machine.LinkClosed)
			})
		}
		e.cut(l)
	}
}

// resident is the node: it notes what it hears.
type resident struct{ *house }

// word is what nodes say to each other in these tests, over a link; loose is the
// same by a datagram.
type (
	word  string
	loose string
)

func (loose) Datagram() {}

func (r resident) Start()                    {}
func (r resident) OnTimer(machine.Timer)     {}
func (r resident) OnDone(uint64, any, error) {}
func (r resident) OnMessage(from machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case word:
		r.got = append(r.got, string(m))
	case loose:
		r.got = append(r.got, string(m))
	}
}
func (r resident) OnLink(p machine.Peer, ev machine.LinkEvent) {
	r.events = append(r.events, ev)
	r.named[p.ID] = p
}

// paths finds holes where the test says that there are some.
type paths struct {
	*house
	routes map[machine.Addr]id.ID
	holes  bool
	tried  []machine.Time
	packs  []func(*house)
}

// veiled is how a node is named here that is reached over a circuit.
func (h *house) veiled(o *house) machine.Peer {
	return machine.Peer{ID: o.self.ID, Addr: o.road.Stats().Self.Addr}
}

// pack is a packet that does something where it arrives.
func (p *paths) pack(do func(*house)) []byte {
	p.packs = append(p.packs, do)
	return fmt.Appendf(nil, "%s %d", p.self.ID, len(p.packs)-1)
}

func (p *paths) Deliver(b []byte, _ machine.Addr) {
	for _, h := range p.houses {
		var n int
		if _, err := fmt.Sscanf(string(b), h.self.ID.String()+" %d", &n); err == nil {
			h.paths.packs[n](p.house)
		}
	}
}

func (p *paths) Prepare(peer id.ID, _ netip.AddrPort) {
	p.tried = append(p.tried, p.now)
	p.later(0, func() {
		p.road.Prepared(peer, relay.Offer{Name: "name", Secret: "a secret of twenty-two"}, nil)
	})
}

func (p *paths) Connect(peer id.ID, _ relay.Offer, _ bool) {
	p.later(time.Second, func() {
		for _, o := range p.houses {
			if o.self.ID == peer {
				var err error
				if p.sent[o.self.Addr] = p.holes; !p.holes {
					err = fmt.Errorf("there is no hole")
				}
				p.road.Connected(peer, o.self.Addr.AddrPort(), err)
			}
		}
	})
}

func (p *paths) Drop(id.ID)                        {}
func (p *paths) Route(peer id.ID, at machine.Addr) { p.routes[at] = peer }
func (p *paths) Unroute(peer id.ID) {
	for at, who := range p.routes {
		if who == peer {
			delete(p.routes, at)
		}
	}
}
