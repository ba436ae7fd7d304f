package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// wakingRules wake whoever is found, and make a character at home for who has none.
type wakingRules struct{ plainRules }

func (wakingRules) Activate(p *state.Player, at geom.Point, o *state.Object) *state.Object {
	if o == nil && at == p.Home {
		return thing(9, 1)
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
		h := newHearer()
		player := &state.Player{ID: id.ID{7}, Home: geom.Point{X: 450, Y: 300}}
		const of = 5
		h.cfg.Rules = wakingRules{}
		h.part.Time = state.Timing{LMax: DefaultLMax, Deviates: DefaultDeviation}
		h.part.Env = frozen{now: h.part.Time.State(of) + c.late}
		asleep := thing(3, 1)
		asleep.Pos, asleep.Player, asleep.Static = geom.Point{X: 450, Y: 300}, player, true
		h.dormant.static[asleep.ID] = asleep
		h.dormant.onActivate(&overlay.Contact{ID: c.by}, &messages.Activate{Player: player, Place: c.at, Of: of})
		if n := len(h.dormant.activated); n != c.woken {
			t.Errorf("%s: %d are woken, want %d", c.name, n, c.woken)
		}
	}
}
