package transport

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// world is two nodes with the same small machine, in the simulator or over real
// sockets. a is node 0, b is node 1; node 2 does not exist.
type world interface {
	// at runs a handler on some nodes at the same time.
	at(nodes []int, do func(env machine.Env, other machine.Peer))
	end(node int, gently bool)
	// settle lets everything happen; want is what each node is to have seen, if
	// that is known.
	settle(want []string) (logs [2]string)
}

// twin writes down what a node sees.
type twin struct {
	env  machine.Env
	mu   sync.Mutex
	log  []string
	dead bool // killed: what it sees does not count
	more chan struct{}
}

func (w *twin) add(format string, args ...any) {
	w.mu.Lock()
	if w.dead {
		w.mu.Unlock()
		return
	}
	w.log = append(w.log, fmt.Sprintf(format, args...))
	w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *twin) seen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprint(w.log)
}

func (w *twin) Start()                                      {}
func (w *twin) OnTimer(machine.Timer)                       {}
func (w *twin) OnDone(uint64, any, error)                   {}
func (w *twin) OnMessage(_ machine.Peer, m machine.Message) { w.add("%v", m) }
func (w *twin) OnLink(_ machine.Peer, ev machine.LinkEvent) {
	w.add("%s", [...]string{machine.LinkUp: "up", machine.LinkClosed: "closed", machine.LinkFailed: "failed"}[ev])
}

func newTwin(env machine.Env) *twin { return &twin{env: env, more: make(chan struct{}, 1)} }

// simulated is the world in sim.Internet.
type simulated struct {
	s     *sim.Sim
	nodes [2]*sim.Node
	twins [2]*twin
}

func newSimulated() *simulated {
	in := sim.ThesisInternet()
	in.Ping = time.Second
	w := &simulated{s: sim.NewWith(1, sim.Config{Internet: in})}
	for i := range w.nodes {
		w.nodes[i] = w.s.Add(func(env machine.Env) machine.Machine {
			w.twins[i] = newTwin(env)
			return w.twins[i]
		})
	}
	w.s.Run(time.Second)
	return w
}

func (w *simulated) at(nodes []int, do func(machine.Env, machine.Peer)) {
	for _, i := range nodes {
		w.nodes[i].Call(func() { do(w.twins[i].env, w.nodes[1-i].Peer()) })
	}
}

func (w *simulated) end(node int, gently bool) {
	if gently {
		w.nodes[node].Stop()
	} else {
		w.nodes[node].Crash()
	}
}

func (w *simulated) settle([]string) (logs [2]string) {
	w.s.Run(time.Minute)
	return [2]string{w.twins[0].seen(), w.twins[1].seen()}
}

// real is the world on loopback.
type real struct {
	t     *testing.T
	loops [2]*Loop
	socks [2]*socket.Socket
	twins [2]*twin
	peers [2]machine.Peer
}

func newReal(t *testing.T) *real {
	w := &real{t: t}
	for i := range w.loops {
		s, err := socket.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		nc := testNet(byte(i + 1))
		nc.Socket = s
		w.socks[i] = s
		w.loops[i] = Start(Config{Net: &nc, Log: slog.New(slog.DiscardHandler), Machine: func(env machine.Env) machine.Machine {
			w.twins[i] = newTwin(env)
			return w.twins[i]
		}})
		w.peers[i] = w.loops[i].Self()
		w.loops[i].Call(t.Context(), func() {})
		t.Cleanup(func() { w.loops[i].Stop(); s.Close() })
	}
	return w
}

func (w *real) at(nodes []int, do func(machine.Env, machine.Peer)) {
	var inside sync.WaitGroup // nobody begins before all are in their handlers
	inside.Add(len(nodes))
	for _, i := range nodes {
		w.loops[i].post(event{kind: evCall, fn: func() {
			inside.Done()
			inside.Wait()
			do(w.twins[i].env, w.peers[1-i])
		}})
	}
}

// end stops a node; not gently means that nothing of it gets out any more.
func (w *real) end(node int, gently bool) {
	if !gently {
		k := w.twins[node]
		k.mu.Lock()
		k.dead = true
		k.mu.Unlock()
		w.socks[node].Close()
	}
	w.loops[node].Stop()
}

func (w *real) settle(want []string) (logs [2]string) {
	end := time.After(patience)
	for i, k := range w.twins {
		for logs[i] = k.seen(); logs[i] != want[i]; logs[i] = k.seen() {
			select {
			case <-k.more:
			case <-end:
				return logs
			}
		}
	}
	time.Sleep(50 * time.Millisecond) // for what should not come
	return [2]string{w.twins[0].seen(), w.twins[1].seen()}
}

// TestParity: the simulator and real sockets show a machine the same.
func TestParity(t *testing.T) {
	t.Parallel()
	a, b, both := []int{0}, []int{1}, []int{0, 1}
	open := func(env machine.Env, other machine.Peer) { env.Open(other) }
	closing := func(env machine.Env, other machine.Peer) { env.Close(other) }
	send := func(m ...machine.Message) func(machine.Env, machine.Peer) {
		return func(env machine.Env, other machine.Peer) {
			for _, m := range m {
				env.Send(other, m)
			}
		}
	}
	type step func(world)
	on := func(nodes []int, do ...func(machine.Env, machine.Peer)) step {
		return func(w world) {
			w.at(nodes, func(env machine.Env, other machine.Peer) {
				for _, f := range do {
					f(env, other)
				}
			})
		}
	}
	for name, steps := range map[string][]step{
		"open, send, close":  {on(a, open), on(a, send(1, 2)), on(b, send("x")), on(b, closing), on(a, send(3)), on(b, send(4))},
		"send at once":       {on(a, open, send(1, 2, 3)), on(b, send(4))},
		"close after send":   {on(a, open), on(a, send(1, 2, 3), closing, send(4))},
		"opened twice":       {on(a, open, open), on(a, open), on(b, open), on(a, send(1))},
		"both open":          {on(both, open), on(a, send(1)), on(b, send(2)), on(a, closing)},
		"both open and send": {on(both, open, send(1, 2)), on(both, send(3))},
		"both close":         {on(a, open), on(both, closing), on(a, open), on(both, send(1))},
		"open again":         {on(a, open), on(a, send(1), closing, open, send(2)), on(b, send(3), closing, open, send(4))},
		"no link":            {on(a, send(1), closing)},
		"nobody there":       {func(w world) { w.end(1, true) }, on(a, open)},
		"datagrams":          {on(a, send(note("x"))), on(b, send(note("y"))), on(a, open), on(a, send(note("z")))},
		"killed":             {on(a, open), func(w world) { w.end(1, false) }, on(a, send(1)), on(a, open)},
		"stopped":            {on(a, open), on(b, send(1)), func(w world) { w.end(1, true) }, on(a, send(2))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := newSimulated(), newReal(t)
			for i, do := range steps {
				do(s)
				want := s.settle(nil)
				do(r)
				if got := r.settle(want[:]); got != want {
					t.Fatalf("after step %d the nodes have seen %v and %v; in the simulator %v and %v", i+1, got[0], got[1], want[0], want[1])
				}
			}
			t.Log(s.settle(nil))
		})
	}
}
