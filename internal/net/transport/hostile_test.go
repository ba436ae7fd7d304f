package transport

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/faulty"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// fails waits until a node has counted n failures of a kind.
func (p *peerNode) fails(reason string, n uint64) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		s, err := p.loop.NetStats(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		if s.Failures[reason] >= n {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("%q was not counted %d times: %v", reason, n, s.Failures)
		}
	}
}

// attacker is a QUIC client that can do as it likes.
type attacker struct {
	t    *testing.T
	to   *net.UDPAddr
	conf *tls.Config
}

func newAttacker(t *testing.T, n byte, to machine.Peer) *attacker {
	i, err := newIdentity(testKey(n))
	if err != nil {
		t.Fatal(err)
	}
	return &attacker{t, net.UDPAddrFromAddrPort(loopback(to)), i.dialing(id.ID{})}
}

// connect returns a connection whose stream has sent b.
func (a *attacker) connect(b []byte) (*quic.Conn, *quic.Stream) {
	a.t.Helper()
	c, err := quic.DialAddr(a.t.Context(), a.to.String(), a.conf, &quic.Config{MaxIdleTimeout: patience})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { c.CloseWithError(0, "") })
	s, err := c.OpenStreamSync(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := s.Write(b); err != nil {
		a.t.Fatal(err)
	}
	return c, s
}

// refused waits until the node has ended a connection, and says how.
func (a *attacker) refused(c *quic.Conn) *quic.ApplicationError {
	a.t.Helper()
	select {
	case <-c.Context().Done():
	case <-time.After(patience):
		a.t.Fatal("the connection stays")
	}
	var app *quic.ApplicationError
	if err := context.Cause(c.Context()); !errors.As(err, &app) {
		a.t.Fatalf("ended by %v", err)
	}
	return app
}

func testHello() hello { return hello{world: id.Of([]byte("world")), instance: 1, seq: 1} }

func framed(b []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func numbered(n uint64, m string) []byte {
	return framed(append(binary.BigEndian.AppendUint64(nil, n), m...))
}

// TestHostileFrames: what is not right on a link ends that link, is counted, and
// harms nobody else.
func TestHostileFrames(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	n := startNode(t, 1, func(c *Config) { c.Net.MaxMessage = 1000; c.Net.Dead = time.Second })
	good := testHello()
	other := good
	other.world = id.Of([]byte("another world"))
	for i, c := range []struct {
		name   string
		send   []byte
		code   quic.ApplicationErrorCode
		reason string
		up     bool
	}{
		{"no hello", framed([]byte("hello")), codeHello, "hello", false},
		{"a long hello", framed(make([]byte, maxHello+1)), codeHello, "hello", false},
		{"garbage", bytes.Repeat([]byte{0xff}, 100), codeHello, "hello", false},
		{"half a hello", good.frame()[:20], codeFailed, "other", false},
		{"another world", other.frame(), codeWorld, "world", false},
		{"a long frame", append(good.frame(), 0xff, 0xff, 0xff, 0xff), codeFrame, "frame", true},
		{"a number is left out", append(good.frame(), numbered(2, "sok")...), codeFrame, "frame", true},
		{"no number", append(good.frame(), framed([]byte("sok"))...), codeFrame, "frame", true},
		{"just too long", append(good.frame(), framed(make([]byte, 1009))...), codeFrame, "frame", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			n.t = t
			n.seen()
			a := newAttacker(t, byte(100+i), n.peer)
			conn, _ := a.connect(c.send)
			if app := a.refused(conn); app.ErrorCode != c.code {
				t.Fatalf("ended with %v, want code %d", app, c.code)
			}
			n.fails(c.reason, 1)
			want := "[]"
			if c.up {
				want = "[link 1 link 3]"
			}
			if got := fmt.Sprint(n.seen()); got != want {
				t.Fatalf("the machine saw %s, want %s", got, want)
			}
		})
	}
	n.t = t
	a := newAttacker(t, 99, n.peer)
	_, s := a.connect(append(good.frame(), append(numbered(1, "?malformed"), numbered(2, "sok")...)...))
	n.sees("link 1", "ok")
	n.fails("malformed", 1)
	s.Write(numbered(3, "smore")[:14])
	s.Close()
	n.sees("link 1", "ok", "link 3")
}

func TestWrongWorldSaysSo(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2, func(c *Config) { c.Net.World = id.Of([]byte("another")) })
	a.do(func(env machine.Env) { env.Open(b.peer) })
	a.sees("link 3")
	a.fails("world", 1)
	b.fails("world", 1)
}

func TestLinkToWrongID(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2)
	a.do(func(env machine.Env) { env.Open(machine.Peer{ID: testID(3), Addr: b.peer.Addr}) })
	a.sees("link 3")
	a.fails("wrong id", 1)
	a.do(func(env machine.Env) {
		env.Open(machine.Peer{Addr: b.peer.Addr})
		env.Send(machine.Peer{Addr: b.peer.Addr}, 1)
	})
	b.sees("link 1", "1") // whoever is there
}

