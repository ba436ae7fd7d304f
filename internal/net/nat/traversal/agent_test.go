package traversal

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
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

func start(e *fake, c Config) *Agent {
	c.ID, c.Local = id.Of([]byte("me")), addr("192.168.0.1:1")
	c.Make = func(machine.Peer, machine.Env) machine.Machine { return e }
	a := New(c, e)
	a.Start()
	return a
}

// TestRelayedAddress: the address that stands for a hidden node says who and where its
// home relay is, and stands for nobody else.
func TestRelayedAddress(t *testing.T) {
	a, b := id.Of([]byte("a")), id.Of([]byte("b"))
	at, ok := RelayedAddr(a, netip.MustParseAddrPort("1.2.3.4:4747"))
	if !ok || !IsRelayed(at) || !isRelayedAddrOf(at, a) || isRelayedAddrOf(at, b) || homeRelayOf(at) != addr("1.2.3.4:4747") {
		t.Errorf("%v: %v", at, ok)
	}
	if _, ok := RelayedAddr(a, netip.MustParseAddrPort("[2001:db8::1]:1")); ok {
		t.Error("an IPv6 address does not fit")
	}
	if IsRelayed(addr("1.2.3.4:5")) || IsRelayed(machine.Addr{}) {
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
	r.OnMessage(other, &Hello{Addr: other.Addr})
	ping, ok := e.sent[len(e.sent)-1].(*Ping)
	if !ok || ping.Sent != 1000 || len(e.links) != 1 {
		t.Fatalf("sent %v, links %v", e.sent, e.links)
	}
	e.now = 1200
	r.OnMessage(other, &Pong{Sent: 1000, Now: 6100})
	if ahead != 5000 || trip != 200 {
		t.Errorf("%v ahead, %v there and back", ahead, trip)
	}
}

// TestFalseRelayedAddressRefused: nobody speaks as a hidden node that is not himself.
func TestFalseRelayedAddressRefused(t *testing.T) {
	e := &fake{}
	a := start(e, Config{})
	other := machine.Peer{ID: id.Of([]byte("other")), Addr: addr("1.2.3.4:5")}
	mine, _ := RelayedAddr(other.ID, netip.MustParseAddrPort("9.9.9.9:9"))
	his, _ := RelayedAddr(id.Of([]byte("victim")), netip.MustParseAddrPort("9.9.9.9:9"))
	a.OnMessage(other, &AddressedDatagram{Addr: his, Msg: &Ping{}})
	if len(e.heard) != 0 {
		t.Error("heard as another")
	}
	a.OnMessage(other, &AddressedDatagram{Addr: mine, Msg: &Allocate{}})
	if len(e.heard) != 0 {
		t.Error("a message that needs a link came without one")
	}
	a.OnMessage(other, &AddressedDatagram{Addr: mine, Msg: &Ping{}})
	if len(e.heard) != 1 {
		t.Error("not heard")
	}
	a.OnLink(other, machine.LinkUp)
	a.OnMessage(other, &Hello{Addr: his})
	if len(e.links) != 0 {
		t.Error("linked as another")
	}
}

// TestAllocationRefused: a node that gives none says so.
func TestAllocationRefused(t *testing.T) {
	for _, gives := range []bool{true, false} {
		e := &fake{}
		a := start(e, Config{Relays: gives})
		var two [2]machine.Peer
		for i, name := range []string{"a", "b"} {
			two[i] = machine.Peer{ID: id.Of([]byte(name)), Addr: addr("1.2.3.4:5")}
			at, _ := RelayedAddr(two[i].ID, netip.MustParseAddrPort("192.168.0.1:1"))
			a.OnLink(two[i], machine.LinkUp)
			a.OnMessage(two[i], &Hello{Addr: at})
		}
		a.OnMessage(two[0], &Allocate{Peer: two[1].ID})
		e.sent = nil
		a.OnMessage(two[1], &Allocate{Peer: two[0].ID})
		opens, unable := 0, 0
		for _, m := range e.sent {
			switch m.(type) {
			case *Allocate:
				opens++
			case *PeerUnreachable:
				unable++
			}
		}
		if gives && (opens != 2 || unable != 0) || !gives && (opens != 0 || unable != 1) {
			t.Errorf("gives allocations: %v; opened %d, refused %d", gives, opens, unable)
		}
	}
}
