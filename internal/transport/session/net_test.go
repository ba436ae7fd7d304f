package session

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// network joins tables without sockets, in the fake time of synctest.
type network struct {
	t     *testing.T
	nodes map[netip.AddrPort]*node
	// meddle may change what becomes of a packet: it returns what arrives.
	meddle func(from, to netip.AddrPort, b []byte) [][]byte

	mu    sync.Mutex                // timers of the tables run on goroutines of their own
	bytes map[[2]netip.AddrPort]int // sent from, to
	queue []event
}

// event is a packet that arrives or a job.
type event struct {
	at time.Time
	do func()
}

type node struct {
	*Table
	peer  machine.Peer
	got   []string
	from  []machine.Peer
	fails map[string]int
}

const delay = 10 * time.Millisecond

func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func newNetwork(t *testing.T) *network {
	return &network{t: t, nodes: map[netip.AddrPort]*node{}, bytes: map[[2]netip.AddrPort]int{}}
}

// add starts node number n; at a port where there is one it takes its place.
func (w *network) add(n byte, port uint16, change ...func(*Config)) *node {
	w.t.Helper()
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), port)
	k := key(n)
	out := &node{fails: map[string]int{}, peer: machine.Peer{ID: id.Of(k.Public().(ed25519.PublicKey)), Addr: machine.AddrFrom(addr)}}
	cfg := Config{
		Key: k, World: id.Of([]byte("world")),
		Send: func(b []byte, to netip.AddrPort) { w.send(addr, to, b) },
		Deliver: func(from machine.Peer, b []byte) {
			out.got, out.from = append(out.got, string(b)), append(out.from, from)
		},
		Fail: func(reason string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			out.fails[reason]++
		},
		Go: func(job func()) bool { w.after(0, job); return true },
	}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	if out.Table, err = New(cfg); err != nil {
		w.t.Fatal(err)
	}
	w.nodes[addr] = out
	return out
}

// after lets fn happen when d has passed, after what happens until then.
func (w *network) after(d time.Duration, fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, event{time.Now().Add(d), fn})
}

// wait lets everything happen that does in a while, one after the other.
func (w *network) wait(d time.Duration) {
	end := time.Now().Add(d)
	for {
		w.mu.Lock()
		next := -1
		for i, e := range w.queue {
			if next < 0 || e.at.Before(w.queue[next].at) {
				next = i
			}
		}
		if next < 0 || w.queue[next].at.After(end) {
			w.mu.Unlock()
			step := time.Until(end)
			if w.timers() {
				step = min(step, delay)
			}
			if step <= 0 {
				return
			}
			time.Sleep(step)
			synctest.Wait()
			continue
		}
		e := w.queue[next]
		w.queue = slices.Delete(w.queue, next, next+1)
		w.mu.Unlock()
		time.Sleep(time.Until(e.at))
		synctest.Wait()
		e.do()
	}
}

// timers reports whether some table may send by itself.
func (w *network) timers() bool {
	for _, n := range w.nodes {
		n.mu.Lock()
		busy := n.begun > 0
		for _, s := range n.hints {
			busy = busy || s.confirm != nil
		}
		n.mu.Unlock()
		if busy {
			return true
		}
	}
	return false
}

func (w *network) send(from, to netip.AddrPort, b []byte) {
	w.mu.Lock()
	w.bytes[[2]netip.AddrPort{from, to}] += len(b)
	w.mu.Unlock()
	if len(b) > MaxPacket {
		w.t.Errorf("a packet of %d bytes", len(b))
	}
	arrive := [][]byte{bytes.Clone(b)}
	if w.meddle != nil {
		arrive = w.meddle(from, to, bytes.Clone(b))
	}
	for _, b := range arrive {
		w.after(delay, func() {
			if n := w.nodes[to]; n != nil {
				n.Packet(b, from)
			}
		})
	}
}

func (n *node) addr() netip.AddrPort { return n.peer.Addr.AddrPort() }

// run runs a test in fake time.
func run(t *testing.T, fn func(t *testing.T, w *network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newNetwork(t)
		fn(t, w)
		for _, n := range w.nodes {
			n.Close()
		}
		time.Sleep(time.Hour) // what is under way ends
	})
}

func (n *node) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(n.got, want) {
		t.Fatalf("got %q, want %q; failures %v", n.got, want, n.fails)
	}
}

