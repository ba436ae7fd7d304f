package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// echo keeps a log of what happens to it and answers numbers with the next one.
type echo struct {
	env  machine.Env
	log  []string
	stop int // numbers from here on are not answered
	// quiet keeps no log.
	quiet bool
}

func (m *echo) note(format string, a ...any) {
	if m.quiet {
		return
	}
	m.log = append(m.log, fmt.Sprintf(format, a...))
}

func (m *echo) Start() { m.note("start") }
func (m *echo) OnMessage(from machine.Peer, msg machine.Message) {
	m.note("message %v", msg)
	if n, ok := msg.(int); ok && n < m.stop {
		m.env.Send(from, n+1)
	}
}
func (m *echo) OnTimer(t machine.Timer)                    { m.note("timer %d", t.Arg) }
func (m *echo) OnLink(p machine.Peer, e machine.LinkEvent) { m.note("link %d", e) }
func (m *echo) OnDone(tag uint64, result any, err error)   { m.note("done %d %v %v", tag, result, err) }

func pair(s *Sim, stop int) (a, b *Node, ma, mb func() *echo) {
	build := func(env machine.Env) machine.Machine { return &echo{env: env, stop: stop} }
	a, b = s.Add(build), s.Add(build)
	return a, b, func() *echo { return a.Machine().(*echo) }, func() *echo { return b.Machine().(*echo) }
}

func (m *echo) want(t *testing.T, log ...string) {
	t.Helper()
	if !slices.Equal(m.log, log) {
		t.Fatalf("log\n%q, want\n%q", m.log, log)
	}
}

func TestLinks(t *testing.T) {
	s := New(1)
	a, b, ma, mb := pair(s, 3)
	a.Call(func() { ma().env.Open(b.Peer()); ma().env.Send(b.Peer(), 1) })
	s.Run(time.Second)
	a.Call(func() { ma().env.Send(b.Peer(), 9); ma().env.Close(b.Peer()); ma().env.Send(b.Peer(), 10) })
	s.Run(time.Second)
	ma().want(t, "start", "link 1", "message 2")
	mb().want(t, "start", "link 1", "message 1", "message 3", "message 9", "link 2")
}

func TestOrderUnderJitter(t *testing.T) {
	s := NewWith(7, Config{Delay: time.Millisecond, Jitter: 50 * time.Millisecond})
	a, b, ma, mb := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	for i := range 100 {
		a.Call(func() { ma().env.Send(b.Peer(), i) })
		s.Run(time.Millisecond)
	}
	s.Run(time.Second)
	if n := len(mb().log); n != 102 {
		t.Fatalf("%d entries, want 102", n)
	}
	for i, e := range mb().log[2:] {
		if e != fmt.Sprintf("message %d", i) {
			t.Fatalf("entry %d is %q", i, e)
		}
	}
}

func TestCrash(t *testing.T) {
	s := New(1)
	a, b, ma, mb := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Second)
	b.Call(func() {
		e := mb().env
		e.SetTimer(s.Now().Add(time.Second), machine.Timer{Arg: 5})
		e.Do("x", 1, put("k", "v"))
	})
	s.Run(500 * time.Millisecond)
	b.Crash()
	a.Call(func() { ma().env.Send(b.Peer(), 1) })
	s.Run(time.Second)
	b.Restart()
	s.Run(time.Second)
	mb().want(t, "start")
	ma().want(t, "start", "link 1", "link 3")
	if v, _ := b.Disk.Get("s", "k"); string(v) != "v" {
		t.Fatal("an acknowledged write is lost")
	}
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Second)
	ma().want(t, "start", "link 1", "link 3", "link 1")
}

func put(k, v string) machine.DiskWrite {
	return machine.DiskWrite{Space: "s", Put: []machine.KV{{Key: []byte(k), Value: []byte(v)}}}
}

type double int

func (d double) Run() (any, error) { return int(d) * 2, nil }

