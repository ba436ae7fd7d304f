package traversal

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit/limittest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestHostileDialBacks: who asks from each address of a /64, or by two forms of an
// address, is dialled back no more often, and takes no more of what all may have.
func TestHostileDialBacks(t *testing.T) {
	help := func(r *Reachability, a netip.Addr) bool {
		_, ok := r.PermitDialBack(a, DialBackRequest{netip.AddrPortFrom(a, 1), 1}, 0)
		return ok
	}
	dial := func(r *Reachability, a netip.Addr) bool {
		_, ok := r.PermitProbe(ProbeRequest{netip.AddrPortFrom(a, 1), 1}, 0)
		return ok
	}
	for name, ask := range map[string]func(*Reachability, netip.Addr) bool{"helping": help, "dialling": dial} {
		t.Run(name, func(t *testing.T) {
			limittest.Addresses(t, func(a, b netip.Addr) bool {
				r := NewReachability()
				for range DialBackBurst {
					if !ask(r, a) {
						t.Errorf("%s is refused at once", a)
					}
				}
				return !ask(r, b)
			})
			r, a := NewReachability(), netip.MustParseAddr("2001:db8::1")
			for range 2 * maxDialBacks {
				ask(r, a)
				a = a.Next()
			}
			if !ask(r, netip.MustParseAddr("2001:db8:0:1::1")) {
				t.Error("one machine has used up what all may have")
			}
		})
	}
	for _, bad := range []string{"::ffff:0.0.0.0", "::ffff:224.0.0.1", "::", "ff02::1"} {
		if dial(NewReachability(), netip.MustParseAddr(bad)) {
			t.Errorf("a probe to %s", bad)
		}
	}
}

// signalBed is a public node with hidden ones linked to it, at these addresses.
func signalBed(at ...string) (e *fake, a *Agent, nodes []machine.Peer) {
	e = &fake{now: machine.Time(time.Hour)}
	a = start(e, Config{})
	for i, at := range at {
		p := machine.Peer{ID: id.Of([]byte{byte(i)}), Addr: addr(at)}
		relayed, _ := RelayedAddr(p.ID, netip.MustParseAddrPort("192.168.0.1:1"))
		a.OnLink(p, machine.LinkUp)
		a.OnMessage(p, &Hello{Addr: relayed})
		nodes = append(nodes, p)
	}
	return e, a, nodes
}

// passed counts the signalling that a public node has passed on, and forgets it.
func passed(e *fake) (n int) {
	for _, m := range e.sent {
		switch m.(type) {
		case *Signal, *ReversalRequest:
			n++
		}
	}
	e.sent = nil
	return n
}

// TestHostileSignals: a public node passes on no more signalling than a node may ask
// for, all nodes at an address may, and a hidden node can take; others are still helped.
func TestHostileSignals(t *testing.T) {
	flood := func(a *Agent, from, to machine.Peer, n int) {
		for i := range n {
			if i%2 == 0 {
				a.OnMessage(from, &Signal{Peer: to.ID})
			} else {
				a.OnMessage(from, &ReversalRequest{Peer: to.ID})
			}
		}
	}
	e, a, n := signalBed("9.9.9.9:1", "9.9.9.9:2", "9.9.9.9:3", "8.8.8.8:1", "7.7.7.7:1")
	victim := n[4]
	e.sent = nil
	flood(a, n[0], victim, 1000)
	if got := passed(e); got != signalBurst {
		t.Errorf("one node had %d messages passed on at once", got)
	}
	flood(a, n[1], victim, 1000)
	flood(a, n[2], victim, 1000)
	if got := passed(e); got != addressBurst-signalBurst {
		t.Errorf("two more at its address had %d", got)
	}
	flood(a, n[3], victim, 1)
	if got := passed(e); got != 1 {
		t.Error("a node elsewhere is not helped")
	}
	for range 10 {
		e.now = e.now.Add(time.Second)
		flood(a, n[0], victim, 100)
	}
	if got := passed(e); got != 10*signalRate {
		t.Errorf("in ten seconds one node had %d messages passed on", got)
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("9.9.9.%d:1", i+1))
	}
	e, a, n = signalBed(many...)
	e.sent = nil
	for _, from := range n[1:] {
		flood(a, from, n[0], 100)
	}
	if got := passed(e); got != targetBurst {
		t.Errorf("one node was passed %d messages at once", got)
	}
}

// gathers counts how often candidates were gathered.
type gathers struct {
	Paths
	n int
}

func (g *gathers) Gather(id.ID, netip.AddrPort) { g.n++ }
func (g *gathers) Cancel(id.ID)                 {}

// TestHostileHelper: a helper that makes up nodes which look for a path does not fill a
// hidden node's memory, nor have it gather candidates without an end.
func TestHostileHelper(t *testing.T) {
	e := &fake{now: machine.Time(time.Hour)}
	paths := &gathers{}
	a := start(e, Config{Paths: paths})
	helper := machine.Peer{ID: id.Of([]byte("helper")), Addr: addr("1.2.3.4:5")}
	a.OnLink(helper, machine.LinkUp)
	a.OnMessage(helper, &Hello{Addr: helper.Addr})
	a.hidden = true
	offer := Offer{Ufrag: "abcd", Password: "abcdefghijklmnopqrstuvwxyz"}
	const seconds = 60
	for i := range seconds * 200 {
		who := id.Of(fmt.Append(nil, "made up ", i))
		at, _ := RelayedAddr(who, netip.MustParseAddrPort("192.168.0.1:1"))
		a.OnMessage(helper, &Signal{Peer: who, Addr: at, Offer: offer})
		a.OnMessage(helper, &ReversalRequest{Peer: who, Addr: addr("9.9.9.9:1")})
		if i%200 == 199 {
			e.now = e.now.Add(time.Second)
		}
	}
	if most := targetBurst + seconds*targetRate; len(a.peers) > most+1 || paths.n > most || len(e.opened) > most {
		t.Errorf("%d nodes are remembered, %d times gathered, %d links opened; want %d at most", len(a.peers), paths.n, len(e.opened), most)
	}
	if paths.n == 0 || len(e.opened) == 0 {
		t.Error("nothing was looked at")
	}
}

// TestHostileObservers: an observer is not counted twice by another form of its address.
func TestHostileObservers(t *testing.T) {
	r := NewReachability()
	for k, from := range []string{"192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.99", "192.0.2.7"} {
		r.Observe(node(k), netip.MustParseAddr(from), at("[::ffff:1.2.3.4]:80"), 0)
	}
	if v := r.observersByAddr(machine.Time(1)); v[at("1.2.3.4:80")] != 1 || len(v) != 1 {
		t.Errorf("observers: %v", v)
	}
}
