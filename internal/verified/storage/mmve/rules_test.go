package mmve

import (
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

func sortActions(list []*state.Action) {
	slices.SortFunc(list, func(a, b *state.Action) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
}

// fight is one awake character and one NPC, as far apart as given.
func fight(t *testing.T, apart int32) (*World, []*state.Object) {
	t.Helper()
	all := players(1)
	w := New(Config{Seed: 1, Side: 1000, NPCs: 1, Points: 1}, all)
	place := geom.Point{X: 50000, Y: 50000}
	n := newNPC(1, place, npc{home: place, walk: leg{place, place, 0, 100 * sec}, health: fullHealth})
	c := newCharacter(all[0], false, geom.Point{X: place.X + apart, Y: place.Y}, character{
		walk: standing(geom.Point{X: place.X + apart, Y: place.Y}, 0), health: fullHealth, bag: newBag(nil),
	})
	return w, []*state.Object{n, c}
}

func doing(p *state.Player, at machine.Time, seq uint64, d deed) *state.Action {
	return &state.Action{Player: p, Seq: seq, At: at, Body: d.body(), Size: ActionSize}
}

func run(w *World, objects []*state.Object, actions ...*state.Action) []*state.Object {
	return w.Replay(&state.Step{To: 10 * sec, Target: w.whole(), Objects: objects, Actions: actions})
}

// An interaction reaches 40 m (thesis 6.4.1).
func TestStrikesReachForty(t *testing.T) {
	for _, c := range []struct {
		apart int32
		want  uint8
	}{{0, 90}, {4000, 90}, {4001, 100}} {
		w, objects := fight(t, c.apart)
		out := run(w, objects, doing(objects[1].Player, sec, 1, deed{kind: strike, target: 1}))
		if got := out[0].State.(*npc).health; got != c.want {
			t.Errorf("struck from %d cm away, an NPC has health %d, want %d", c.apart, got, c.want)
		}
		if old := objects[0].State.(*npc).health; old != fullHealth {
			t.Error("the replay has changed what it was given")
		}
	}
}

func TestActionsThatRulesRefuse(t *testing.T) {
	w, objects := fight(t, 0)
	p := objects[1].Player
	for name, body := range map[string][]byte{
		"empty": {}, "short": {1, 2}, "unknown": append([]byte{byte(kinds)}, make([]byte, 9)...),
		"trailing": append(make([]byte, 9), 1), "long": make([]byte, 11),
	} {
		out := run(w, objects, &state.Action{Player: p, Seq: 1, At: sec, Body: body})
		if out[1] != objects[1] {
			t.Errorf("%s: an action that means nothing has changed the character", name)
		}
	}
	// Nobody walks out of the world, or faster than 6 m/s.
	out := run(w, objects, doing(p, 0, 1, deed{kind: move, to: geom.Point{X: -1 << 30, Y: 1 << 30}}))
	c := out[1].State.(*character)
	if c.walk.to != w.inside(c.walk.to) {
		t.Errorf("walks to %v, outside of the world", c.walk.to)
	}
	if far := out[1].Pos.Dist2(objects[1].Pos); far > 6000*6000 {
		t.Errorf("moved %d cm in 10 s", root(far))
	}
}

// A character takes part after it was woken, and stays if it acts to come
// (thesis 5.4.1, Player Activation and Deactivation).
func TestComingAndGoing(t *testing.T) {
	all := players(1)
	w := New(Config{Seed: 1, Side: 1000, NPCs: 1, Points: 1}, all)
	i := slices.IndexFunc(w.Initial(w.whole()), func(o *state.Object) bool { return o.Player != nil })
	asleep := w.Initial(w.whole())[i]

	woken := w.Activate(all[0], asleep.Pos, asleep)
	if woken.Static || woken.Digest == asleep.Digest || woken.Size != asleep.Size {
		t.Fatalf("woken: %+v", woken)
	}
	if w.Activate(all[0], asleep.Pos, woken) != nil {
		t.Error("one who is awake was woken")
	}
	if out := run(w, []*state.Object{woken}); len(out) != 1 || out[0].Digest != asleep.Digest {
		t.Error("one who did not come is not what it was before")
	}
	if out := run(w, []*state.Object{woken}, doing(all[0], sec, 1, deed{kind: move})); out[0].Digest != asleep.Digest {
		t.Error("one who has not come walks")
	}
	out := run(w, []*state.Object{woken}, doing(all[0], sec, 1, deed{kind: activate}))
	if out[0].Static || out[0].State.(*character).coming != present {
		t.Fatal("one who came is not there")
	}
	there := out[0]
	if out := run(w, []*state.Object{there}); out[0] != there {
		t.Error("one who stands there has become another version")
	}
	out = run(w, []*state.Object{there}, doing(all[0], sec, 2, deed{kind: move, to: geom.Point{}}), doing(all[0], 2*sec, 3, deed{kind: deactivate}))
	if gone := out[0]; !gone.Static || root(gone.Pos.Dist2(there.Pos)) > 600 || gone.Pos == there.Pos {
		t.Errorf("one who left after a second's walk lies at %v, was at %v", gone.Pos, there.Pos)
	}

	newcomer := players(2)[1]
	first := w.Activate(newcomer, geom.Point{X: 5, Y: 6}, nil)
	if first == nil || first.Size != smallest || first.Pos != (geom.Point{X: 5, Y: 6}) {
		t.Fatalf("a newcomer's character: %+v", first)
	}
	if out := run(w, []*state.Object{first}); len(out) != 0 {
		t.Error("a newcomer who did not come has left something")
	}
	if out := run(w, []*state.Object{first}, doing(newcomer, sec, 1, deed{kind: activate})); len(out) != 1 {
		t.Error("a newcomer who came is not there")
	}
}

// NPCs stay within 40 m of their home and do not hurry (thesis 6.4.1).
func TestNPCsWanderAboutHome(t *testing.T) {
	w := New(Config{Seed: 9, Side: 300, NPCs: 100, Points: 2}, nil)
	objects := w.Initial(w.whole())
	moved := 0
	for now := machine.Time(0); now < 200*sec; now += 10 * sec {
		next := w.Replay(&state.Step{From: now, To: now + 10*sec, Target: w.whole(), Objects: objects})
		for i, o := range next {
			if home := o.State.(*npc).home; home.Dist2(o.Pos) > wander*wander {
				t.Fatalf("NPC %d is %d cm from home", o.ID, root(home.Dist2(o.Pos)))
			}
			if far := root(o.Pos.Dist2(objects[i].Pos)); far > 4002 {
				t.Fatalf("NPC %d went %d cm in 10 s", o.ID, far)
			} else if far > 0 {
				moved++
			}
		}
		objects = next
	}
	if moved < 1990 {
		t.Errorf("NPCs moved in %d of 2000 steps", moved)
	}
}

// Those who replay the same versions get the same objects: nothing is copied for
// each replica.
func TestReplicasShare(t *testing.T) {
	all := players(20)
	w := New(Config{Seed: 3, Side: 300, Points: 2}, all)
	objects := w.Initial(w.whole())
	for i, o := range objects {
		if o.Static {
			objects[i] = w.Activate(o.Player, o.Pos, o)
		}
	}
	s := state.Step{To: 10 * sec, Target: w.whole(), Objects: objects, Actions: newCrowd(w, all).actions(10 * sec)}
	one, two := w.Replay(&s), w.Replay(&s)
	for i := range one {
		if one[i] != two[i] {
			t.Fatalf("object %x was made twice", one[i].ID)
		}
		again, err := w.DecodeObject(w.AppendObject(nil, one[i]))
		if err != nil || again != one[i] {
			t.Fatalf("object %x came back from its encoding as another (%v)", one[i].ID, err)
		}
	}
}

func TestEncodings(t *testing.T) {
	all := players(20)
	w := New(Config{Seed: 3, Side: 300, Points: 2}, all)
	elsewhere := New(Config{Seed: 3, Side: 300, Points: 2}, nil) // knows nobody
	for _, o := range w.Initial(w.whole()) {
		b := w.AppendObject(nil, o)
		if len(b) != o.Size {
			t.Fatalf("object %x has %d bytes, says %d", o.ID, len(b), o.Size)
		}
		got, err := elsewhere.DecodeObject(b)
		if err != nil || got.Digest != o.Digest || got.Static != o.Static || got.Pos != o.Pos {
			t.Fatalf("object %x: %v, %+v", o.ID, err, got)
		}
		if o.Player != nil && *got.Player != *o.Player {
			t.Fatalf("player %v came back as %v", o.Player, got.Player)
		}
		if _, err := w.DecodeObject(b[:len(b)-1]); err == nil && o.Player == nil {
			t.Fatal("an NPC without its last byte was read")
		}
	}
}

// What others send can be anything; what is read can be replayed.
func FuzzDecodeObject(f *testing.F) {
	all := players(2)
	w := New(Config{Seed: 3, Side: 300, NPCs: 3, Points: 2}, all)
	for _, o := range w.Initial(w.whole()) {
		f.Add(w.AppendObject(nil, o))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := w.DecodeObject(b)
		if err != nil {
			return
		}
		if again := w.AppendObject(nil, o); string(again) != string(b) {
			t.Fatalf("read %x, written %x", b, again)
		}
		for _, to := range []machine.Time{0, sec, 1 << 60} {
			for _, next := range w.Replay(&state.Step{To: to, Target: w.whole(), Objects: []*state.Object{o}}) {
				if next.Pos != w.inside(next.Pos) {
					t.Fatalf("%v is out of the world", next.Pos)
				}
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(deed{kind: move, to: geom.Point{X: -1, Y: 7}}.body())
	f.Add(deed{kind: strike, target: 77}.body())
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := parse(b)
		if err != nil {
			return
		}
		if again, err := parse(d.body()); err != nil || again != d {
			t.Fatalf("%v became %v (%v)", d, again, err)
		}
	})
}

// What players do is what the thesis says (6.4.1, Modelling Player Behaviour).
func TestPlayersBehave(t *testing.T) {
	all := players(300)
	w := New(Config{Seed: 4}, all)
	place := rng.New(4)
	spent := map[activity]machine.Time{}
	began := map[activity]int{}
	for _, p := range all {
		m := w.NewMind(p, 0, w.anywhere(&place))
		last, acted := machine.Time(0), machine.Time(-1)
		for m.Next() < 7200*sec {
			now, before, ends := m.Next(), m.doing, m.until
			spent[before] += now - last
			body := m.Act()
			if d, err := parse(body); body != nil && err != nil {
				t.Fatalf("action %v: %v", d, err)
			}
			if before == interacting && now < ends && acted >= 0 {
				if pause := now - acted; pause > sec || pause < sec*3/10 {
					t.Fatalf("while interacting %v passed between two actions", now.Sub(acted))
				}
				if m.Place(now).Dist2(m.centre) > (around+around)*(around+around) {
					t.Fatal("one who interacts is far from where it does")
				}
			}
			if now >= ends || before == absent {
				began[m.doing]++
			}
			if last = now; body != nil {
				acted = now
			}
		}
	}
	total := began[idle] + began[moving] + began[interacting]
	if n := began[idle] * 100 / total; n < 8 || n > 13 {
		t.Errorf("players idle in %d %% of choices, want 10 (and once on coming)", n)
	}
	if n := began[moving] * 100 / total; n < 46 || n > 53 {
		t.Errorf("players move in %d %% of choices, want 50", n)
	}
	if spent[interacting] < spent[idle] {
		t.Errorf("time spent: %v", spent)
	}
}

func sortObjects(list []*state.Object) { slices.SortFunc(list, state.ByID) }
