package sim

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func internet(seed uint64) *Sim { return NewWith(seed, Config{Internet: ThesisInternet()}) }

// TestLatency: 6.2.1, at least 20 ms, at most 5 s, 56 to 57 ms on average.
func TestLatency(t *testing.T) {
	node, _, _, _ := pair(internet(1), 0)
	const n = 2_000_000
	var sum time.Duration
	for range n {
		d := node.latency()
		if d < 20*time.Millisecond || d > 5*time.Second {
			t.Fatal(d)
		}
		sum += d
	}
	if mean := sum / n; mean < 55*time.Millisecond || mean > 58*time.Millisecond {
		t.Fatalf("mean %v", mean)
	}
}

// TestInternetLinks: links open, carry messages in order, and close after what
// was sent before.
func TestInternetLinks(t *testing.T) {
	for seed := range uint64(50) {
		s := internet(seed)
		a, b, ma, mb := pair(s, 0)
		a.Call(func() {
			ma().env.Open(b.Peer())
			for i := range 20 {
				ma().env.Send(b.Peer(), i)
			}
		})
		s.Run(time.Minute)
		a.Call(func() { ma().env.Send(b.Peer(), 99); ma().env.Close(b.Peer()); ma().env.Send(b.Peer(), 100) })
		s.Run(time.Minute)
		want := []string{"start", "link 1"}
		for i := range 20 {
			want = append(want, fmt.Sprint("message ", i))
		}
		mb().want(t, append(want, "message 99", "link 2")...)
		ma().want(t, "start", "link 1")
	}
}

// TestCrossing: both ends open, close and open again at any moments; in the end
// both have a link or neither has (thesis 6.1.3: parallel handshakes are matched).
func TestCrossing(t *testing.T) {
	for seed := range uint64(500) {
		s := internet(seed)
		a, b, ma, mb := pair(s, 0)
		for range 30 {
			n, m, to := a, ma, b
			if s.Rand().OneIn(2) {
				n, m, to = b, mb, a
			}
			open := s.Rand().OneIn(2)
			n.Call(func() {
				if open {
					m().env.Open(to.Peer())
				} else {
					m().env.Close(to.Peer())
				}
			})
			s.Run(time.Duration(s.Rand().Intn(int(300 * time.Millisecond))))
		}
		s.Run(time.Minute)
		a.Call(func() { ma().env.Open(b.Peer()) })
		s.Run(time.Minute)
		ca, cb := a.connTo(b.Peer()), b.connTo(a.Peer())
		if ca != cb || ca == nil || !ca.ends[0].up || !ca.ends[1].up {
			t.Fatalf("seed %d: %v %v\n%q\n%q", seed, ca, cb, ma().log, mb().log)
		}
	}
}

// TestSilentFailure: 6.1.3, nobody hears of a failed node before something is
// sent to it; pings find it.
func TestSilentFailure(t *testing.T) {
	s := internet(1)
	a, b, ma, _ := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Minute)
	b.Crash()
	s.Run(time.Minute)
	ma().want(t, "start", "link 1")
	a.Call(func() { ma().env.Send(b.Peer(), 1) })
	s.Run(time.Minute)
	ma().want(t, "start", "link 1", "link 3")
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Minute)
	ma().want(t, "start", "link 1", "link 3", "link 3")

	in := ThesisInternet()
	in.Ping = 10 * time.Second
	s = NewWith(1, Config{Internet: in})
	a, b, ma, _ = pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Minute)
	b.Crash()
	s.Run(20 * time.Second)
	ma().want(t, "start", "link 1", "link 3")
}

// TestStop: a node that is stopped closes its links.
func TestStop(t *testing.T) {
	s := internet(1)
	a, b, ma, _ := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Minute)
	b.Stop()
	s.Run(time.Minute)
	ma().want(t, "start", "link 1", "link 2")
}

// TestLastWords: what a node has sent before it stops arrives, also if others send to
// it meanwhile, and they hear that it has closed the link, not that it has failed.
func TestLastWords(t *testing.T) {
	for seed := range uint64(50) {
		s := internet(seed)
		a, b, ma, mb := pair(s, 0)
		a.Call(func() { ma().env.Open(b.Peer()) })
		s.Run(time.Minute)
		begin := s.Now()
		for i := range 100 {
			s.At(begin.Add(time.Duration(i)*time.Millisecond), func() { ma().env.Send(b.Peer(), i) })
		}
		s.At(begin.Add(50*time.Millisecond), func() {
			for i := range 20 {
				mb().env.Send(a.Peer(), i)
			}
			b.Stop()
		})
		s.Run(time.Minute)
		want := []string{}
		for i := range 20 {
			want = append(want, fmt.Sprint("message ", i))
		}
		want = append(want, fmt.Sprint("link ", machine.LinkClosed))
		if log := ma().log; !slices.Equal(log[max(0, len(log)-len(want)):], want) {
			t.Fatalf("seed %d: %q", seed, log)
		}
	}
}

