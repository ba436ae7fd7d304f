package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestOthersSeeArmourAndFire: watchers of every rate, those who come later, and those who
// see somebody go on into another column see what is worn, and who burns.
func TestOthersSeeArmourAndFire(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	b.teleport(c, metres(31.5, flatTop+1, 20.5))
	var watchers []*client
	for i, name := range []string{"every", "half", "quarter"} {
		w := b.client(name)
		w.watch(here, rateOf(i))
		watchers = append(watchers, w)
	}
	b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.Give, Text: "iron_helmet", Count: 1}))
	b.run(time.Second)
	r, _ := b.homeOf(c.player)
	p := r.area.Player(c.player)
	from := -1
	for i, s := range p.Items {
		if s.Block == world.IronHelmet {
			from = i
		}
	}
	seen := func(what string, want frame.Worn, burning bool) {
		t.Helper()
		b.run(500 * time.Millisecond)
		for _, w := range watchers {
			s := w.sees(here)[p.Entity]
			if s.Worn != want || s.Pose&(1<<6) != 0 != burning {
				t.Errorf("%s: %s sees %v worn and the pose %b", what, w.name, s.Worn, s.Pose)
			}
		}
	}
	helmet := frame.Worn{world.IronHelmet}
	seen("in the bag", frame.Worn{}, false)
	c.act(Act{Kind: uint8(world.ActMoveItem), A: uint64(from), B: uint32(world.Carried)})
	seen("put on", helmet, false)
	late := b.client("late")
	late.watch(here, RateEvery)
	watchers = append(watchers, late)
	seen("seen later", helmet, false)
	before := p.Body.Pos.Block().Column()
	c.walkFor(30, world.ButtonForward, east)
	if p.Body.Pos.Block().Column() == before {
		t.Fatal("did not get into the next column")
	}
	seen("in the next column", helmet, false)
	b.tampered = true // as after a bath in lava
	p.Fire = 100
	b.run(500 * time.Millisecond)
	seen("burns", helmet, true)
	b.run(6 * time.Second)
	c.act(Act{Kind: uint8(world.ActMoveItem), A: uint64(world.Carried), B: uint32(from)})
	seen("taken off, and put out", frame.Worn{}, false)
}

// rateOf is the rate of a stream.
func rateOf(stream int) uint8 { return [rates]uint8{RateEvery, RateHalf, RateQuart}[stream] }
