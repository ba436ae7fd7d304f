package nat

import (
	"net/netip"
	"testing"
	"time"

	"github.com/pion/transport/v5/vnet"

	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// The kinds of address translators (RFC 3489's names; behaviour by RFC 4787).
var kinds = []struct {
	name string
	nat  *vnet.NATType
}{
	{"public", nil},
	{"full cone", &vnet.NATType{MappingBehavior: vnet.EndpointIndependent, FilteringBehavior: vnet.EndpointIndependent}},
	{"address-restricted", &vnet.NATType{MappingBehavior: vnet.EndpointIndependent, FilteringBehavior: vnet.EndpointAddrDependent}},
	{"port-restricted", &vnet.NATType{MappingBehavior: vnet.EndpointIndependent, FilteringBehavior: vnet.EndpointAddrPortDependent}},
	{"symmetric", &vnet.NATType{MappingBehavior: vnet.EndpointAddrPortDependent, FilteringBehavior: vnet.EndpointAddrPortDependent}},
}

// pathsByKind says for each pair of kinds how the nodes reach each other. A full cone
// lets in everybody while it is kept open, so who is behind one is reachable.
var pathsByKind = [5][5]string{
	{"direct", "direct", "direct", "direct", "direct"},
	{"direct", "direct", "direct", "direct", "direct"},
	{"direct", "direct", "punched", "punched", "punched"},
	{"direct", "direct", "punched", "punched", "relayed"},
	{"direct", "direct", "punched", "relayed", "relayed"},
}

func TestEveryPairOfNodesFindsAPath(t *testing.T) {
	for i, a := range kinds {
		for j, b := range kinds {
			t.Run(a.name+" to "+b.name, func(t *testing.T) {
				n := newInternet(t)
				netA, ipA := n.behind(a.nat, "27.1.1.1", "192.168.0.1")
				netB, ipB := n.behind(b.nat, "28.1.1.1", "10.2.0.1")
				ha, hb := n.host("a", netA, ipA), n.host("b", netB, ipB)
				t.Parallel() // not before: vnet counts its interfaces without a lock
				ha.lookAround(n)
				hb.lookAround(n)
				if got := ha.reach.Symmetric(0); got != (a.name == "symmetric") {
					t.Errorf("%s is taken for symmetric: %v", a.name, got)
				}
				if path := reachOut(t, n, ha, hb); path != pathsByKind[i][j] {
					t.Errorf("they found a path: %s, want %s", path, pathsByKind[i][j])
				}
				if relayed := n.passed > 0; relayed != (pathsByKind[i][j] == "relayed") {
					t.Errorf("%d packets went through the relay", n.passed)
				}
			})
		}
	}
}

// reachOut lets a reach b in the order of the package comment, and has both hear
// from each other.
func reachOut(t *testing.T, n *internet, a, b *host) string {
	if addr, ok := b.reach.Reachable(0); ok {
		greet(a, b, addr)
		return "direct"
	}
	if addr, ok := a.reach.Reachable(0); ok { // b hears of it by the helper
		n.helper.send(n.addrs[b.id], frame{Kind: "call", Addr: addr})
		greet(b, a, b.expect("call").Addr)
		return "direct"
	}
	if punch(t, n, a, b) {
		return "punched"
	}
	for _, h := range [2][2]*host{{a, b}, {b, a}} {
		h[0].send(n.helper.addr, frame{Kind: "open", Peer: h[1].id})
	}
	a.expect("open")
	b.expect("open")
	for _, h := range [2][2]*host{{a, b}, {b, a}} {
		h[0].send(n.helper.addr, frame{Kind: "packet", Peer: h[1].id, Data: []byte("hello")})
		if g := h[1].expect("packet"); string(g.Data) != "hello" || g.From != h[0].id {
			t.Errorf("%q from %v came through the relay", g.Data, g.From)
		}
	}
	return "relayed"
}

// greet sends from the node's own port to an address and wants an answer.
func greet(from, to *host, addr netip.AddrPort) {
	from.send(addr, frame{Kind: "ping"})
	g := to.expect("ping")
	to.send(g.from, frame{Kind: "pong"})
	from.expect("pong")
}

// punch passes offers by the helper and reports whether both found a path.
func punch(t *testing.T, n *internet, a, b *host) bool {
	const patience = 6 * time.Second
	var attempts [2]*Attempt
	for i, h := range [2]*host{a, b} {
		p := NewPuncher(h.aside, h.net, patience)
		defer p.Close()
		seen, _ := h.reach.ReflexiveAddr(0)
		at, err := p.Gather(t.Context(), seen)
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		attempts[i] = at
	}
	a.send(n.helper.addr, frame{Kind: "signal", Peer: b.id, Signal: traversal.Signal{Offer: attempts[0].Offer()}})
	b.send(n.helper.addr, frame{Kind: "signal", Peer: a.id, Signal: traversal.Signal{Offer: attempts[1].Offer(), Answer: true}})
	type path struct {
		addr netip.AddrPort
		err  error
	}
	var paths [2]chan path
	for i, h := range [2]*host{a, b} {
		offer := h.expect("signal").Signal.Offer
		paths[i] = make(chan path, 1)
		go func() {
			addr, err := attempts[i].Check(t.Context(), offer, i == 0)
			paths[i] <- path{addr, err}
		}()
	}
	pa, pb := <-paths[0], <-paths[1]
	if (pa.err == nil) != (pb.err == nil) {
		t.Errorf("only one found a path: %v, %v", pa.err, pb.err)
	}
	if pa.err != nil || pb.err != nil {
		return false
	}
	greet(a, b, pa.addr)
	greet(b, a, pb.addr)
	return true
}

func TestBadOffers(t *testing.T) {
	n := newInternet(t)
	p := NewPuncher(n.helper.aside, n.helper.net, 0)
	defer p.Close()
	for name, offer := range map[string]traversal.Offer{
		"empty":   {},
		"garbage": {Ufrag: "name", Password: "0123456789012345678901", Candidates: []string{"no candidate"}},
	} {
		a, err := p.Gather(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Check(t.Context(), offer, true); err == nil {
			t.Errorf("%s: a path", name)
		}
		a.Close()
	}
}