func TestCut(t *testing.T) {
	s := internet(1)
	a, b, ma, mb := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Minute)
	s.Cut(func(x, y machine.Peer) bool { return true })
	a.Call(func() { ma().env.Send(b.Peer(), 1) })
	s.Run(time.Minute)
	ma().want(t, "start", "link 1", "link 3")
	mb().want(t, "start", "link 1", "link 3")
	s.Cut(nil)
	a.Call(func() { ma().env.Open(b.Peer()); ma().env.Send(b.Peer(), 2) })
	s.Run(time.Minute)
	mb().want(t, "start", "link 1", "link 3", "link 1", "message 2")
}

// note is a datagram.
type note int

func (note) Datagram() {}

// TestDatagrams need no link, keep no order and may be lost.
func TestDatagrams(t *testing.T) {
	in := ThesisInternet()
	in.Loss = 0.2
	s := NewWith(1, Config{Internet: in})
	var got []note
	a := s.Add(func(env machine.Env) machine.Machine { return &echo{env: env} })
	b := s.Add(func(env machine.Env) machine.Machine { return &listener{got: &got} })
	for i := range 1000 {
		a.Call(func() { a.Machine().(*echo).env.Send(b.Peer(), note(i)) })
	}
	s.Run(time.Minute)
	if len(got) < 750 || len(got) > 850 || slices.IsSorted(got) {
		t.Fatalf("%d datagrams of 1000, in order: %v", len(got), slices.IsSorted(got))
	}
}

type listener struct {
	echo
	got *[]note
}

func (l *listener) OnMessage(_ machine.Peer, m machine.Message) { *l.got = append(*l.got, m.(note)) }

// TestChannels: a message of a megabyte takes 80 ms to pass a channel of
// 100 Mbit/s, twice.
func TestChannels(t *testing.T) {
	s := internet(1)
	tr := &Traffic{}
	s.Watch(tr)
	a, b, ma, _ := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Minute)
	for range 100 {
		a.Call(func() { ma().env.Send(b.Peer(), big{}) })
	}
	s.Run(5 * time.Minute)
	row := tr.Rows()[0]
	if row.Name != "big" || row.Messages != 100 || row.Payload != 100e6 || row.Gross != 100e6+100*116 {
		t.Fatalf("%+v", row)
	}
	// The k-th waits for k others at the first channel.
	if mean := row.Delay / 100; mean < 4*time.Second || mean > 5*time.Second {
		t.Fatalf("mean delay %v", mean)
	}
	// The last waits for 99 others before it gets into the first channel.
	if up := tr.Up[0]; up.Max < 99*80*time.Millisecond || up.Max > 100*81*time.Millisecond || up.Sum < 40*up.Max {
		t.Fatalf("waited for the upstream channel: %+v", up)
	}
	if down := tr.Down[1]; down.Messages < 100 || down.Max > time.Second {
		t.Fatalf("waited for the downstream channel: %+v", down)
	}
}

// TestCarried: messages can be told apart by what they carry.
func TestCarried(t *testing.T) {
	s := internet(1)
	tr := &Traffic{Carried: func(machine.Message) any { return inside{} }}
	s.Watch(tr)
	a, b, ma, _ := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Minute)
	a.Call(func() { ma().env.Send(b.Peer(), big{}) })
	s.Run(time.Minute)
	if row := tr.Rows()[0]; row.Name != "inside" || row.Payload != 1e6 {
		t.Fatalf("%+v", row)
	}
}

type inside struct{}

type big struct{}

func (big) Size() int { return 1e6 }

