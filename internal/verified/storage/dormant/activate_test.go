package dormant

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// wakingRules wake whoever is found, and make a character at home for who has none.
type wakingRules struct{ statetest.Rules }

func (wakingRules) Activate(p *state.Player, at geom.Point, o *state.Object) *state.Object {
	if o == nil && at == p.Home {
		return statetest.Thing(9, 1)
	}
	return o
}

// A character is woken by its own player's node, where it lies, and not for an update whose
// state everybody has.
func TestWhoWakesACharacter(t *testing.T) {
	for _, c := range []struct {
		name  string
		by    id.ID
		at    geom.Point
		late  machine.Time // after t^s
		woken int
	}{
		{"its player", id.ID{7}, geom.Point{X: 450, Y: 300}, 0, 1},
		{"somebody else", id.ID{8}, geom.Point{X: 450, Y: 300}, 0, 0},
		{"its player, elsewhere", id.ID{7}, geom.Point{X: 451, Y: 300}, 0, 0},
		{"its player, too late", id.ID{7}, geom.Point{X: 450, Y: 300}, 1, 0},
	} {
		player := &state.Player{ID: id.ID{7}, Home: geom.Point{X: 450, Y: 300}}
		const of = 5
		times := state.Timing{LMax: 2 * time.Second, Deviates: 10 * time.Millisecond}
		ds := newBare(statetest.Frozen{At: times.State(of) + c.late}, wakingRules{})
		ds.Time = times
		asleep := statetest.Thing(3, 1)
		asleep.Pos, asleep.Player, asleep.Static = geom.Point{X: 450, Y: 300}, player, true
		ds.static[asleep.ID] = asleep
		ds.OnActivate(&overlay.Contact{ID: c.by}, &messages.Activate{Player: player, Place: c.at, Of: of})
		if n := len(ds.activated); n != c.woken {
			t.Errorf("%s: %d are woken, want %d", c.name, n, c.woken)
		}
	}
}

// newBare is the store of a node that is alone in its zone.
func newBare(env machine.Env, rules state.Rules) *Store {
	space, world := overlay.SpaceFor(4), state.World{Side: 900, Cell: 100}
	p := &part.Part{
		Space: space, World: world, Places: state.NewMapping(space, world), Zone: 3, Self: &overlay.Contact{ID: id.ID{255}, Pos: space.SubArea(3).Min},
		Env: env, Cfg: &part.Settings{Rules: rules}, Hardened: true,
	}
	area := &placement.Area{Part: p}
	electorate := placement.AllPresent(p)
	return New(p, Surroundings{Area: area, Zones: &electorate, Replica: replica.New(p, area), Fetching: func(geom.Point) bool { return false }})
}

// Who was woken for a step and took no part in it, for too few zones knew, sleeps on.
func TestWhoTookNoPartSleepsOn(t *testing.T) {
	for _, wakes := range []bool{true, false} {
		ds, o := newBare(statetest.Frozen{}, nil), statetest.Thing(1, 1)
		ds.static[1] = o
		ds.activated = []activation{{1, o}}
		from := &state.Snapshot{Of: 1}
		if wakes {
			from.Activated = []*state.Object{o}
		}
		if ds.DropActivated(from); (ds.static[1] == nil) != wakes || len(ds.activated) > 0 {
			t.Errorf("woken by enough zones %v: sleeps %v", wakes, ds.static[1] != nil)
		}
	}
}

// What only a neighbour has pushed is a claim: it is dropped when enough zones do not name
// it, unless they are going to be asked once more about what is only named.
func TestClaimsAreDropped(t *testing.T) {
	area := overlay.Area{Polygon: geom.Rect{Max: geom.Point{X: 900, Y: 900}}.Polygon(nil)}
	for _, c := range []struct {
		name    string
		without int
		kept    bool
	}{{"two of four zones do not name it", 2, true}, {"three do not", 3, false}} {
		ds, o := newBare(statetest.Frozen{}, nil), statetest.Thing(1, 1)
		o.Static, o.Pos = true, geom.Point{X: 450, Y: 300}
		ds.AddPushed(Data{Objects: []*state.Object{o}})
		ds.DropClaims(&area, false, func(*state.Object) int { return c.without })
		if kept := ds.Object(1) != nil; kept != c.kept || len(ds.claims) > 0 {
			t.Errorf("%s: kept %v, %d claims", c.name, kept, len(ds.claims))
		}
	}
}

// A pushed version replaces nothing that is kept.
func TestPushedVersionsReplaceNothing(t *testing.T) {
	ds, own, pushed := newBare(statetest.Frozen{}, nil), statetest.Thing(1, 1), statetest.Thing(1, 2)
	own.Static, pushed.Static = true, true
	ds.Add(Data{Objects: []*state.Object{own}})
	if ds.AddPushed(Data{Objects: []*state.Object{pushed}}); ds.Object(1) != own {
		t.Errorf("%v is kept", ds.Object(1))
	}
}
