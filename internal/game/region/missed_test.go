package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestMissedFrames: a client that has lost frames says so and sees the region as it is
// again: entities, and the blocks that changed meanwhile.
func TestMissedFrames(t *testing.T) {
	b := newBed(t)
	builder, lossy := b.client("ada").enter(), b.client("lossy").enter()
	builder.hold(world.Bricks)
	for _, c := range []*client{builder, lossy} {
		c.watch(here, RateEvery)
	}
	b.run(time.Second)
	g := rng.New(3)
	lossy.skip = true
	before := lossy.frames
	roam(b, &g, []*client{builder}, missedTicks/2)
	for _, at := range builder.spots()[:3] {
		builder.place(at)
		b.run(2 * TickLength)
	}
	if lossy.frames == before {
		t.Fatal("no frame was lost")
	}
	lossy.skip = false
	w := Watch{Missed: true}
	for i := range w.Rates {
		w.Rates[i] = RateEvery
	}
	lossy.send(here, &w)
	b.until("rest", func() bool { b.run(TickLength); return still(b.region(here).r) })
	mirrors(lossy, b.region(here).r)
}