func TestSession(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a, b := w.add(1, 1), w.add(2, 2)
		a.Send(b.peer, []byte("one"))
		a.Send(b.peer, []byte("two"))
		w.wait(time.Second)
		b.want(t, "one", "two")
		if b.from[0] != a.peer {
			t.Fatalf("from %v, want %v", b.from[0], a.peer)
		}
		b.Send(a.peer, []byte("three"))
		a.Send(machine.Peer{Addr: b.peer.Addr}, []byte("whoever is there"))
		w.wait(time.Second)
		a.want(t, "three")
		b.want(t, "one", "two", "whoever is there")
		if a.Handshakes() != [2]uint64{0, 2} || b.Handshakes() != [2]uint64{2, 0} {
			t.Fatalf("handshakes %v and %v", a.Handshakes(), b.Handshakes())
		}
		if len(a.fails)+len(b.fails) > 0 {
			t.Fatalf("failures %v, %v", a.fails, b.fails)
		}
	})
}

// TestBothBegin: both send first at the same time; all arrives, once.
func TestBothBegin(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a, b := w.add(1, 1), w.add(2, 2)
		a.Send(b.peer, []byte("from a"))
		b.Send(a.peer, []byte("from b"))
		w.wait(time.Second)
		a.Send(b.peer, []byte("again"))
		w.wait(time.Second)
		a.want(t, "from b")
		b.want(t, "from a", "again")
	})
}

// TestLoss: whichever packet of the handshake is lost, it ends well.
func TestLoss(t *testing.T) {
	for _, kind := range []byte{typeHello, typeWelcome, typeConfirm} {
		run(t, func(t *testing.T, w *network) {
			lost := 0
			w.meddle = func(_, _ netip.AddrPort, b []byte) [][]byte {
				if b[0] == kind && lost < 2 {
					lost++
					return nil
				}
				return [][]byte{b}
			}
			a, b := w.add(1, 1), w.add(2, 2)
			a.Send(b.peer, []byte("x"))
			w.wait(3 * time.Second)
			b.want(t, "x")
			a.Send(b.peer, []byte("y"))
			w.wait(time.Second)
			if lost != 2 || b.got[len(b.got)-1] != "y" {
				t.Fatalf("%x: %d lost, got %q", kind, lost, b.got)
			}
		})
	}
}

// TestFirstMessage: the first message travels with the sender's proof, and the
// answer says that it has come: a call of a stranger takes four packets. One
// that there is no room for follows. Each is delivered once, also if the proof
// comes again.
func TestFirstMessage(t *testing.T) {
	const room = MaxPacket - confirmHead - dhSize - 2*tagSize - credentialsHead
	for _, size := range []int{1, room, room + 1, MaxPlain} {
		run(t, func(t *testing.T, w *network) {
			packets := ""
			w.meddle = func(_, _ netip.AddrPort, b []byte) [][]byte {
				packets += fmt.Sprintf("%x ", b[0])
				if b[0] == typeConfirm {
					return [][]byte{b, b}
				}
				return [][]byte{b}
			}
			a := w.add(1, 1)
			var b *node
			b = w.add(2, 2, func(c *Config) {
				take := c.Deliver
				c.Deliver = func(from machine.Peer, m []byte) {
					take(from, m)
					b.Send(from, []byte("answer"))
				}
			})
			call := string(bytes.Repeat([]byte{'x'}, size))
			a.Send(b.peer, []byte(call))
			w.wait(time.Minute)
			b.want(t, call)
			a.want(t, "answer")
			want := "80 81 82 88 "
			if size > room {
				want = "80 81 82 88 88 88 " // and that there is a session is said by itself
			}
			if packets != want {
				t.Errorf("%d bytes: packets %s, want %s", size, packets, want)
			}
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a := w.add(1, 1)
		for range 100 {
			a.Send(machine.Peer{Addr: machine.AddrFrom(netip.MustParseAddrPort("10.0.0.1:99"))}, []byte("x"))
		}
		w.wait(5 * time.Second)
		if a.fails["no answer"] != 1 || a.fails["queue full"] != 100-maxWaiting || len(a.peers)+len(a.slots)+a.begun != 0 {
			t.Fatalf("%v, %d peers, %d slots", a.fails, len(a.peers), len(a.slots))
		}
	})
}

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

func TestWorlds(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a, b := w.add(1, 1), w.add(2, 2, func(c *Config) { c.World = id.Of([]byte("another")) })
		a.Send(b.peer, []byte("x"))
		w.wait(5 * time.Second)
		if len(b.got) != 0 || b.fails["world"] != attempts || a.fails["no answer"] != 1 {
			t.Fatalf("got %q; %v %v", b.got, a.fails, b.fails)
		}
		// The same first bytes do not help: the whole id is in the handshake.
		c := w.add(3, 3, func(c *Config) { c.World[19] ^= 1 })
		a.Send(c.peer, []byte("x"))
		w.wait(5 * time.Second)
		if len(c.got) != 0 || a.fails["forged"] == 0 {
			t.Fatalf("got %q; %v %v", c.got, a.fails, c.fails)
		}
	})
}

