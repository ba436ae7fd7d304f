package session

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// answering answers questions with themselves behind "re ", padded to size bytes,
// and notes who has asked once that is known.
func answering(size int, asked *[]string) func(*Config) {
	return func(c *Config) {
		c.Answer = func(q []byte, _ int) []byte {
			a := append([]byte("re "), q...)
			return append(a, bytes.Repeat([]byte{'.'}, max(0, size-len(a)))...)
		}
		c.Answered = func(from machine.Peer, q []byte) {
			*asked = append(*asked, fmt.Sprintf("%s %s", from.ID.Short(), q))
		}
	}
}

// kinds notes the packets of a network.
func (w *network) kinds() *string {
	packets := new(string)
	w.meddle = func(_, _ netip.AddrPort, b []byte) [][]byte {
		*packets += fmt.Sprintf("%x ", b[0])
		return [][]byte{b}
	}
	return packets
}

func (w *network) sentFrom(from, to *node) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes[[2]netip.AddrPort{from.addr(), to.addr()}]
}

// TestQuestion: a question to a stranger is answered by the second packet. Who
// has asked shows itself afterwards, and the answerer is told so.
func TestQuestion(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		var asked []string
		a, b := w.add(1, 1), w.add(2, 2, answering(0, &asked))
		packets := w.kinds()
		a.Ask(b.peer, []byte("where"))
		w.wait(2*delay + proveAfter/2)
		a.want(t, "re where")
		if a.from[0] != b.peer || *packets != "80 81 " || len(asked) != 0 {
			t.Fatalf("from %v, packets %s, asked %q", a.from[0], *packets, asked)
		}
		w.wait(time.Minute)
		b.want(t)
		a.want(t, "re where")
		if want := a.peer.ID.Short() + " where"; *packets != "80 81 82 88 " || len(asked) != 1 || asked[0] != want {
			t.Fatalf("packets %s, asked %q, want %q", *packets, asked, want)
		}
		a.Ask(b.peer, []byte("again")) // in the session, as all else
		b.Send(a.peer, []byte("hello"))
		w.wait(time.Second)
		b.want(t, "again")
		a.want(t, "re where", "hello")
		if len(a.fails)+len(b.fails) > 0 {
			t.Fatalf("failures %v, %v", a.fails, b.fails)
		}
	})
}

// TestQuestionThenMore: what is said to a stranger after a question, before or
// after its answer, comes with the proof of who asks, and at once.
func TestQuestionThenMore(t *testing.T) {
	for _, c := range []struct {
		what string
		wait time.Duration
		say  func(a, b *node)
	}{
		{"before the answer", 0, func(a, b *node) { a.Send(b.peer, []byte("more")) }},
		{"after it", 2 * delay, func(a, b *node) { a.Send(b.peer, []byte("more")) }},
		{"another question", 2 * delay, func(a, b *node) { a.Ask(b.peer, []byte("more")) }},
		{"a fresh message", 2 * delay, func(a, b *node) { a.SendFresh(b.peer, []byte("more")) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			run(t, func(t *testing.T, w *network) {
				var asked []string
				a, b := w.add(1, 1), w.add(2, 2, answering(0, &asked))
				packets := w.kinds()
				a.Ask(b.peer, []byte("where"))
				w.wait(c.wait)
				c.say(a, b)
				w.wait(4 * delay)
				a.want(t, "re where")
				b.want(t, "more")
				w.wait(time.Minute)
				if *packets != "80 81 82 88 " || len(asked) != 1 {
					t.Fatalf("packets %s, asked %q", *packets, asked)
				}
			})
		})
	}
	t.Run("a link wants the session", func(t *testing.T) {
		run(t, func(t *testing.T, w *network) {
			var asked []string
			a, b := w.add(1, 1), w.add(2, 2, answering(0, &asked))
			a.Ask(b.peer, []byte("where"))
			w.wait(2 * delay)
			if a.Ready(b.peer) {
				t.Fatal("there is a session before the other end knows who asks")
			}
			w.wait(0)
			if !a.Ready(b.peer) {
				t.Fatal("there is none at once")
			}
		})
	})
}

