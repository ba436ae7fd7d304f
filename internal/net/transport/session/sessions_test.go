package session

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

const delay = 10 * time.Millisecond

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
			lost := w.lose(kind, 2)
			a, b := w.add(1, 1), w.add(2, 2)
			a.Send(b.peer, []byte("x"))
			w.wait(3 * time.Second)
			b.want(t, "x")
			a.Send(b.peer, []byte("y"))
			w.wait(time.Second)
			if *lost != 2 || b.got[len(b.got)-1] != "y" {
				t.Fatalf("%x: %d lost, got %q", kind, *lost, b.got)
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
		if a.fails["no answer"] != 1 || a.fails["queue full"] != 100-maxWaiting || len(a.registry.peers)+len(a.slots)+a.initiator.begun != 0 {
			t.Fatalf("%v, %d peers, %d slots", a.fails, len(a.registry.peers), len(a.slots))
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
			case typeVersion: // and b, to a, a newer one
				if len(p) != 6 || p[5] != Version {
					t.Errorf("answer %x", p)
				}
				p[5] = Version + 1
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
		if a.fails["version"] != 1 || len(refused[1]) != 1 || refused[1][0] != OtherVersion(Version+1) {
			t.Errorf("the caller: %v, %v", a.fails, refused[1])
		}
		// A forged answer ends nothing.
		first := true
		w.meddle = func(_, _ netip.AddrPort, p []byte) [][]byte {
			if p[0] == typeHello && first {
				first = false
				a.Packet(append(append([]byte{typeVersion}, p[6:10]...), Version+1), b.addr())
			}
			return [][]byte{p}
		}
		a.Send(b.peer, []byte("y"))
		w.wait(time.Minute)
		b.want(t, "y")
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
				if got := a.registry.peers[there]; got.current == nil || got.current.who != b.peer || got.next != nil {
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
		s := a.registry.usable(a.registry.peers[b.peer], a.now())
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
		if a.Sessions()+b.Sessions()+len(a.registry.peers)+len(b.registry.peers)+len(a.registry.hints)+len(a.registry.addrs) != 0 {
			t.Fatalf("%d and %d sessions are left", a.Sessions(), b.Sessions())
		}
	})
}
