package session

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestReplay: what was recorded and is sent again is not delivered again, nor is
// it from another address; what was changed is not delivered at all.
func TestReplay(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		var record [][]byte
		a, b := w.add(1, 1), w.add(2, 2)
		w.meddle = func(from, _ netip.AddrPort, p []byte) [][]byte {
			if from == a.addr() {
				record = append(record, bytes.Clone(p))
			}
			return [][]byte{p}
		}
		for i := range 20 {
			a.Send(b.peer, []byte{'a' + byte(i)})
		}
		w.wait(time.Second)
		n := len(b.got)
		if n != 20-(20-maxWaiting) {
			t.Fatalf("%d messages", n)
		}
		stranger := netip.MustParseAddrPort("10.0.0.9:9")
		for _, p := range record {
			for i := range p {
				forged := bytes.Clone(p)
				forged[i] ^= 1 << (i % 8)
				b.Packet(forged, a.addr())
			}
			b.Packet(bytes.Clone(p), a.addr())
			b.Packet(bytes.Clone(p), stranger)
		}
		w.wait(10 * time.Second)
		if len(b.got) != n {
			t.Fatalf("%d messages were delivered again: %v", len(b.got)-n, b.fails)
		}
		a.Send(b.peer, []byte("still there"))
		w.wait(time.Second)
		if b.got[n] != "still there" || b.from[n] != a.peer {
			t.Fatalf("then: %q", b.got[n:])
		}
	})
}

// TestWrongID: invariant 5, nobody speaks for another id.
func TestWrongID(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a, b, c := w.add(1, 1), w.add(2, 2), w.add(3, 3)
		a.Send(machine.Peer{ID: c.peer.ID, Addr: b.peer.Addr}, []byte("for c"))
		w.wait(time.Second)
		if len(b.got)+len(c.got) != 0 || a.fails["wrong id"] != 1 {
			t.Fatalf("got %q, %q; %v", b.got, c.got, a.fails)
		}
		// b shows c's credentials, which it has seen, with its own Noise key.
		b.mine.Store(c.mine.Load())
		a.Send(machine.Peer{ID: c.peer.ID, Addr: b.peer.Addr}, []byte("for c"))
		b.Send(c.peer, []byte("as c"))
		b.Send(a.peer, []byte("as c"))
		w.wait(time.Second)
		if len(a.got)+len(b.got)+len(c.got) != 0 || a.fails["credentials"] == 0 {
			t.Fatalf("got %q, %q, %q; %v", a.got, b.got, c.got, a.fails)
		}
	})
}

func TestAdmission(t *testing.T) {
	errNo := errors.New("no")
	run(t, func(t *testing.T, w *network) {
		admit := func(_ ed25519.PublicKey, proof []byte) error {
			if string(proof) != "let me in" {
				return errNo
			}
			return nil
		}
		proof := func(c *Config) { c.Proof = []byte("let me in") }
		a := w.add(1, 1, proof, func(c *Config) { c.Admit = admit })
		b, c := w.add(2, 2), w.add(3, 3, proof)
		b.Send(a.peer, []byte("b"))
		c.Send(a.peer, []byte("c"))
		a.Send(b.peer, []byte("to b"))
		a.Send(c.peer, []byte("to c"))
		w.wait(10 * time.Second)
		a.want(t, "c")
		b.want(t)
		c.want(t, "to c")
		if a.fails["admission"] == 0 {
			t.Fatal(a.fails)
		}
	})
}

func TestTableIsBounded(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		b := w.add(200, 200, func(c *Config) { c.Sessions = 10 })
		for i := range 50 {
			n := w.add(byte(i), uint16(i+1))
			n.Send(b.peer, []byte("x"))
			w.wait(time.Second)
		}
		if len(b.got) != 50 || b.Sessions() != 10 || b.fails["evicted"] != 40 || len(b.registry.peers) != 10 || len(b.slots) != 10 || len(b.registry.hints) != 10 {
			t.Fatalf("%d messages, %d sessions, %d peers; %v", len(b.got), b.Sessions(), len(b.registry.peers), b.fails)
		}
	})
}

// TestFlood: thousands of handshakes are begun by addresses that do not exist.
// None gets more than it has sent, what is kept is bounded, and an honest node
// still gets through.
func TestFlood(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		b := w.add(2, 2)
		var jobs int
		b.cfg.Go = func(job func()) bool { jobs++; w.after(0, job); return true }
		sent := map[netip.AddrPort]int{}
		flood := func(n int) {
			for i := range n {
				from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, byte(i >> 16), byte(i >> 8), byte(i)}), 5)
				p := hello(b.cfg.World, uint32(i), [cookieSize]byte{}, bytes.Repeat([]byte{9}, dhSize))
				sent[from] += len(p)
				b.Packet(p, from)
			}
		}
		flood(5000)
		a := w.add(1, 1)
		a.Send(b.peer, []byte("x"))
		for range 20 {
			flood(100)
			w.wait(100 * time.Millisecond)
		}
		b.want(t, "x")
		if len(b.responder.halves) > b.cfg.Busy+1 || jobs > b.cfg.Busy+10 {
			t.Fatalf("%d handshakes are kept, %d were computed", len(b.responder.halves), jobs)
		}
		for to, n := range sent {
			if got := w.bytes[[2]netip.AddrPort{b.addr(), to}]; got > n {
				t.Fatalf("%v has sent %d bytes and gets %d", to, n, got)
			}
		}
		w.wait(halfLife)
		if len(b.responder.halves) != 0 || len(b.slots) != 1 {
			t.Fatalf("%d handshakes are left", len(b.responder.halves))
		}
	})
}