// TestVersions: who hears from a node of another version says which it speaks
// itself, in fewer bytes than it got; the other one gives that as the reason
// once nothing else has come.
func TestVersions(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		var refused [3][]error
		note := func(n int) func(*Config) {
			return func(c *Config) {
				c.Refused = func(_ netip.AddrPort, err error) { refused[n] = append(refused[n], err) }
			}
		}
		a, b := w.add(1, 1, note(1)), w.add(2, 2, note(2))
		w.meddle = func(_, _ netip.AddrPort, p []byte) [][]byte {
			switch p[0] {
			case typeHello: // to b, a speaks version 1
				if p[1] != Version {
					t.Errorf("hello of version %d", p[1])
				}
				p[1] = 1
			case typeVersion: // and b, to a, version 7
				if len(p) != 6 || p[5] != Version {
					t.Errorf("answer %x", p)
				}
				p[5] = 7
			default:
				t.Errorf("packet %x", p[0])
			}
			return [][]byte{p}
		}
		a.Send(b.peer, []byte("x"))
		w.wait(time.Minute)
		b.want(t)
		if b.fails["version"] != attempts || len(refused[2]) != attempts || refused[2][0] != OtherVersion(1) {
			t.Errorf("the one that is called: %v, %v", b.fails, refused[2])
		}
		if a.fails["version"] != 1 || len(refused[1]) != 1 || refused[1][0] != OtherVersion(7) {
			t.Errorf("the caller: %v, %v", a.fails, refused[1])
		}
		// A forged answer ends nothing.
		first := true
		w.meddle = func(_, _ netip.AddrPort, p []byte) [][]byte {
			if p[0] == typeHello && first {
				first = false
				a.Packet(append(append([]byte{typeVersion}, p[6:10]...), 7), b.addr())
			}
			return [][]byte{p}
		}
		a.Send(b.peer, []byte("y"))
		w.wait(time.Minute)
		b.want(t, "y")
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

// TestRestart: the other end is started anew and knows nothing of the session;
// the next message tells, those after it arrive.
func TestRestart(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a, b := w.add(1, 1), w.add(2, 2)
		a.Send(b.peer, []byte("x"))
		w.wait(time.Second)
		b.Close()
		b = w.add(2, 2)
		a.Send(b.peer, []byte("lost"))
		w.wait(time.Second)
		a.Send(b.peer, []byte("y"))
		w.wait(time.Second)
		b.want(t, "y")
	})
}

// TestRestartedStranger: who is sent to by its address alone is started anew. What
// wants a session of its own arrives at once; all else as soon as there is a new
// session, whoever has begun it, and whoever lives there now.
func TestRestartedStranger(t *testing.T) {
	for _, c := range []struct {
		name  string
		key   byte // of who is there then
		learn func(w *network, a, b *node)
	}{
		{"a fresh message", 2, func(_ *network, a, b *node) { a.SendFresh(machine.Peer{Addr: b.peer.Addr}, []byte("fresh")) }},
		{"a fresh message to another node", 3, func(_ *network, a, b *node) { a.SendFresh(machine.Peer{Addr: b.peer.Addr}, []byte("fresh")) }},
		{"the other end begins", 2, func(_ *network, a, b *node) { b.Send(a.peer, []byte("hello")) }},
		{"another node begins", 3, func(_ *network, a, b *node) { b.Send(a.peer, []byte("hello")) }},
		{"it is told by name", 2, func(_ *network, a, b *node) { a.Send(b.peer, []byte("lost")) }},
		{"it is told by address", 2, func(_ *network, a, b *node) { a.Send(machine.Peer{Addr: b.peer.Addr}, []byte("lost")) }},
		{"another node tells", 3, func(_ *network, a, b *node) { a.Send(machine.Peer{Addr: b.peer.Addr}, []byte("lost")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, func(t *testing.T, w *network) {
				a, b := w.add(1, 1), w.add(2, 2)
				there := machine.Peer{Addr: b.peer.Addr}
				a.Send(there, []byte("x"))
				a.Send(b.peer, []byte("x"))
				w.wait(time.Second)
				b.Close()
				b = w.add(c.key, 2)
				c.learn(w, a, b)
				w.wait(time.Second)
				want := []string{"y"}
				if strings.HasPrefix(c.name, "a fresh") {
					want = []string{"fresh", "y"}
				}
				a.Send(there, []byte("y"))
				w.wait(time.Second)
				b.want(t, want...)
				if got := a.peers[there]; got.current == nil || got.current.who != b.peer || got.next != nil {
					t.Errorf("what goes to the address would go to %v", got.current.who)
				}
			})
		})
	}
}

