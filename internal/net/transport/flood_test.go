package transport

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// dialOnce makes a complete handshake with a node, and ends it.
func dialOnce(ctx context.Context, a *attacker) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := quic.DialAddr(ctx, a.to.String(), a.conf, nil)
	if err == nil {
		// The node has the handshake behind it when it answers.
		c.CloseWithError(0, "")
	}
	return err
}

// elsewhere starts a node at another address than the others.
func elsewhere(t *testing.T, n byte) *peerNode {
	return startNode(t, n, func(c *Config) {
		s, err := socket.Listen("127.0.0.2:0")
		if err != nil {
			t.Skipf("no other loopback address here: %v", err)
		}
		c.Net.Socket = s
	})
}

// TestHostileHandshakeFlood: an address that makes one complete QUIC handshake after
// the other, under many ids, is soon refused, and keeps out nobody elsewhere.
func TestHostileHandshakeFlood(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	n := startNode(t, 1)
	begin := time.Now()
	done, tried := 0, 0
	for ; tried < handshakeBurst+64; tried++ {
		if dialOnce(t.Context(), newAttacker(t, byte(tried), n.peer)) == nil {
			done++
		}
	}
	most := handshakeBurst + handshakeRate*(time.Since(begin).Seconds()+1)
	t.Logf("%d of %d handshakes in %v", done, tried, time.Since(begin))
	if float64(done) > most {
		t.Errorf("%d handshakes, want at most %.0f", done, most)
	}
	exhaust(n)
	dialOnce(t.Context(), newAttacker(t, byte(tried), n.peer))
	n.fails("busy", 1)
	b := elsewhere(t, 2)
	b.do(func(env machine.Env) { env.Open(n.peer); env.Send(n.peer, "here I am") })
	n.until("a node elsewhere", func(log []string) bool { return len(log) > 0 && log[len(log)-1] == "here I am" })
}

// exhaust takes the handshakes that an address has left, ahead of time: a slow machine
// makes fewer than are given back meanwhile.
func exhaust(n *peerNode) {
	guests, from, later := n.loop.net.guests, addrOf(&net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}), time.Now().Add(time.Hour)
	for guests.begin(from, true, later) {
		guests.done(from)
	}
}

// TestHostileLinks: neither one node from many ports nor many at one address can
// take all links that there are.
func TestHostileLinks(t *testing.T) {
	const allowed = 10
	h := testHello()
	for name, c := range map[string]struct {
		key  func(i int) byte
		most int
	}{
		"one node":            {func(int) byte { return 50 }, linksOfID},
		"many at one address": {func(i int) byte { return byte(50 + i) }, allowed},
	} {
		t.Run(name, func(t *testing.T) {
			n := startNode(t, 1, func(c *Config) { c.Net.PerAddress = allowed })
			full := 0
			for i := range 3 * allowed {
				a := newAttacker(t, c.key(i), n.peer)
				conn, s := a.connect(h.frame())
				got := make([]byte, 1)
				s.SetReadDeadline(time.Now().Add(patience))
				if _, err := s.Read(got); err != nil { // the node answers who is let in by its hello
					if app := a.refused(conn); app.ErrorCode != codeFull {
						t.Fatalf("refused by %v", app)
					}
					full++
				}
			}
			if up := 3*allowed - full; up != c.most {
				t.Errorf("%d links are open, want %d", up, c.most)
			}
			b := elsewhere(t, 2)
			b.do(func(env machine.Env) { env.Open(n.peer); env.Send(n.peer, "here I am") })
			n.until("a node elsewhere", func(log []string) bool { return len(log) > 0 && log[len(log)-1] == "here I am" })
		})
	}
}

// TestHostileGuests: handshakes are counted by address, IPv6 by /64, and strangers
// leave room for those who are known.
func TestHostileGuests(t *testing.T) {
	now := time.Unix(1000, 0)
	s := newGuests(DefaultPerAddress)
	a, b := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	for i := range pendingEach {
		if !s.begin([]netip.Addr{a, b}[i%2], false, now) {
			t.Fatalf("refused at %d", i)
		}
	}
	if s.begin(a, false, now) || s.begin(b, true, now) {
		t.Error("more are under way than an address may have")
	}
	s.done(a)
	if !s.begin(b, false, now) {
		t.Error("refused though one is over")
	}
	free := newGuests(DefaultPerAddress)
	began := 0
	for i := range 4 * strangerBurst {
		from := netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 1})
		if free.begin(from, false, now) {
			began++
			free.done(from)
		}
	}
	if began != strangerBurst {
		t.Errorf("%d handshakes of strangers, want %d", began, strangerBurst)
	}
	if !free.begin(netip.MustParseAddr("192.0.2.1"), true, now) {
		t.Error("somebody who is known is refused")
	}
	p := machine.Peer{ID: id.Of(nil), Addr: machine.AddrFrom(netip.MustParseAddrPort("192.0.2.1:1"))}
	s.count(p, 1)
	s.count(p, -1)
	if len(s.links)+len(s.ids) != 0 {
		t.Error("something is left of a link that is over")
	}
}

// BenchmarkHandshake is what a complete QUIC handshake costs, both ends.
func BenchmarkHandshake(b *testing.B) {
	i, err := newIdentity(testKey(1))
	if err != nil {
		b.Fatal(err)
	}
	l, err := quic.ListenAddr("127.0.0.1:0", i.server, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		c, err := quic.DialAddr(b.Context(), l.Addr().(*net.UDPAddr).String(), i.dialing(id.ID{}), nil)
		if err != nil {
			b.Fatal(err)
		}
		c.CloseWithError(0, "")
	}
}
