package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var here = world.RegionPos{}

// TestLifecycle is the life of a region: somebody comes, looks, builds, leaves; it
// hibernates, and wakes as it was.
func TestLifecycle(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	c.watch(here, RateEvery)
	b.until("columns", func() bool { return len(c.columns) == world.Columns })
	c.hold(world.Bricks)
	b.run(200 * time.Millisecond)
	at := c.body.Block().Add(2, -1, 0)
	seq := c.place(at)
	b.until("answer", func() bool { return c.results[seq] != nil })
	if res := c.results[seq]; !res.OK {
		t.Fatalf("placing: %+v", res)
	}
	up := at.Add(0, 1, 0)
	if got := b.block(up); got != world.Bricks {
		t.Fatalf("block %v is %v", up, got)
	}
	b.until("the client sees it", func() bool { // in the frame of the next tick
		return c.columns[up.Column()].At(int(up.X&31), int(up.Y), int(up.Z&31)) == world.Bricks
	})
	c.walkFor(20, world.ButtonForward, 0)
	was := c.body
	_, h := b.homeOf(c.player)
	want := h.p.Body.Pos
	if was == want {
		t.Fatal("the player has not moved")
	}
	c.send(c.home, &Leave{c.player})
	c.watch(here, RateNone)
	b.until("hibernation", func() bool { return b.regions[here] == nil })
	for pos := range b.regions {
		t.Errorf("%v is still awake", pos)
	}
	c.enter()
	if c.entered.Position != want {
		t.Fatalf("came back at %v, left at %v", c.entered.Position, want)
	}
	if got := b.block(up); got != world.Bricks {
		t.Fatalf("after waking block %v is %v", up, got)
	}
	if c.items[0].Block != world.Bricks {
		t.Fatalf("after waking the hand holds %v", c.items[0])
	}
}
