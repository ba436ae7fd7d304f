package attack

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// still is a world in which nothing moves; what is in the state of its objects
// must be theirs.
type still struct{ t *testing.T }

func (still) World() storage.World                              { return storage.World{Side: 1000, Cell: 100, Speed: 5, Range: 50} }
func (still) Initial(geom.Rect) []*storage.Object               { return nil }
func (still) AppendObject(out []byte, _ *storage.Object) []byte { return out }
func (still) DecodeObject([]byte) (*storage.Object, error)      { return nil, nil }
func (s still) Activate(_ *storage.Player, _ geom.Point, o *storage.Object) *storage.Object {
	awake := *o
	awake.Static = false
	return &awake
}

func (s still) Replay(step *storage.Step) []*storage.Object {
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
	object := func(id storage.ObjectID, x int32, p *storage.Player) *storage.Object {
		return &storage.Object{ID: id, Pos: geom.Point{X: x}, Player: p, State: "own", Digest: storage.Digest{byte(id)}}
	}
	p := &storage.Player{}
	rules := NewTaint(still{t}, 10*time.Second) // d = 100
	for _, at := range []machine.Time{5, 15, 25} {
		rules.Acted(&storage.Action{Player: p, At: at * second})
	}
	step := func(objects []*storage.Object, acts ...machine.Time) []*storage.Object {
		s := &storage.Step{From: 10 * second, To: 20 * second, Objects: objects}
		for _, at := range acts {
			s.Actions = append(s.Actions, &storage.Action{Player: p, At: at * second})
		}
		return rules.Replay(s)
	}
	world := func() []*storage.Object {
		return []*storage.Object{object(1, 0, nil), object(2, 100, nil), object(3, 200, nil), object(4, 300, p)}
	}
	bad := func(list []*storage.Object) (ids []storage.ObjectID) {
		for _, o := range list {
			if Tampered(o) {
				ids = append(ids, o.ID)
			}
		}
		return ids
	}
	want := func(what string, list []*storage.Object, ids ...storage.ObjectID) {
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
	if a, b := Tamper(once[0]), Tamper(object(1, 0, nil)); a.Digest != b.Digest || a.Digest == (storage.Digest{1}) {
		t.Error("versions of attackers and of who was deceived are not the same")
	}
	asleep := object(9, 0, p)
	asleep.Static = true
	if w := rules.Activate(p, geom.Point{}, Tamper(asleep)); !Tampered(w) || w.Static {
		t.Error("a tampered character that wakes is clean")
	}
}
