package transport

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/faulty"
)

// echo lets a node answer every brief message with the same.
func (p *peerNode) echo() {
	p.do(func(env machine.Env) {
		p.message = func(from machine.Peer, m machine.Message) {
			p.note(from, "%v", m)
			if b, ok := m.(brief); ok {
				env.Send(from, b)
			}
		}
	})
}

// batches is how many a node has sent to another.
func (p *peerNode) batches(to machine.Peer) (n uint64) {
	p.do(func(machine.Env) {
		if k := p.loop.links[to]; k != nil {
			k.mu.Lock()
			n = k.far.sender.index
			k.mu.Unlock()
		}
	})
	return n
}

// onDatagramPath opens a link, and goes on talking until both ends use its datagram path.
func onDatagramPath(t *testing.T, a, b *peerNode) {
	t.Helper()
	b.echo()
	a.do(func(env machine.Env) { env.Open(b.peer) })
	for i, end := 0, time.Now().Add(patience); a.batches(b.peer) == 0 || b.batches(a.peer) == 0; i++ {
		if time.Now().After(end) {
			t.Fatal("nobody uses the datagram path")
		}
		a.do(func(env machine.Env) { env.Send(b.peer, brief(fmt.Sprint("hello ", i))) })
		a.until("an answer", func(log []string) bool { return len(log) > 0 && log[len(log)-1] == fmt.Sprint("hello ", i) })
	}
	a.seen()
	b.seen()
}

// TestBatchesAndStreamKeepOrder: what goes by batch and what goes over the stream arrives in
// the order in which it was sent.
func TestBatchesAndStreamKeepOrder(t *testing.T) {
	a, b := startNode(t, 1, steady), startNode(t, 2, steady)
	onDatagramPath(t, a, b)
	before := a.batches(b.peer)
	var want []string
	for i := range 200 {
		a.do(func(env machine.Env) {
			for j := range i % 4 {
				m := fmt.Sprint("brief ", i, " ", j, " ", strings.Repeat("b", i*j%900))
				env.Send(b.peer, brief(m))
				want = append(want, m)
			}
			if i%10 == 9 {
				m := strings.Repeat(fmt.Sprint(i, " "), 20000)
				env.Send(b.peer, m)
				want = append(want, m)
			}
		})
	}
	a.do(func(env machine.Env) {
		env.Send(b.peer, brief("the last"))
		env.Close(b.peer)
	})
	want = append(want, "the last", "link 2")
	b.until("all of it", func(log []string) bool { return len(log) == len(want) })
	for i, m := range b.seen() {
		if m != want[i] {
			t.Fatalf("message %d is %.30q, want %.30q", i, m, want[i])
		}
	}
	if before == 0 {
		t.Fatal("no batches")
	}
}

// TestLostBatchesComeByStream: batches that get lost come over the stream.
func TestLostBatchesComeByStream(t *testing.T) {
	w := faulty.NewNetwork(5)
	a, b := bad(t, w, 1, steady), bad(t, w, 2, steady)
	onDatagramPath(t, a, b)
	w.Set(faulty.Faults{Loss: 0.05, Duplicate: 0.1, Delay: time.Millisecond, Jitter: 5 * time.Millisecond})
	const n = 400
	for i := range n {
		a.do(func(env machine.Env) {
			env.Send(b.peer, brief(fmt.Sprint(i)))
			if i%50 == 25 {
				env.Send(b.peer, strings.Repeat("long", 10000))
			}
		})
		if i%4 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	for _, p := range []*peerNode{a, b} {
		p.until("all of it", func(log []string) bool { return len(log) > 0 && log[len(log)-1] == fmt.Sprint(n-1) })
		next := 0
		for _, m := range p.seen() {
			if strings.HasPrefix(m, "long") {
				continue
			}
			if m != fmt.Sprint(next) {
				t.Fatalf("%.20q, want %d", m, next)
			}
			next++
		}
	}
}
