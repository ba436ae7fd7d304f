package client

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// TestWakes: however a player goes about, it wakes no more regions than its budget
// has, also with a new session; others are not hindered.
func TestWakes(t *testing.T) {
	n := NewNode(Config{Terrain: terrain.New(1)})
	now := time.Unix(1000, 0)
	n.wakes.now = func() time.Time { return now }
	eve, ada := id.Of([]byte("eve")), id.Of([]byte("ada"))
	woken := map[world.RegionPos]bool{}
	run := func(player id.ID, hops int) {
		w := newWatcher()
		w.may = func() bool { return n.wakes.may(player) }
		for hop := range hops {
			w.look(world.Pos{X: int32(hop*5000 + len(woken)*7), Y: 70}, 12)
			for range 50 {
				w.more()
				for c := range w.have {
					woken[c.Region()] = true
					w.sent(c)
				}
			}
			now = now.Add(250 * time.Millisecond)
		}
	}
	run(eve, 50)
	run(eve, 50) // a new session
	if limit := wakeAtOnce + 25*wakePerSecond + 1; len(woken) > limit {
		t.Errorf("%d regions, at most %d", len(woken), limit)
	}
	before := len(woken)
	run(ada, 1)
	if len(woken) == before {
		t.Error("another player sees nothing")
	}
	for i := range 2 * maxBudgets {
		n.wakes.may(id.Of([]byte{byte(i), byte(i >> 8), 3}))
		now = now.Add(time.Second)
	}
	if len(n.wakes.of) > maxBudgets {
		t.Errorf("%d budgets", len(n.wakes.of))
	}
}