// TestQuestionWithoutAnswer: who does not answer strangers, or has more to say
// than there is room for, is asked again by one that it knows.
func TestQuestionWithoutAnswer(t *testing.T) {
	var asked []string
	for what, change := range map[string]func(*Config){
		"nobody answers":      func(*Config) {},
		"not this question":   func(c *Config) { c.Answer = func([]byte, int) []byte { return nil } },
		"the answer too long": answering(MaxAnswer+1, &asked),
		"a proof needs room": func(c *Config) {
			answering(MaxAnswer, &asked)(c)
			c.Proof = []byte("x")
		},
	} {
		t.Run(what, func(t *testing.T) {
			run(t, func(t *testing.T, w *network) {
				a, b := w.add(1, 1), w.add(2, 2, change)
				packets := w.kinds()
				a.Ask(b.peer, []byte("where"))
				w.wait(time.Minute)
				b.want(t, "where")
				a.want(t)
				if *packets != "80 81 82 88 " || len(asked) != 0 {
					t.Fatalf("packets %s, asked %q", *packets, asked)
				}
			})
		})
	}
	run(t, func(t *testing.T, w *network) { // a hello cannot take it
		a, b := w.add(1, 1), w.add(2, 2, answering(0, &asked))
		q := string(bytes.Repeat([]byte{'q'}, MaxQuestion+1))
		a.Ask(b.peer, []byte(q))
		w.wait(time.Minute)
		b.want(t, q)
	})
}

// TestQuestionIsNoAmplifier: invariant 4: an address that has not shown that it
// gets what we send is sent no more than came from it, whatever is asked and
// answered, and however often. The longest of both fit.
func TestQuestionIsNoAmplifier(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		var asked []string
		a, b := w.add(1, 1), w.add(2, 2, answering(MaxAnswer, &asked))
		w.meddle = func(from, _ netip.AddrPort, p []byte) [][]byte {
			if from == a.addr() { // and a hello comes more than once
				return [][]byte{p, p}
			}
			return nil // a does not get anything
		}
		q := bytes.Repeat([]byte{'q'}, 100)
		a.Ask(b.peer, q)
		w.wait(10 * time.Second)
		in, out := 2*w.sentFrom(a, b), w.sentFrom(b, a)
		if in != 2*attempts*helloSize || out == 0 || out > in {
			t.Fatalf("%d bytes came, %d went", in, out)
		}
		w.meddle = nil
		a.Ask(b.peer, q)
		w.wait(2*delay + proveAfter/2)
		if len(a.got) != 1 || len(a.got[0]) != MaxAnswer || w.sentFrom(b, a)-out != helloSize {
			t.Fatalf("the longest answer does not come: %d of them, %d bytes", len(a.got), w.sentFrom(b, a)-out)
		}
	})
}

// TestQuestionForged: of a question that was changed on its way no answer is
// believed, nor is one of somebody else than was asked; and what was recorded is
// not taken again.
func TestQuestionForged(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		var asked []string
		a, b, c := w.add(1, 1), w.add(2, 2, answering(0, &asked)), w.add(3, 3)
		changed := 0
		var welcome []byte
		w.meddle = func(_, to netip.AddrPort, p []byte) [][]byte {
			if p[0] == typeHello && changed == 0 {
				changed++
				p[helloNoise+dhSize] ^= 1
			}
			if p[0] == typeWelcome {
				welcome = bytes.Clone(p)
			}
			return [][]byte{p}
		}
		a.Ask(b.peer, []byte("where"))
		w.wait(time.Minute)
		a.want(t, "re where") // of the second attempt
		if a.fails["forged"] != 1 || len(asked) != 1 {
			t.Fatalf("%v, %d asked", a.fails, len(asked))
		}
		a.Packet(welcome, b.addr())
		w.wait(time.Minute)
		a.want(t, "re where")
		// b is not c, and says so only by answering as itself.
		a.Ask(machine.Peer{ID: c.peer.ID, Addr: b.peer.Addr}, []byte("who"))
		w.wait(time.Minute)
		a.want(t, "re where")
		if a.fails["wrong id"] != 1 || len(asked) != 1 {
			t.Fatalf("%v, asked %q", a.fails, asked)
		}
	})
}

