package session

import (
	"bytes"
	"crypto/ed25519"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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
		busy := n.initiator.begun > 0
		for _, s := range n.registry.hints {
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

// lose loses the first packets of a kind, and counts them.
func (w *network) lose(kind byte, packets int) (lost *int) {
	lost = new(int)
	w.meddle = func(_, _ netip.AddrPort, b []byte) [][]byte {
		if b[0] == kind && *lost < packets {
			*lost++
			return nil
		}
		return [][]byte{b}
	}
	return lost
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
