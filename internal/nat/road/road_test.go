package road

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
)

// fake is a transport that only notes, and a node that only listens.
type fake struct {
	now    machine.Time
	rand   rng.Rand
	sent   []any
	opened []machine.Peer
	links  []machine.Peer
	heard  []machine.Message
}

func (e *fake) Now() machine.Time                      { return e.now }
func (e *fake) Rand() *rng.Rand                        { return &e.rand }
func (e *fake) Send(_ machine.Peer, m machine.Message) { e.sent = append(e.sent, m) }
func (e *fake) SetTimer(machine.Time, machine.Timer)   {}
func (e *fake) Open(to machine.Peer)                   { e.opened = append(e.opened, to) }
func (e *fake) Close(machine.Peer)                     {}
func (e *fake) Do(string, uint64, machine.Job)         {}

func (e *fake) Start()                                      {}
func (e *fake) OnMessage(_ machine.Peer, m machine.Message) { e.heard = append(e.heard, m) }
func (e *fake) OnTimer(machine.Timer)                       {}
func (e *fake) OnLink(p machine.Peer, ev machine.LinkEvent) { e.links = append(e.links, p) }
func (e *fake) OnDone(uint64, any, error)                   {}

func addr(s string) machine.Addr { return machine.AddrFrom(netip.MustParseAddrPort(s)) }

func start(e *fake, c Config) *Road {
	c.ID, c.Local = id.Of([]byte("me")), addr("192.168.0.1:1")
	c.Make = func(machine.Peer, machine.Env) machine.Machine { return e }
	r := New(c, e)
	r.Start()
	return r
}

// TestVeil: the address that stands for a hidden node says who and where its
// anchor is, and stands for nobody else.
func TestVeil(t *testing.T) {
	a, b := id.Of([]byte("a")), id.Of([]byte("b"))
	at, ok := Veil(a, netip.MustParseAddrPort("1.2.3.4:4747"))
	if !ok || !Veiled(at) || !stands(at, a) || stands(at, b) || anchorOf(at) != addr("1.2.3.4:4747") {
		t.Errorf("%v: %v", at, ok)
	}
	if _, ok := Veil(a, netip.MustParseAddrPort("[2001:db8::1]:1")); ok {
		t.Error("an IPv6 address does not fit")
	}
	if Veiled(addr("1.2.3.4:5")) || Veiled(machine.Addr{}) {
		t.Error("an address of this world stands for somebody")
	}
}

// TestClock: what a linked node says of its clock is passed on.
func TestClock(t *testing.T) {
	e := &fake{now: 1000}
	other := machine.Peer{ID: id.Of([]byte("other")), Addr: addr("1.2.3.4:5")}
	var ahead, trip time.Duration
	r := start(e, Config{Clock: func(_ id.ID, a, t time.Duration) { ahead, trip = a, t }})
	r.OnLink(other, machine.LinkUp)
	r.OnMessage(other, &relay.Hello{Addr: other.Addr})
	ping, ok := e.sent[len(e.sent)-1].(*reach.Ping)
	if !ok || ping.Sent != 1000 || len(e.links) != 1 {
		t.Fatalf("sent %v, links %v", e.sent, e.links)
	}
	e.now = 1200
	r.OnMessage(other, &reach.Pong{Sent: 1000, Now: 6100})
	if ahead != 5000 || trip != 200 {
		t.Errorf("%v ahead, %v there and back", ahead, trip)
	}
}

// TestFalseVeil: nobody speaks as a hidden node that is not himself.
func TestFalseVeil(t *testing.T) {
	e := &fake{}
	r := start(e, Config{})
	other := machine.Peer{ID: id.Of([]byte("other")), Addr: addr("1.2.3.4:5")}
	mine, _ := Veil(other.ID, netip.MustParseAddrPort("9.9.9.9:9"))
	his, _ := Veil(id.Of([]byte("victim")), netip.MustParseAddrPort("9.9.9.9:9"))
	r.OnMessage(other, &relay.Veiled{Addr: his, Msg: &reach.Ping{}})
	if len(e.heard) != 0 {
		t.Error("heard as another")
	}
	r.OnMessage(other, &relay.Veiled{Addr: mine, Msg: &relay.Open{}})
	if len(e.heard) != 0 {
		t.Error("a message that needs a link came without one")
	}
	r.OnMessage(other, &relay.Veiled{Addr: mine, Msg: &reach.Ping{}})
	if len(e.heard) != 1 {
		t.Error("not heard")
	}
	r.OnLink(other, machine.LinkUp)
	r.OnMessage(other, &relay.Hello{Addr: his})
	if len(e.links) != 0 {
		t.Error("linked as another")
	}
}

// TestRefusedCircuit: a node that gives none says so.
func TestRefusedCircuit(t *testing.T) {
	for _, gives := range []bool{true, false} {
		e := &fake{}
		r := start(e, Config{Relays: gives})
		var two [2]machine.Peer
		for i, name := range []string{"a", "b"} {
			two[i] = machine.Peer{ID: id.Of([]byte(name)), Addr: addr("1.2.3.4:5")}
			at, _ := Veil(two[i].ID, netip.MustParseAddrPort("192.168.0.1:1"))
			r.OnLink(two[i], machine.LinkUp)
			r.OnMessage(two[i], &relay.Hello{Addr: at})
		}
		r.OnMessage(two[0], &relay.Open{Peer: two[1].ID})
		e.sent = nil
		r.OnMessage(two[1], &relay.Open{Peer: two[0].ID})
		opens, unable := 0, 0
		for _, m := range e.sent {
			switch m.(type) {
			case *relay.Open:
				opens++
			case *relay.Unable:
				unable++
			}
		}
		if gives && (opens != 2 || unable != 0) || !gives && (opens != 0 || unable != 1) {
			t.Errorf("gives circuits: %v; opened %d, refused %d", gives, opens, unable)
		}
	}
}