func TestLinkAdmission(t *testing.T) {
	errNo := errors.New("you are not on the list")
	admit := func(c *Config) {
		c.Net.Admit = func(pub ed25519.PublicKey, proof []byte) error {
			if string(proof) != "ticket" {
				return errNo
			}
			return nil
		}
	}
	ticket := func(c *Config) { c.Net.Proof = []byte("ticket") }
	a, b, c := startNode(t, 1, admit, ticket), startNode(t, 2), startNode(t, 3, admit, ticket)
	b.do(func(env machine.Env) { env.Open(a.peer) })
	b.sees("link 3")
	a.sees()
	a.fails("admission", 1)
	c.do(func(env machine.Env) { env.Open(a.peer) })
	c.sees("link 1")
	c.do(func(env machine.Env) { env.Open(b.peer) }) // the one that opens looks as well
	c.sees("link 1", "link 3")
}

// TestHalfOpenLinks: thousands of connections that get no further.
func TestHalfOpenLinks(t *testing.T) {
	n := startNode(t, 1, func(c *Config) { c.Net.Dead = time.Second })
	raw, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	to := net.UDPAddrFromAddrPort(loopback(n.peer))
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 { // QUIC's first packets, with all that can be seen of them right
		b := make([]byte, 1200)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		b[0] = 0xc3
		copy(b[1:], []byte{0, 0, 0, 1, 8})
		b[14], b[23] = 8, 0
		raw.WriteTo(b, to)
	}
	for i := range 50 { // and some that end within the handshake
		a := newAttacker(t, byte(i), n.peer)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		go func() {
			defer cancel()
			if c, err := quic.DialAddr(ctx, a.to.String(), a.conf, nil); err == nil {
				c.CloseWithError(0, "")
			}
		}()
	}
	b := startNode(t, 2)
	b.do(func(env machine.Env) { env.Open(n.peer); env.Send(n.peer, "here I am") })
	n.until("an honest node", func(log []string) bool { return len(log) > 0 && log[len(log)-1] == "here I am" })
	for end := time.Now().Add(patience); n.loop.net.guests.waiting() != 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d handshakes are still pending", n.loop.net.guests.waiting())
		}
	}
}

// TestGarbage: packets of all kinds that mean nothing, and what was recorded and
// comes again.
func TestGarbage(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2)
	a.do(func(env machine.Env) { env.Send(b.peer, note("x")); env.Open(b.peer) })
	b.until("both", func(log []string) bool { return len(log) == 2 })
	raw, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	seed := uint64(7)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 5000 {
		p := make([]byte, r.IntN(1500))
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		raw.WriteTo(p, net.UDPAddrFromAddrPort(loopback(b.peer)))
	}
	a.do(func(env machine.Env) { env.Send(b.peer, "z") })
	b.until("what comes after", func(log []string) bool { return len(log) == 3 })
	// Only now, for a datagram may find a socket that is full of garbage and be lost.
	a.do(func(env machine.Env) { env.Send(b.peer, note("y")) })
	b.until("a datagram after that", func(log []string) bool { return len(log) == 4 })
}

// TestSlowNode: a node that does not read loses its link; nothing piles up.
func TestSlowNode(t *testing.T) {
	n := startNode(t, 1, func(c *Config) { c.Queue = 64 })
	h := testHello()
	a := newAttacker(t, 9, n.peer)
	conn, _ := a.connect(h.frame())
	n.sees("link 1")
	who := n.who("link 1")
	big := string(make([]byte, 256<<10))
	for full := false; !full; {
		n.do(func(env machine.Env) {
			env.Send(who, big)
			waiting, limit := machine.Backlog(env, who)
			full = waiting == 0 && limit == 0
			if waiting > limit+1 { // the one too many fails it
				t.Errorf("%d of %d wait", waiting, limit)
			}
		})
		time.Sleep(time.Millisecond)
	}
	n.sees("link 1", "link 3")
	if app := a.refused(conn); app.ErrorCode != codeFailed {
		t.Fatal(app)
	}
}

// TestBackPressure: a machine that is slow holds the sender back, and gets
// everything in the end.
func TestBackPressure(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	const n, size = 300, 100 << 10
	got := make(chan int, n)
	a := startNode(t, 1, func(c *Config) { c.Queue = 2 * n })
	b := startNode(t, 2)
	hold := make(chan struct{})
	b.do(func(machine.Env) {
		b.message = func(_ machine.Peer, m machine.Message) {
			<-hold
			got <- len(m.(string))
		}
	})
	a.do(func(env machine.Env) {
		env.Open(b.peer)
		for range n {
			env.Send(b.peer, string(make([]byte, size)))
		}
	})
	a.sees("link 1")
	waiting := func() (w int) {
		a.do(func(env machine.Env) { w, _ = machine.Backlog(env, b.peer) })
		return w
	}
	for last := -1; ; time.Sleep(200 * time.Millisecond) { // until nothing moves
		now := waiting()
		if now == last {
			break
		}
		last = now
	}
	if w := waiting(); w < n/2 {
		t.Fatalf("%d of %d messages wait at the sender: the receiver holds too many", w, n)
	}
	close(hold)
	for range n {
		if k := <-got; k != size {
			t.Fatalf("%d bytes", k)
		}
	}
}

