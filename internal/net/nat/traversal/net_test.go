package traversal

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// testNetwork is a few agents on a network in simulated time: every packet takes delay.
type testNetwork struct {
	*testing.T
	now   machine.Time
	rand  rng.Rand
	queue []event // by time
	sites []*site
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

func newTestNetwork(t *testing.T, seed uint64) *testNetwork {
	return &testNetwork{T: t, rand: rng.New(seed)}
}

func (w *testNetwork) after(d time.Duration, do func()) {
	e := event{w.now.Add(d), do}
	i, _ := slices.BinarySearchFunc(w.queue, e.at+1, func(q event, at machine.Time) int { return int(q.at - at) })
	w.queue = slices.Insert(w.queue, i, e)
}

func (w *testNetwork) run(d time.Duration) {
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

// site is a place where a node may live. A translator before it lets in only whom
// it has sent something to.
type site struct {
	*testNetwork
	self        machine.Peer // as seen from outside
	local       machine.Addr // what the node takes for its address; zero: the same
	translated  bool         // there is a translator
	sent        map[machine.Addr]bool
	incarnation int
	agent       *Agent // nil: nobody lives here
	links       []*testLink
	paths       *paths
	env         machine.Env            // the node's
	got         []string               // by the node's links
	events      []machine.LinkEvent    // of the node's links
	named       map[id.ID]machine.Peer // as the node knows those it has a link with
}

// testLink is one end of a link.
type testLink struct {
	peer   machine.Peer // the other end, as the agent here knows it
	site   *site
	remote *testLink // nil: not yet
}

func (w *testNetwork) site(at string, closed bool) *site {
	s := &site{testNetwork: w, translated: closed, self: machine.Peer{ID: id.Of([]byte(at)), Addr: addr(at)}}
	w.sites = append(w.sites, s)
	return s
}

// startNode lets a node live there that joins by others.
func (s *site) startNode(by ...*site) {
	s.incarnation++
	s.sent, s.links, s.got, s.events, s.named = map[machine.Addr]bool{}, nil, nil, nil, map[id.ID]machine.Peer{}
	s.paths = &paths{site: s, routes: map[machine.Addr]id.ID{}}
	c := Config{
		ID: s.self.ID, Local: s.self.Addr, Relays: true, Paths: s.paths,
		Own:  func(a netip.Addr) bool { return !s.translated && a == s.self.Addr.AddrPort().Addr() },
		Make: func(_ machine.Peer, env machine.Env) machine.Machine { s.env = env; return testNode{s} },
	}
	if s.local != (machine.Addr{}) {
		c.Local = s.local
	}
	if s.translated {
		c.Local = addr("192.168.0.1:1")
	}
	for _, b := range by {
		c.Known = append(c.Known, b.self)
	}
	s.agent = New(c, siteEnv{s})
	s.agent.Start()
}

// kill ends the node: nobody is told.
func (s *site) kill() { s.agent, s.incarnation = nil, s.incarnation+1 }

// deferred lets the node do something, if it still lives.
func (s *site) later(d time.Duration, do func()) {
	life := s.incarnation
	s.after(d, func() {
		if s.incarnation == life && s.agent != nil {
			do()
		}
	})
}

// next is who gets a packet from here that is sent to an address.
func (s *site) at(to machine.Addr) *site {
	s.sent[to] = true
	for _, o := range s.sites {
		if o.self.Addr == to && o.agent != nil && (!o.translated || o.sent[s.self.Addr]) {
			return o
		}
	}
	return nil
}

func (s *site) link(to machine.Peer) *testLink {
	for _, l := range s.links {
		if l.peer == to {
			return l
		}
	}
	return nil
}

func (s *site) cut(l *testLink) {
	s.links = slices.DeleteFunc(s.links, func(o *testLink) bool { return o == l })
}

// fails is when the agent hears that a link has failed.
func (s *site) fails(l *testLink) {
	if s.link(l.peer) == l {
		s.cut(l)
		s.agent.OnLink(l.peer, machine.LinkFailed)
	}
}

// siteEnv is what an agent sees of the network.
type siteEnv struct {
	*site
}

func (e siteEnv) Now() machine.Time              { return e.now }
func (e siteEnv) Rand() *rng.Rand                { return &e.rand }
func (e siteEnv) Do(string, uint64, machine.Job) {}
func (e siteEnv) SetTimer(at machine.Time, t machine.Timer) {
	e.later(at.Sub(e.now), func() { e.agent.OnTimer(t) })
}

func (e siteEnv) Send(to machine.Peer, m machine.Message) {
	s := e.site
	if _, loose := m.(machine.Datagram); loose {
		if peer, ok := s.paths.routes[to.Addr]; ok {
			s.agent.SendRelayed(peer, s.paths.pack(func(o *site) { o.agent.OnMessage(o.relayedPeer(s), m) }))
			return
		}
		if o := s.at(to.Addr); o != nil && (to.ID.IsZero() || to.ID == o.self.ID) {
			o.later(delay, func() { o.agent.OnMessage(s.self, m) })
		}
		return
	}
	if l := s.link(to); l != nil {
		s.carry(l, func(remote *testLink) { remote.site.agent.OnMessage(remote.peer, m) })
	}
}

// carry brings something to the other end of a link.
func (s *site) carry(l *testLink, do func(remote *testLink)) {
	if l.remote == nil {
		s.Errorf("%v sends to %v over a link that is not up", s.self, l.peer)
		return
	}
	remote := l.remote
	arrive := func() {
		if remote.site.agent != nil && remote.site.link(remote.peer) == remote {
			do(remote)
		}
	}
	if peer, ok := s.paths.routes[l.peer.Addr]; ok {
		s.agent.SendRelayed(peer, s.paths.pack(func(*site) { arrive() }))
		return
	}
	if IsRelayed(l.peer.Addr) {
		return // the allocation has gone
	}
	remote.site.later(delay, arrive)
}

func (e siteEnv) Open(to machine.Peer) {
	s := e.site
	if s.link(to) != nil {
		return
	}
	l := &testLink{peer: to, site: s}
	s.links = append(s.links, l)
	s.later(dead, func() {
		if l.remote == nil {
			s.fails(l)
		}
	})
	if peer, ok := s.paths.routes[to.Addr]; ok {
		s.agent.SendRelayed(peer, s.paths.pack(func(o *site) { o.accept(l, o.relayedPeer(s)) }))
		return
	}
	if o := s.at(to.Addr); o != nil && o.self.ID == to.ID {
		o.sent[s.self.Addr] = true
		o.later(delay, func() { o.accept(l, s.self) })
	}
}

// accept ends the opening of a link. One to the same place from before fails.
func (o *site) accept(from *testLink, as machine.Peer) {
	if old := o.link(as); old != nil {
		o.fails(old)
	}
	l := &testLink{peer: as, site: o, remote: from}
	o.links = append(o.links, l)
	s := from.site
	if _, ok := o.paths.routes[as.Addr]; ok {
		o.agent.SendRelayed(s.self.ID, o.paths.pack(func(*site) { s.opened(from, l) }))
	} else {
		s.later(delay, func() { s.opened(from, l) })
	}
	o.watch(l)
	o.agent.OnLink(as, machine.LinkUp)
}

func (s *site) opened(l, remote *testLink) {
	if s.link(l.peer) == l && l.remote == nil {
		l.remote = remote
		s.watch(l)
		s.agent.OnLink(l.peer, machine.LinkUp)
	}
}

// watch looks whether the other end is still there.
func (s *site) watch(l *testLink) {
	s.later(dead, func() {
		switch remote := l.remote.site; {
		case s.link(l.peer) != l:
		case remote.agent == nil || remote.link(l.remote.peer) != l.remote:
			s.fails(l)
		default:
			s.watch(l)
		}
	})
}

func (e siteEnv) Close(to machine.Peer) {
	if l := e.link(to); l != nil {
		if l.remote != nil {
			e.carry(l, func(remote *testLink) {
				remote.site.cut(remote)
				remote.site.agent.OnLink(remote.peer, machine.LinkClosed)
			})
		}
		e.cut(l)
	}
}

// testNode is the node: it notes what it hears.
type testNode struct{ *site }

// linkMessage is what nodes say to each other in these tests, over a link; loose is the
// same by a datagram.
type (
	linkMessage     string
	datagramMessage string
)

func (datagramMessage) Datagram() {}

func (r testNode) Start()                    {}
func (r testNode) OnTimer(machine.Timer)     {}
func (r testNode) OnDone(uint64, any, error) {}
func (r testNode) OnMessage(from machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case linkMessage:
		r.got = append(r.got, string(m))
	case datagramMessage:
		r.got = append(r.got, string(m))
	}
}
func (r testNode) OnLink(p machine.Peer, ev machine.LinkEvent) {
	r.events = append(r.events, ev)
	r.named[p.ID] = p
}

// paths finds holes where the test says that there are some.
type paths struct {
	*site
	routes map[machine.Addr]id.ID
	holes  bool
	tried  []machine.Time
	packs  []func(*site)
}

// relayedPeer is how a node is named here that is reached over an allocation.
func (s *site) relayedPeer(o *site) machine.Peer {
	return machine.Peer{ID: o.self.ID, Addr: o.agent.Stats().Self.Addr}
}

// pack is a packet that does something where it arrives.
func (p *paths) pack(do func(*site)) []byte {
	p.packs = append(p.packs, do)
	return fmt.Appendf(nil, "%s %d", p.self.ID, len(p.packs)-1)
}

func (p *paths) Deliver(b []byte, _ machine.Addr) {
	for _, s := range p.sites {
		var n int
		if _, err := fmt.Sscanf(string(b), s.self.ID.String()+" %d", &n); err == nil {
			s.paths.packs[n](p.site)
		}
	}
}

func (p *paths) Gather(peer id.ID, _ netip.AddrPort) {
	p.tried = append(p.tried, p.now)
	p.later(0, func() {
		p.agent.OnGathered(peer, Offer{Ufrag: "name", Password: "a secret of twenty-two"}, nil)
	})
}

func (p *paths) Check(peer id.ID, _ Offer, _ bool) {
	p.later(time.Second, func() {
		for _, o := range p.sites {
			if o.self.ID == peer {
				var err error
				if p.sent[o.self.Addr] = p.holes; !p.holes {
					err = fmt.Errorf("there is no hole")
				}
				p.agent.OnChecked(peer, o.self.Addr.AddrPort(), err)
			}
		}
	})
}

func (p *paths) Cancel(id.ID)                      {}
func (p *paths) Route(peer id.ID, at machine.Addr) { p.routes[at] = peer }
func (p *paths) Unroute(peer id.ID) {
	for at, who := range p.routes {
		if who == peer {
			delete(p.routes, at)
		}
	}
}
