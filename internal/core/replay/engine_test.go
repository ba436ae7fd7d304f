package replay

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// arena is a small world in which the order of everything matters: players with
// positions whose arithmetic rounds, an AI that decides by what it sees, and
// spells that take effect later.
type arena struct {
	x, v    [4]int64
	health  [4]int64
	decided int64
	history []string // what happened, in order
}

type deed struct {
	kind  byte // 'm' move, 'c' cast; derived: 'e' effect, 'a' the AI
	who   int
	value int64
}

type arenaModel struct{}

const ms = machine.Time(time.Millisecond)

func (arenaModel) Clone(s *arena) *arena {
	c := *s
	c.history = slices.Clone(s.history)
	return &c
}

func (arenaModel) Start(_ *arena, at machine.Time, p *Plan[deed]) {
	p.Add((at/(100*ms)+1)*100*ms, deed{kind: 'a'})
}

func (arenaModel) Move(s *arena, from, to machine.Time) *arena {
	for i := range s.x {
		s.x[i] += s.v[i] * int64(to-from) / int64(7*ms) // rounds: Move(a,c) is not Move(a,b), Move(b,c)
	}
	return s
}

func (arenaModel) Run(s *arena, e Event[deed], p *Plan[deed]) *arena {
	d := e.What
	switch d.kind {
	case 'm':
		s.v[d.who] = d.value
	case 'c':
		s.v[d.who] = 0
		p.Add(e.At+70*ms, deed{'e', d.who, d.value})
		p.Add(e.At, deed{'e', (d.who + 1) % 4, 1})
	case 'e':
		s.health[d.who] = s.health[d.who]*3 - d.value + s.x[d.who]%5
	case 'a':
		s.decided = s.decided*31 + s.x[0] - s.health[1]
		s.v[3] = s.decided % 11
		p.Add(e.At+100*ms, d)
	}
	s.history = append(s.history, fmt.Sprint(e.At/ms, string(d.kind), d.who, d.value))
	return s
}

func (arenaModel) Compare(a, b deed) int {
	if a.who != b.who {
		return a.who - b.who
	}
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	return int(a.value - b.value)
}

func (s *arena) String() string {
	return fmt.Sprint(s.x, s.v, s.health, s.decided, s.history)
}

// deeds are random actions between 1 and 3000 ms, many of them at one time.
func deeds(r *rng.Rand, n int) []Event[deed] {
	out := make([]Event[deed], n)
	for i := range out {
		d := deed{'m', r.Intn(4), int64(r.Intn(21) - 10)}
		if r.OneIn(3) {
			d.kind = 'c'
		}
		out[i] = Event[deed]{machine.Time(1+r.Intn(60)*50) * ms, d}
	}
	return out
}

// inOrder is the state at a time if everything had been known from the start.
func inOrder(all []Event[deed], at machine.Time) string {
	e := New(Config{Ahead: time.Hour, Every: time.Hour}, arenaModel{}, 0, new(arena))
	for _, ev := range all {
		if err := e.Add(ev); err != nil && !errors.Is(err, ErrKnown) {
			panic(err)
		}
	}
	e.Advance(at)
	return e.Sample(at).String()
}

// However late and in whatever order actions arrive, and whenever somebody
// looks, the state is that of the actions in order (thesis 3.1.2).
func TestLateActionsGiveTheStateOfThoseInOrder(t *testing.T) {
	var again, late uint64
	for seed := range uint64(120) {
		r := rng.New(seed, 1)
		all := deeds(&r, 40)
		cfg := Config{
			Ahead: time.Hour, Every: time.Duration(1+r.Intn(400)) * time.Millisecond, Keep: 4000,
		}
		e := New(cfg, arenaModel{}, 0, new(arena))
		for i, j := range permutation(&r, len(all)) {
			if err := e.Add(all[j]); err != nil && !errors.Is(err, ErrKnown) {
				t.Fatalf("seed %d: action %d: %v", seed, i, err)
			}
			switch r.Intn(4) {
			case 0:
				e.Advance(min(e.Now()+machine.Time(r.Intn(300))*ms, 3000*ms))
			case 1:
				e.Sample(machine.Time(r.Intn(3000)) * ms)
			}
		}
		if now := e.Now(); e.Sample(now).String() != inOrder(all, now) {
			t.Fatalf("seed %d: a sample with late actions differs from the state in order", seed)
		}
		e.Advance(3000 * ms)
		if got, want := e.Sample(3000*ms).String(), inOrder(all, 3000*ms); got != want {
			t.Fatalf("seed %d:\n got %s\nwant %s", seed, got, want)
		}
		again, late = again+e.Stats().Again, late+e.Stats().Late
	}
	if again == 0 || late == 0 {
		t.Errorf("nothing ever came late (%d) or ran again (%d)", late, again)
	}
}

func permutation(r *rng.Rand, n int) []int {
	p := make([]int, n)
	for i := range p {
		j := r.Intn(i + 1)
		p[i], p[j] = p[j], i
	}
	return p
}

func TestSamplesOfThePastAreThatPast(t *testing.T) {
	r := rng.New(7)
	all := deeds(&r, 60)
	e := New(Config{Ahead: time.Hour, Every: 250 * time.Millisecond, Keep: 100}, arenaModel{}, 0, new(arena))
	for _, ev := range all {
		_ = e.Add(ev) // some are told twice
	}
	e.Advance(3000 * ms)
	for at := machine.Time(0); at <= 3000*ms; at += 33 * ms {
		if got, want := e.Sample(at).String(), inOrder(all, at); got != want {
			t.Fatalf("at %d ms:\n got %s\nwant %s", at/ms, got, want)
		}
	}
}