// TestSilence: the other end does not answer any more, not even that it knows
// no session: after a while a new one is tried.
func TestSilence(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a, b := w.add(1, 1), w.add(2, 2)
		a.Send(b.peer, []byte("x"))
		w.wait(time.Second)
		w.meddle = func(_, _ netip.AddrPort, p []byte) [][]byte {
			if p[0] == typeUnknown {
				return nil
			}
			return [][]byte{p}
		}
		b.Close()
		b = w.add(2, 2)
		for range 10 {
			a.Send(b.peer, []byte("y"))
			w.wait(time.Second)
		}
		if len(b.got) == 0 {
			t.Fatalf("nothing arrives: %v %v", a.fails, b.fails)
		}
		// An end that says it knows nothing is not believed too often.
		h := a.Handshakes()
		s := a.usable(a.peers[b.peer], a.now())
		for range 1000 {
			a.Packet(unknown(s.theirs), b.addr())
		}
		w.wait(time.Second)
		if got := a.Handshakes(); got[1] > h[1]+1 {
			t.Fatalf("%d handshakes", got[1]-h[1])
		}
	})
}

// TestRekey: a session that is used for long is replaced, without a loss.
func TestRekey(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		a, b := w.add(1, 1), w.add(2, 2)
		const n = 3 * 60
		for i := range n {
			a.Send(b.peer, fmt.Append(nil, i))
			w.wait(30 * time.Second)
			b.Send(a.peer, fmt.Append(nil, i))
			w.wait(30 * time.Second)
		}
		if len(a.got) != n || len(b.got) != n {
			t.Fatalf("%d and %d of %d; %v %v", len(a.got), len(b.got), n, a.fails, b.fails)
		}
		if h := a.Handshakes(); h[1] != 3 {
			t.Fatalf("%d handshakes in %d minutes", h[1], n)
		}
		w.wait(idle + idleGrace + 2*sweep)
		if a.Sessions()+b.Sessions()+len(a.peers)+len(b.peers)+len(a.hints)+len(a.addrs) != 0 {
			t.Fatalf("%d and %d sessions are left", a.Sessions(), b.Sessions())
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
		if len(b.got) != 50 || b.Sessions() != 10 || b.fails["evicted"] != 40 || len(b.peers) != 10 || len(b.slots) != 10 || len(b.hints) != 10 {
			t.Fatalf("%d messages, %d sessions, %d peers; %v", len(b.got), b.Sessions(), len(b.peers), b.fails)
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
		if len(b.halves) > b.cfg.Busy+1 || jobs > b.cfg.Busy+10 {
			t.Fatalf("%d handshakes are kept, %d were computed", len(b.halves), jobs)
		}
		for to, n := range sent {
			if got := w.bytes[[2]netip.AddrPort{b.addr(), to}]; got > n {
				t.Fatalf("%v has sent %d bytes and gets %d", to, n, got)
			}
		}
		w.wait(halfLife)
		if len(b.halves) != 0 || len(b.slots) != 1 {
			t.Fatalf("%d handshakes are left", len(b.halves))
		}
	})
}

// TestGreedy: an address that is real begins more handshakes than its share.
func TestGreedy(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		b := w.add(2, 2, func(c *Config) { c.Half, c.Busy = 64, 1 })
		from := netip.MustParseAddrPort("12.0.0.1:5")
		for i := range uint32(1000) {
			b.Packet(hello(b.cfg.World, i, b.cookies.bake(b.now(), from, i), bytes.Repeat([]byte{9}, dhSize)), from)
		}
		a := w.add(1, 1)
		a.Send(b.peer, []byte("x"))
		w.wait(time.Second)
		b.want(t, "x")
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
		a := &attempt{p: tab.peerOf(machine.Peer{Addr: machine.AddrFrom(from)}), addr: from, ours: 1, packet: make([]byte, helloSize)}
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