func TestJobs(t *testing.T) {
	s := New(1)
	a, _, ma, _ := pair(s, 0)
	do := func(queue string, tag uint64, j machine.Job) { a.Call(func() { ma().env.Do(queue, tag, j) }) }
	do("q", 1, put("b", "1"))
	do("q", 2, put("a", "2"))
	do("q", 3, machine.DiskRead{Space: "s"})
	s.Run(time.Second)
	do("", 4, double(21))
	do("", 5, "what?")
	s.Run(time.Second)
	a.Disk.FailNext = 1
	do("q", 6, put("c", "3"))
	do("q", 7, put("d", "4"))
	s.Run(time.Second)
	a.Disk.Full = true
	do("q", 8, put("e", "5"))
	s.Run(time.Second)
	ma().want(t, "start", "done 1 <nil> <nil>", "done 2 <nil> <nil>",
		"done 3 [{[97] [50]} {[98] [49]}] <nil>", "done 4 42 <nil>",
		"done 5 <nil> unknown kind of job: string", "done 6 <nil> simulated disk error",
		"done 7 <nil> an earlier write failed: simulated disk error",
		"done 8 <nil> simulated disk: the disk is full")
}

// TestCrashKeepsWhatWasReported: a write that was reported is there after a
// crash at any moment, and what is there is a prefix of what was asked for.
func TestCrashKeepsWhatWasReported(t *testing.T) {
	for seed := range uint64(200) {
		s := New(seed)
		a, _, ma, _ := pair(s, 0)
		for i := range 10 {
			a.Call(func() { ma().env.Do("q", uint64(i), put(fmt.Sprint(i), "x")) })
		}
		s.RunEvents(s.Rand().Intn(25))
		reported := 0
		for _, e := range ma().log {
			if e != "start" {
				reported++
			}
		}
		a.Crash()
		there := 0
		for i := range 10 {
			if _, ok := a.Disk.Get("s", fmt.Sprint(i)); ok && there == i {
				there++
			} else if ok {
				t.Fatalf("seed %d: write %d is there, %d is not", seed, i, there)
			}
		}
		if there < reported || there > reported+1 {
			t.Fatalf("seed %d: %d writes on disk, %d reported", seed, there, reported)
		}
	}
}

func TestPausedReaderFillsUp(t *testing.T) {
	s := NewWith(1, Config{Limit: 10})
	a, b, ma, mb := pair(s, 0)
	a.Call(func() { ma().env.Open(b.Peer()) })
	s.Run(time.Second)
	b.Pause()
	for i := range 10 {
		a.Call(func() { ma().env.Send(b.Peer(), i) })
	}
	s.Run(time.Second)
	if n, limit := machine.Backlog(ma().env, b.Peer()); n != 10 || limit != 10 || !machine.Crowded(ma().env, b.Peer()) {
		t.Fatalf("backlog %d of %d", n, limit)
	}
	b.Resume()
	s.Run(time.Second)
	if len(mb().log) != 12 {
		t.Fatalf("log %q", mb().log)
	}
	b.Pause()
	for i := range 11 {
		a.Call(func() { ma().env.Send(b.Peer(), i) })
	}
	s.Run(time.Second)
	ma().want(t, "start", "link 1", "link 3")
}

func TestSameSeedSameTrace(t *testing.T) {
	run := func(seed uint64) (uint64, uint64) {
		s := NewWith(seed, Config{Jitter: 5 * time.Millisecond})
		a, b, ma, _ := pair(s, 50)
		a.Call(func() { ma().env.Open(b.Peer()); ma().env.Send(b.Peer(), 1) })
		s.Run(100 * time.Millisecond)
		b.Crash()
		s.Run(time.Second)
		return s.Trace(), s.Events()
	}
	t1, n1 := run(3)
	t2, n2 := run(3)
	t3, _ := run(4)
	if t1 != t2 || n1 != n2 || t1 == t3 {
		t.Fatalf("traces %x (%d) %x (%d) %x", t1, n1, t2, n2, t3)
	}
}

func BenchmarkEvents(b *testing.B) {
	s := New(1)
	build := func(env machine.Env) machine.Machine { return &bouncer{env} }
	for range 100 {
		n := s.Add(build)
		n.Call(func() {
			for i := range 10 {
				n.Machine().(*bouncer).env.SetTimer(s.Now().Add(time.Duration(i)), machine.Timer{Arg: uint64(i)})
			}
		})
	}
	b.ReportAllocs()
	b.ResetTimer()
	s.RunEvents(b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

// bouncer sets every timer again.
type bouncer struct{ env machine.Env }

func (m *bouncer) Start()                                  {}
func (m *bouncer) OnMessage(machine.Peer, machine.Message) {}
func (m *bouncer) OnTimer(t machine.Timer) {
	m.env.SetTimer(m.env.Now().Add(time.Millisecond), t)
}
func (m *bouncer) OnLink(machine.Peer, machine.LinkEvent) {}
func (m *bouncer) OnDone(uint64, any, error)              {}