// bad starts a node behind a faulty network.
func bad(t *testing.T, net0 *faulty.Network, n byte, change ...func(*Config)) *peerNode {
	return startNode(t, n, append(change, func(c *Config) {
		conn, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c.Net.Socket = socket.New(net0.Wrap(conn))
	})...)
}

// TestBadNetwork: over a network that loses, doubles and reorders, links carry
// everything once and in order, and datagrams come at most once.
func TestBadNetwork(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	const seed = 3
	w := faulty.NewNetwork(seed)
	w.Set(faulty.Faults{Loss: 0.1, Duplicate: 0.1, Delay: time.Millisecond, Jitter: 5 * time.Millisecond})
	a, b := bad(t, w, 1), bad(t, w, 2)
	const n = 500
	a.do(func(env machine.Env) {
		env.Open(b.peer)
		for i := range n {
			env.Send(b.peer, i)
			env.Send(b.peer, note(fmt.Sprint("note ", i)))
		}
	})
	b.until("all of it", func(log []string) bool {
		links := 0
		for _, m := range log {
			if m[0] != 'n' {
				links++
			}
		}
		return links == n+1
	})
	count := map[string]int{}
	next := 0
	for _, m := range b.seen() {
		if count[m]++; count[m] > 1 {
			t.Fatalf("%q came twice (seed %d)", m, seed)
		}
		if m == fmt.Sprint(next) {
			next++
		}
	}
	if next != n || w.Lost() == 0 {
		t.Fatalf("%d of %d in order, %d packets lost", next, n, w.Lost())
	}
	// A partition is noticed at both ends; when it is over, a new link opens.
	a.seen()
	w.Cut(func(_, _ netip.AddrPort) bool { return true })
	a.sees("link 3")
	b.until("the end", func(log []string) bool { return len(log) > 0 && log[len(log)-1] == "link 3" })
	w.Cut(nil)
	b.seen()
	b.do(func(env machine.Env) { env.Open(a.peer); env.Send(a.peer, "again") })
	a.sees("link 3", "link 1", "again")
}

// TestRestartedNode: a node that comes back at the same port with the same key
// tells the others at once that it knows nothing of their links.
func TestRestartedNode(t *testing.T) {
	a := startNode(t, 1, func(c *Config) { c.Net.Dead = 20 * time.Second })
	b := startNode(t, 2)
	a.do(func(env machine.Env) { env.Open(b.peer) })
	a.sees("link 1")
	b.sock.Close() // nothing of it gets out any more
	b.loop.Stop()
	again := startNode(t, 2, func(c *Config) {
		s, err := socket.Listen(loopback(b.peer).String())
		if err != nil {
			t.Fatal(err)
		}
		c.Net.Socket = s
	})
	a.do(func(env machine.Env) { env.Send(b.peer, "are you there?") })
	a.sees("link 1", "link 3")
	a.fails("restarted", 1)
	again.do(func(env machine.Env) { env.Open(a.peer); env.Send(a.peer, "back") })
	a.sees("link 1", "link 3", "link 1", "back")
}

// FuzzFrames: whatever a stream holds, in whatever pieces it comes, frames are
// what was framed, and nothing long is kept.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc"), uint8(3))
	f.Add([]byte("\xff\xff\xff\xffabc"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, piece uint8) {
		const limit = 10000
		fr := newFrames(&pieces{b, int(piece)%50 + 1}, limit)
		rest := b
		for {
			got, err := fr.next()
			if err != nil {
				if n := binary.BigEndian.Uint32(rest); n <= limit {
					t.Fatalf("a frame of %d bytes: %v", n, err)
				}
				return
			}
			if got == nil {
				err := fr.more()
				if len(fr.buf) > 2*limit+bigBuffer {
					t.Fatalf("a buffer of %d bytes", len(fr.buf))
				}
				if err == nil {
					continue
				}
				if (err == io.EOF) != (len(rest) == 0) {
					t.Fatalf("%d bytes are left: %v", len(rest), err)
				}
				return
			}
			n := int(binary.BigEndian.Uint32(rest))
			if !bytes.Equal(got, rest[4:4+n]) {
				t.Fatal("another frame")
			}
			rest = rest[4+n:]
		}
	})
}

type pieces struct {
	b []byte
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.b[:min(p.n, len(p.b))])
	p.b = p.b[n:]
	return n, nil
}

func FuzzHello(f *testing.F) {
	h := testHello()
	f.Add(h.frame()[frameHead:])
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHello(b)
		if err == nil && !bytes.Equal(h.frame()[frameHead:], b) {
			t.Fatal("it does not come back")
		}
	})
}
