package sim

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// TestAgenda: what is due comes out of the slots and the heap by time, what is
// due at one time in the order in which it was pushed, however bounds cut it.
func TestAgenda(t *testing.T) {
	for seed := range uint64(100) {
		draw := rng.New(seed, 1)
		const width = 10
		a := agenda{width: width}
		var want, got []due
		seq := uint64(0)
		for now := machine.Time(0); seq < 3000 || a.count+len(a.later.a) > 0; {
			for k := draw.Intn(6); k > 0 && seq < 3000; k-- {
				far := []int{5, 50, 3 * slotsAhead * width}[draw.Intn(3)]
				d := due{at: now + machine.Time(draw.Intn(far)), seq: seq}
				a.push(d)
				want = append(want, d)
				seq++
			}
			bound := due{at: a.end()}
			cut := draw.OneIn(3)
			if at := now + machine.Time(draw.Intn(width)); cut && at < bound.at {
				bound = due{at: at, seq: seq}
			}
			list := a.take(nil, &bound)
			slices.SortFunc(list, byTime)
			got = append(got, list...)
			now = bound.at
			if now == a.end() {
				a.advance(a.nextSlot(a.slot + 1 + int64(draw.Intn(50))))
				a.advance(max(a.slot, int64(now/width)))
				now = machine.Time(a.slot) * width
			}
		}
		slices.SortFunc(want, byTime)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: not everything came, or not in order", seed)
		}
	}
}

func byTime(d, e due) int { return cmp.Or(cmp.Compare(d.at, e.at), cmp.Compare(d.seq, e.seq)) }

// diary is a machine that writes down when what happens to it, and lets
// messages, timers, links and jobs follow from each other.
type diary struct {
	env   machine.Env
	peers []machine.Peer
	lines []string
	opens int // it opens links to peers from this one on
	left  int
}

func (m *diary) note(format string, a ...any) {
	m.lines = append(m.lines, fmt.Sprintf("%d ", m.env.Now())+fmt.Sprintf(format, a...))
}

func (m *diary) Start() { m.note("start") }

func (m *diary) OnMessage(from machine.Peer, msg machine.Message) {
	m.note("%v from %s", msg, from.ID.Short())
	m.later(msg.(int))
}
func (m *diary) OnTimer(t machine.Timer) {
	m.note("timer %d", t.Arg)
	m.act(int(t.Arg))
}
func (m *diary) OnLink(p machine.Peer, e machine.LinkEvent) {
	m.note("link %d %s", e, p.ID.Short())
	if e == machine.LinkUp {
		m.later(1)
	}
}

// later acts at a time of its own, so that no two messages come at once: which is
// the first then goes by the order in which they were sent, and with windows that
// is another.
func (m *diary) later(n int) {
	m.env.SetTimer(m.env.Now().Add(time.Duration(m.env.Rand().Intn(int(3*time.Millisecond)))), machine.Timer{Arg: uint64(n)})
}

func (m *diary) OnDone(tag uint64, _ any, _ error) {
	m.note("done %d", tag)
	m.later(int(tag))
}

func (m *diary) act(n int) {
	if m.left == 0 {
		return
	}
	m.left--
	r := m.env.Rand()
	to := m.peers[r.Intn(len(m.peers))]
	switch r.Intn(6) {
	case 0:
		m.env.Close(to)
	case 1:
		m.env.SetTimer(m.env.Now().Add(time.Duration(r.Intn(int(30*time.Millisecond)))), machine.Timer{Arg: uint64(n)})
	case 2:
		m.env.Do("", uint64(n), double(n))
	case 3:
		m.env.SetTimer(m.env.Now(), machine.Timer{Arg: uint64(n + 100)})
	}
	k := r.Intn(len(m.peers))
	if k >= m.opens {
		m.env.Open(m.peers[k])
	}
	m.env.Send(m.peers[k], n+1)
}

// diaries runs machines with windows or without, and returns what each has written; at some times
// scripts look at them, stop one and start it again.
func diaries(seed uint64, windows bool) (lines [][]string, seen []int) {
	in := ThesisInternet()
	in.Rate = 100_000
	s := NewWith(seed, Config{Internet: in})
	if !windows {
		s.events.width = 0
	}
	nodes := make([]*Node, 8)
	var peers []machine.Peer
	count := func() (n int) {
		for i, node := range nodes {
			if m := node.Machine(); m != nil {
				n += len(m.(*diary).lines) << i
			}
		}
		return n
	}
	draw := rng.New(seed, 2)
	for i := range nodes {
		nodes[i] = s.Add(func(env machine.Env) machine.Machine { return &diary{env: env, left: 300} })
		peers = append(peers, nodes[i].Peer())
	}
	for i, n := range nodes {
		m := n.Machine().(*diary)
		// Of two only one opens links: with windows another may be the first when
		// two do so at once.
		m.peers, m.opens = slices.Delete(slices.Clone(peers), i, i+1), i
		s.At(machine.Time(i)*1_234_567, func() { n.Call(func() { m.act(i) }) })
	}
	for range 20 {
		s.At(machine.Time(draw.Intn(int(2*time.Second))), func() { seen = append(seen, count()) })
	}
	keep := map[int][]string{}
	s.At(machine.Time(700*time.Millisecond)+1, func() {
		keep[3] = nodes[3].Machine().(*diary).lines
		nodes[3].Crash()
	})
	s.At(machine.Time(900*time.Millisecond), func() {
		nodes[3].Restart()
		nodes[3].Machine().(*diary).peers = peers[4:]
	})
	s.Run(time.Second + 5*time.Millisecond) // ends within a window
	s.Run(time.Minute)
	for i, n := range nodes {
		lines = append(lines, append(keep[i], n.Machine().(*diary).lines...))
	}
	return lines, seen
}

// TestWindowsChangeNothing: whether events are handled one after the other or
// node by node within windows, the same happens to each node at the same times.
func TestWindowsChangeNothing(t *testing.T) {
	lines := 0
	for seed := range uint64(50) {
		one, seenOne := diaries(seed, false)
		all, seenAll := diaries(seed, true)
		for i := range one {
			if !slices.Equal(one[i], all[i]) {
				for k := range one[i] {
					if k >= len(all[i]) || one[i][k] != all[i][k] {
						t.Fatalf("seed %d, node %d, line %d of %d and %d: %q and %q", seed, i, k, len(one[i]), len(all[i]), one[i][k], all[i][min(k, len(all[i])-1)])
					}
				}
				t.Fatalf("seed %d, node %d: %d lines and %d", seed, i, len(one[i]), len(all[i]))
			}
		}
		if !slices.Equal(seenOne, seenAll) {
			t.Fatalf("seed %d: scripts saw %v and, with windows, %v", seed, seenOne, seenAll)
		}
		lines += len(slices.Concat(one...))
	}
	if lines < 10_000 {
		t.Fatalf("only %d lines", lines)
	}
}
