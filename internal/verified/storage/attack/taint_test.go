package attack

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// still is a world in which nothing moves; what is in the state of its objects
// must be theirs.
type still struct{ t *testing.T }

func (still) World() state.World                              { return state.World{Side: 1000, Cell: 100, Speed: 5, Range: 50} }
func (still) Initial(geom.Rect) []*state.Object               { return nil }
func (still) AppendObject(out []byte, _ *state.Object) []byte { return out }
func (still) DecodeObject([]byte) (*state.Object, error)      { return nil, nil }
func (s still) Activate(_ *state.Player, _ geom.Point, o *state.Object) *state.Object {
	awake := *o
	awake.Static = false
	return &awake
}

func (s still) Replay(step *state.Step) []*state.Object {
	for _, o := range step.Objects {
		if o.State != "own" {
			s.t.Errorf("the rules get object %d with state %v", o.ID, o.State)
		}
	}
	return step.Objects
}

// Taint spreads by d = v·Δt + d_i in each step, and from where an action is
// missing (6.4.4).
func TestTaintSpreads(t *testing.T) {
	const second = machine.Time(time.Second)
	object := func(id state.ObjectID, x int32, p *state.Player) *state.Object {
		return &state.Object{ID: id, Pos: geom.Point{X: x}, Player: p, State: "own", Digest: state.Digest{byte(id)}}
	}
	p := &state.Player{}
	rules := NewTaint(still{t}, 10*time.Second) // d = 100
	for _, at := range []machine.Time{5, 15, 25} {
		a := &state.Action{Player: p, At: at * second}
		rules.Acted(a)
		rules.Signed(&state.Batch{Player: p, Actions: []*state.Action{a}})
	}
	step := func(objects []*state.Object, acts ...machine.Time) []*state.Object {
		s := &state.Step{From: 10 * second, To: 20 * second, Objects: objects}
		for _, at := range acts {
			s.Actions = append(s.Actions, &state.Action{Player: p, At: at * second})
		}
		return rules.Replay(s)
	}
	world := func() []*state.Object {
		return []*state.Object{object(1, 0, nil), object(2, 100, nil), object(3, 200, nil), object(4, 300, p)}
	}
	bad := func(list []*state.Object) (ids []state.ObjectID) {
		for _, o := range list {
			if Tampered(o) {
				ids = append(ids, o.ID)
			}
		}
		return ids
	}
	want := func(what string, list []*state.Object, ids ...state.ObjectID) {
		t.Helper()
		got := bad(list)
		if len(got) != len(ids) {
			t.Fatalf("%s: %v are tainted, want %v", what, got, ids)
		}
		for i := range ids {
			if got[i] != ids[i] {
				t.Fatalf("%s: %v are tainted, want %v", what, got, ids)
			}
		}
	}
	want("nobody attacks", step(world(), 15))
	hit := world()
	hit[0] = Tamper(hit[0])
	once := step(hit, 15)
	want("one object", once, 1, 2)
	want("a step later", step(once, 15), 1, 2, 3)
	want("an action is missing", step(world()), 3, 4)
	if a, b := Tamper(once[0]), Tamper(object(1, 0, nil)); a.Digest != b.Digest || a.Digest == (state.Digest{1}) {
		t.Error("versions of attackers and of who was deceived are not the same")
	}
	asleep := object(9, 0, p)
	asleep.Static = true
	if w := rules.Activate(p, geom.Point{}, Tamper(asleep)); !Tampered(w) || w.Static {
		t.Error("a tampered character that wakes is clean")
	}
}

// What a player's own node has not signed no attacker has taken away: it is told apart,
// also when it spreads, and where an attacker reaches as well it is the attacker's.
func TestOwnLossesAreNoTampering(t *testing.T) {
	const second = machine.Time(time.Second)
	p := &state.Player{}
	rules := NewTaint(still{t}, 10*time.Second) // d = 100
	rules.Acted(&state.Action{Player: p, At: 15 * second})
	if n := rules.Unsigned(p, 10*second, 20*second); n != 1 {
		t.Errorf("%d actions are unsigned, not 1", n)
	}
	var world []*state.Object
	for x := range int32(4) {
		world = append(world, &state.Object{ID: state.ObjectID(x + 1), Pos: geom.Point{X: 100 * x}, State: "own"})
	}
	world[0].Player = p
	step := func(from machine.Time, objects []*state.Object) (lost, tampered int) {
		world = rules.Replay(&state.Step{From: from * second, To: (from + 10) * second, Objects: objects})
		for _, o := range world {
			switch {
			case Lost(o):
				lost++
			case Tampered(o):
				tampered++
			}
		}
		return lost, tampered
	}
	if lost, tampered := step(10, world); lost != 2 || tampered != 0 {
		t.Errorf("after the loss %d objects are lost and %d tampered with, want 2 and 0", lost, tampered)
	}
	if lost, tampered := step(20, world); lost != 3 || tampered != 0 {
		t.Errorf("a step later %d objects are lost and %d tampered with, want 3 and 0", lost, tampered)
	}
	world[3] = Tamper(world[3])
	if lost, tampered := step(30, world); lost != 2 || tampered != 2 {
		t.Errorf("beside an attacker %d objects are lost and %d tampered with, want 2 and 2", lost, tampered)
	}
}

// What was long ago is forgotten, and what came after it is counted as before.
func TestTaintForgets(t *testing.T) {
	p := &state.Player{}
	taint := NewTaint(still{t}, time.Second)
	for at := range machine.Time(10) {
		taint.Acted(&state.Action{Player: p, At: at + 1})
	}
	taint.Signed(&state.Batch{Player: p, Actions: []*state.Action{{Player: p, At: 7}}})
	taint.Forget(5)
	if got := taint.Unsigned(p, 5, 10); got != 4 {
		t.Errorf("%d of five actions are not signed, want 4", got)
	}
	if got := len(taint.acts[p]); got != 5 {
		t.Errorf("%d actions are kept, want 5", got)
	}
}