// TestGreedy: an address that is real begins more handshakes than its share.
func TestGreedy(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		b := w.add(2, 2, func(c *Config) { c.Half, c.Busy = 64, 1 })
		from := netip.MustParseAddrPort("12.0.0.1:5")
		for i := range uint32(1000) {
			b.Packet(hello(b.cfg.World, i, b.responder.cookies.bake(b.now(), from, i), bytes.Repeat([]byte{9}, dhSize)), from)
		}
		a := w.add(1, 1)
		a.Send(b.peer, []byte("x"))
		w.wait(time.Second)
		b.want(t, "x")
	})
}

// TestHostileHellos: an address that is real, with any number of IPv6 addresses of
// its /64, begins only so many handshakes, however fast they end; where a packet
// comes from is not believed without a cookie, so that forged ones lock nobody out.
func TestHostileHellos(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		b := w.add(2, 2)
		begin := func(addr string, i uint32, cookie bool) bool {
			from := netip.AddrPortFrom(netip.MustParseAddr(addr), 5)
			var c [cookieSize]byte
			if cookie {
				c = b.responder.cookies.bake(b.now(), from, i)
			}
			b.Packet(hello(b.cfg.World, i, c, bytes.Repeat([]byte{9}, dhSize)), from)
			f := b.responder.halves[hint{from, i}]
			if f != nil { // as if it had ended
				b.mu.Lock()
				b.responder.remove(f)
				b.mu.Unlock()
			}
			return f != nil
		}
		count := func(cookie bool) (n int) {
			for i := range uint32(1000) {
				if begin([]string{"2001:db8::1", "2001:db8::2"}[i%2], i, cookie) {
					n++
				}
			}
			return n
		}
		if n := count(false); n != looseBurst {
			t.Errorf("%d handshakes without a cookie, want %d", n, looseBurst)
		}
		if !begin("2001:db8::1", 5000, true) {
			t.Error("forged packets lock out whose address they bear")
		}
		if n := count(true); n != provenBurst-1 {
			t.Errorf("%d handshakes with a cookie, want %d", n, provenBurst-1)
		}
		if !begin("192.0.2.1", 1, false) {
			t.Error("another address is refused")
		}
	})
}

func TestCookies(t *testing.T) {
	var c cookies
	x, y := netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("1.2.3.4:6")
	k := c.bake(1, x, 7)
	for _, d := range []struct {
		now  time.Duration
		addr netip.AddrPort
		from uint32
		good bool
	}{
		{1, x, 7, true}, {1, y, 7, false}, {1, x, 8, false},
		{cookieLife, x, 7, true}, {cookieLife + 2, x, 7, true}, {3 * cookieLife, x, 7, false},
	} {
		if got := c.good(d.now, d.addr, d.from, k); got != d.good {
			t.Errorf("%+v: %v", d, got)
		}
	}
	if c.good(1, x, 7, [cookieSize]byte{}) {
		t.Error("no cookie is a cookie")
	}
}

// FuzzPacket: no packet makes a table that has a session with its sender do
// more than count it.
func FuzzPacket(f *testing.F) {
	world := id.Of([]byte("world"))
	f.Add(hello(world, 1, [cookieSize]byte{}, make([]byte, dhSize)))
	f.Add(retry(1, [cookieSize]byte{}))
	f.Add(unknown(1))
	f.Add(ourVersion(1))
	f.Add(append([]byte{typeData}, make([]byte, 40)...))
	f.Add(append([]byte{typeWelcome}, make([]byte, 200)...))
	f.Add(append([]byte{typeConfirm}, make([]byte, 200)...))
	from := netip.MustParseAddrPort("1.2.3.4:5")
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, err := parse(b); err == nil && len(h.rest) > len(b) {
			t.Fatal("longer than the packet")
		}
		sent := 0
		tab, err := New(Config{
			Key: key(1), World: world, Fail: func(string) {}, Go: func(job func()) bool { return true },
			Send:    func(b []byte, _ netip.AddrPort) { sent += len(b) },
			Deliver: func(machine.Peer, []byte) { t.Fatal("something was delivered") },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer tab.Close()
		tab.mu.Lock()
		a := &attempt{p: tab.registry.peerOf(machine.Peer{Addr: machine.AddrFrom(from)}), addr: from, ours: 1, packet: make([]byte, helloSize)}
		a.p.attempt, tab.slots[1] = a, a
		tab.slots[2] = &half{addr: from, ours: 2}
		tab.mu.Unlock()
		n := len(b)
		tab.Packet(b, from)
		if sent > n {
			t.Fatalf("%d bytes for %d", sent, n)
		}
	})
}