// TestQuestionLoss: whichever packet is lost, the answer comes once, and both
// ends know each other afterwards.
func TestQuestionLoss(t *testing.T) {
	for _, kind := range []byte{typeHello, typeWelcome, typeConfirm, typeData} {
		run(t, func(t *testing.T, w *network) {
			lost := w.lose(kind, 2)
			var asked []string
			a, b := w.add(1, 1), w.add(2, 2, answering(0, &asked))
			a.Ask(b.peer, []byte("where"))
			w.wait(5 * time.Second)
			a.want(t, "re where")
			b.Send(a.peer, []byte("x"))
			w.wait(time.Second)
			if want := map[bool]int{true: 2, false: 1}[kind != typeData]; *lost < want || len(asked) != 1 || a.got[len(a.got)-1] != "x" {
				t.Fatalf("%x: %d lost, asked %q, got %q", kind, *lost, asked, a.got)
			}
		})
	}
}

// TestQuestionOfBoth: both ask each other at the same time.
func TestQuestionOfBoth(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		var askedA, askedB []string
		a, b := w.add(1, 1, answering(0, &askedA)), w.add(2, 2, answering(0, &askedB))
		a.Ask(b.peer, []byte("a"))
		b.Ask(a.peer, []byte("b"))
		w.wait(time.Minute)
		a.want(t, "re a")
		b.want(t, "re b")
		a.Send(b.peer, []byte("x"))
		w.wait(time.Second)
		b.want(t, "re b", "x")
	})
}

// TestQuestionUnderLoad: while many handshakes are half open a question is
// answered only to an address that has brought back a cookie.
func TestQuestionUnderLoad(t *testing.T) {
	run(t, func(t *testing.T, w *network) {
		var asked []string
		b := w.add(2, 2, answering(0, &asked))
		answers := 0
		answer := b.cfg.Answer
		b.cfg.Answer = func(q []byte, room int) []byte { answers++; return answer(q, room) }
		first := append(bytes.Repeat([]byte{9}, dhSize), "where"...)
		for i := range uint32(200) {
			from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, 0, byte(i >> 8), byte(i)}), 5)
			b.Packet(hello(b.cfg.World, i, [cookieSize]byte{}, first), from)
		}
		w.wait(delay)
		if answers != b.cfg.Busy {
			t.Fatalf("%d were answered, %d may be before cookies are asked for", answers, b.cfg.Busy)
		}
		a := w.add(1, 1)
		packets := w.kinds()
		a.Ask(b.peer, []byte("where"))
		w.wait(time.Second)
		a.want(t, "re where")
		if *packets != "80 83 80 81 82 88 " {
			t.Fatalf("packets %s", *packets)
		}
	})
}

// TestQuestionLength: a hello that says that its question is longer than it is
// itself is none.
func TestQuestionLength(t *testing.T) {
	world := id.Of([]byte("world"))
	for _, n := range []int{0, 1, MaxQuestion, MaxQuestion + 1, 1<<16 - 1} {
		b := hello(world, 1, [cookieSize]byte{}, make([]byte, dhSize))
		b[helloNoise-2], b[helloNoise-1] = byte(n>>8), byte(n)
		h, err := parse(b)
		if good := n <= MaxQuestion; (err == nil) != good || good && len(h.rest) != dhSize+n {
			t.Errorf("%d bytes: %d, %v", n, len(h.rest), err)
		}
	}
}
