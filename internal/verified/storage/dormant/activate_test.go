package dormant

import (
	"iter"
	"slices"
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

// A character is woken by its own player's node, or by one that may keep it in another zone,
// where it lies, and not for an update whose state everybody has.
func TestWhoWakesACharacter(t *testing.T) {
	bed := geom.Point{X: 450, Y: 300}
	space, world := overlay.SpaceFor(4), state.World{Side: 900, Cell: 100}
	key := state.NewMapping(space, world).KeyBeyond(bed, 0)
	keeper, other := &overlay.Contact{ID: id.ID{20}, Pos: key}, &overlay.Contact{ID: id.ID{21}, Pos: geom.Point{X: key.X, Y: key.Y + 9}}
	for _, c := range []struct {
		name  string
		by    *overlay.Contact
		who   id.ID
		at    geom.Point
		late  machine.Time // after t^s
		woken int
	}{
		{"its player", &overlay.Contact{ID: id.ID{7}}, id.ID{7}, bed, 0, 1},
		{"somebody else in the own zone", &overlay.Contact{ID: id.ID{8}, Pos: space.SubArea(3).Min}, id.ID{7}, bed, 0, 0},
		{"its player, elsewhere", &overlay.Contact{ID: id.ID{7}}, id.ID{7}, geom.Point{X: 451, Y: 300}, 0, 0},
		{"its player, too late", &overlay.Contact{ID: id.ID{7}}, id.ID{7}, bed, 1, 0},
		{"a newcomer", &overlay.Contact{ID: id.ID{6}}, id.ID{6}, bed, 0, 1},
		{"who keeps it in another zone", keeper, id.ID{7}, bed, 0, 1},
		{"somebody else there", other, id.ID{7}, bed, 0, 0},
		{"who keeps it there, too late", keeper, id.ID{7}, bed, 1, 0},
		{"who keeps it there, a newcomer", keeper, id.ID{6}, bed, 0, 0},
	} {
		player := &state.Player{ID: c.who, Home: bed}
		const of = 5
		times := state.Timing{LMax: 2 * time.Second, Deviates: 10 * time.Millisecond}
		ds := newBare(statetest.Frozen{At: times.State(of) + c.late}, wakingRules{}, keeper, other)
		ds.Time = times
		asleep := statetest.Thing(3, 1)
		asleep.Pos, asleep.Player, asleep.Static = bed, &state.Player{ID: id.ID{7}, Home: bed}, true
		ds.static[asleep.ID] = asleep
		ds.OnActivate(c.by, &messages.Activate{Player: player, Place: c.at, Of: of})
		if n := len(ds.activated); n != c.woken {
			t.Errorf("%s: %d are woken, want %d", c.name, n, c.woken)
		}
	}
}

// newBare is the store of a node that is alone in its zone, and knows some nodes of others to
// whom it tells nothing.
func newBare(env machine.Env, rules state.Rules, others ...*overlay.Contact) *Store {
	space, world := overlay.SpaceFor(4), state.World{Side: 900, Cell: 100}
	p := &part.Part{
		Space: space, World: world, Places: state.NewMapping(space, world), Zone: 3, Self: &overlay.Contact{ID: id.ID{255}, Pos: space.SubArea(3).Min},
		Env: env, Cfg: &part.Settings{Rules: rules}, Hardened: true,
	}
	area := &placement.Area{Part: p}
	electorate := placement.AllPresent(p)
	known := &placement.Acquaintances{Part: p, Area: area, Reported: func(int) iter.Seq[*overlay.Contact] { return slices.Values(others) }}
	return New(p, Surroundings{
		Area: area, Zones: &electorate, Replica: replica.New(p, area), Known: known,
		Responders: func(int) []*overlay.Contact { return nil }, Fetching: func(geom.Point) bool { return false },
	})
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