func TestCheckpointsBoundMemory(t *testing.T) {
	cfg := Config{Ahead: time.Second, Every: 100 * time.Millisecond, Keep: 5, Events: 1000}
	e := New(cfg, arenaModel{}, 0, new(arena))
	most := 0
	for now := machine.Time(0); now < 60_000*ms; now += 10 * ms {
		if err := e.Add(Event[deed]{now + ms, deed{'m', 1, int64(now)}}); err != nil {
			t.Fatal(err)
		}
		e.Advance(now)
		marks, actions := e.Kept()
		most = max(most, actions)
		if marks > 5 {
			t.Fatalf("%d checkpoints are kept, 5 allowed", marks)
		}
	}
	if most > 52 { // five intervals of 100 ms with an action every 10 ms, and one to come
		t.Errorf("%d actions were kept at one time, want at most 52", most)
	}
	if err := e.Add(Event[deed]{e.Floor(), deed{}}); !errors.Is(err, ErrLate) {
		t.Errorf("an action from before the oldest checkpoint: %v, want %v", err, ErrLate)
	}
	if back := e.Now() - 400*ms + ms; e.Add(Event[deed]{back, deed{'m', 2, 1}}) != nil {
		t.Errorf("an action %v late was refused with 5 checkpoints 100 ms apart", e.Now().Sub(back))
	}

	e = New(cfg, arenaModel{}, 0, new(arena))
	for i := range 1000 {
		if err := e.Add(Event[deed]{ms, deed{'m', 0, int64(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Add(Event[deed]{2 * ms, deed{}}); !errors.Is(err, ErrFull) {
		t.Errorf("action 1001 of 1000: %v, want %v", err, ErrFull)
	}
}

// After a long sleep only the checkpoints that are kept are made.
func TestSleepingDoesNotCopyForNothing(t *testing.T) {
	m := &counting{}
	e := New(Config{Every: time.Millisecond, Keep: 3}, m, 0, new(arena))
	e.Advance(machine.Time(10 * time.Minute))
	if m.clones > 10 {
		t.Errorf("%d copies were made for 3 checkpoints", m.clones)
	}
	if marks, _ := e.Kept(); marks != 3 {
		t.Errorf("%d checkpoints, want 3", marks)
	}
}

type counting struct {
	arenaModel
	clones int
}

func (m *counting) Clone(s *arena) *arena {
	m.clones++
	return m.arenaModel.Clone(s)
}

func TestLocalLag(t *testing.T) {
	e := New(Config{Lag: 150 * time.Millisecond, Ahead: 200 * time.Millisecond, Every: time.Second, Keep: 3}, arenaModel{}, 0, new(arena))
	e.Advance(1000 * ms)
	ev, err := e.Issue(deed{'m', 0, 70})
	if err != nil || ev.At != 1150*ms {
		t.Fatalf("an own action at 1000 ms happens at %d ms (%v), want 1150", ev.At/ms, err)
	}
	for _, at := range []machine.Time{1149 * ms, 1150 * ms, 1151 * ms} {
		e.Advance(at)
		if moves := e.Sample(at).v[0] != 0; moves != (at >= 1150*ms) {
			t.Errorf("at %d ms the action has happened: %v", at/ms, moves)
		}
	}
	if s := e.Stats(); s.Late != 0 || s.Rollbacks != 0 {
		t.Errorf("an action within the lag was late: %+v", s)
	}
	if err := e.Add(Event[deed]{e.Now() + 201*ms, deed{}}); !errors.Is(err, ErrAhead) {
		t.Errorf("an action 201 ms ahead: %v, want %v", err, ErrAhead)
	}
	if err := e.Add(Event[deed]{e.Now() + 200*ms, deed{}}); err != nil {
		t.Errorf("an action 200 ms ahead: %v", err)
	}
}

// An engine that is given the state others agreed on runs the actions since.
func TestRebase(t *testing.T) {
	r := rng.New(11)
	all := deeds(&r, 60)
	wrong := New(Config{Ahead: time.Hour, Every: 200 * time.Millisecond, Keep: 100}, arenaModel{}, 0, &arena{x: [4]int64{9, 9, 9, 9}})
	right := New(Config{Ahead: time.Hour, Every: 200 * time.Millisecond, Keep: 100}, arenaModel{}, 0, new(arena))
	for _, ev := range all {
		_, _ = wrong.Add(ev), right.Add(ev)
	}
	wrong.Advance(2500 * ms)
	right.Advance(2500 * ms)
	// A voted state is of a time at which everybody brings it up to date.
	const at = 1200 * ms
	for _, e := range []*Engine[*arena, deed]{wrong, right} {
		if err := e.Rebase(at, arenaModel{}.Clone(right.Sample(at))); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := wrong.Sample(2500*ms).String(), right.Sample(2500*ms).String(); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if wrong.Floor() != at {
		t.Errorf("the floor is %d, want %d", wrong.Floor(), at)
	}
	if err := wrong.Rebase(at-1, new(arena)); !errors.Is(err, ErrLate) {
		t.Errorf("a state from before the floor: %v, want %v", err, ErrLate)
	}
}

func TestPlanKeepsTheOrder(t *testing.T) {
	r := rng.New(3)
	var p Plan[int]
	var want []Event[int]
	for i := range 500 {
		at := machine.Time(r.Intn(40))
		p.Add(at, i)
		want = append(want, Event[int]{at, i})
	}
	slices.SortStableFunc(want, func(a, b Event[int]) int { return int(a.At - b.At) })
	for i, w := range want {
		if got := p.pop(); got != w {
			t.Fatalf("event %d is %v, want %v", i, got, w)
		}
	}
}