// TestClocks: 6.1.4, clocks stay within 3σ of the setting and what they drift
// between two settings, never go back, and timers follow the drift alone.
func TestClocks(t *testing.T) {
	in := ThesisInternet()
	in.Clocks = ThesisClocks()
	s := NewWith(1, Config{Internet: in})
	var nodes []*Node
	for range 100 {
		nodes = append(nodes, s.Add(func(env machine.Env) machine.Machine { return &bouncer{env} }))
	}
	last := make([]machine.Time, len(nodes))
	var far time.Duration
	for range 1000 {
		s.Run(700 * time.Millisecond)
		for i, n := range nodes {
			now := env{n}.Now()
			if now < last[i] {
				t.Fatalf("clock %d goes back by %v", i, last[i].Sub(now))
			}
			last[i] = now
			far = max(far, time.Duration(math.Abs(float64(now.Sub(s.Now())))))
		}
	}
	if far > 60*time.Millisecond || far < 3*time.Millisecond {
		t.Fatalf("clocks are up to %v wrong", far)
	}
}

// A node that fails silently does so a while after its user has left, and not at all
// if that would be after the churn's end.
func TestFailsAfterItsUserHasLeft(t *testing.T) {
	s := internet(1)
	add := func() *Node { return s.Add(func(env machine.Env) machine.Machine { return &echo{env: env} }) }
	const idle = 20 * time.Second
	var left machine.Time
	churn := Churn{Session: time.Minute, Until: machine.Time(time.Hour), Fail: 1, Idle: idle, Leave: func(*Node) { left = s.Now() }}
	n := add()
	s.Session(n, churn)
	for left == 0 {
		s.Run(time.Second)
	}
	s.Run(left.Add(idle - 1).Sub(s.Now()))
	if n.Machine() == nil {
		t.Error("it has failed too early")
	}
	s.Run(1)
	if n.Machine() != nil {
		t.Error("it has not failed")
	}
	left, n = 0, add()
	churn.Until = s.Now().Add(idle)
	s.Session(n, churn)
	s.Run(time.Hour)
	if n.Machine() == nil || left != 0 {
		t.Error("it has gone after the end")
	}
}

// TestChurn: 6.2.3, arrivals and sessions reach an equilibrium of
// session/arrival nodes.
func TestChurn(t *testing.T) {
	s := internet(1)
	var all []*Node
	s.Churn(Churn{Arrival: 10 * time.Second, Session: 10 * time.Minute, Until: machine.Time(4 * time.Hour), Fail: 0.5,
		Come: func() *Node {
			all = append(all, s.Add(func(env machine.Env) machine.Machine { return &echo{env: env} }))
			return all[len(all)-1]
		}})
	var sum, n int
	for s.Now() < machine.Time(4*time.Hour) {
		s.Run(time.Minute)
		if s.Now() > machine.Time(time.Hour) {
			n++
			for _, a := range all {
				if a.Machine() != nil {
					sum++
				}
			}
		}
	}
	if mean := float64(sum) / float64(n); mean < 50 || mean > 70 {
		t.Fatalf("%.1f nodes on average, want 60", mean)
	}
}

// TestSwing: with a day and a night more nodes come in the one half than in the
// other, and as many as without on the whole.
func TestSwing(t *testing.T) {
	s := internet(1)
	halves := [2]int{}
	const days = 20
	s.Churn(Churn{Arrival: 10 * time.Second, Session: time.Minute, Swing: 0.8, Day: time.Hour, Until: machine.Time(days * time.Hour),
		Come: func() *Node {
			halves[s.Now()/machine.Time(time.Hour/2)%2]++
			return s.Add(func(env machine.Env) machine.Machine { return &echo{env: env} })
		}})
	s.Run(days * time.Hour)
	// In each half hour 180 on average, and 0.8·2/π of that more or less.
	for k, want := range [2]float64{180 * (1 + 1.6/math.Pi), 180 * (1 - 1.6/math.Pi)} {
		if got := float64(halves[k]) / days; math.Abs(got-want) > 10 {
			t.Errorf("%.1f came in each half %d of an hour, want %.1f", got, k, want)
		}
	}
}

func BenchmarkInternet(b *testing.B) {
	s := internet(1)
	var nodes []*Node
	for range 100 {
		nodes = append(nodes, s.Add(func(env machine.Env) machine.Machine { return &echo{env: env, stop: math.MaxInt} }))
	}
	for i, n := range nodes {
		n.Call(func() {
			m, to := n.Machine().(*echo), nodes[(i+1)%100].Peer()
			m.env.Open(to)
			m.env.Send(to, 1)
		})
	}
	for _, n := range nodes {
		n.Machine().(*echo).quiet = true
	}
	b.ReportAllocs()
	b.ResetTimer()
	s.RunEvents(b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
