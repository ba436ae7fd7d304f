package client

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// arrive lets all columns that are on their way arrive, until none is missing.
func arrive(w *watcher) (steps int) {
	for w.more(); w.waiting > 0; w.more() {
		if steps++; steps > 1000 {
			panic("never ends")
		}
		for c, sent := range w.have {
			if !sent {
				w.sent(c)
			}
		}
	}
	return steps
}

func TestWatcherLoadsNearestFirst(t *testing.T) {
	w := newWatcher()
	at := world.ColumnPos{X: -7, Z: 3}
	w.look(middle(at), 6)
	last := int32(0)
	for w.more(); w.waiting > 0; w.more() {
		if w.waiting > inFlight {
			t.Fatalf("%d on their way", w.waiting)
		}
		next := int32(0)
		for c, sent := range w.have {
			if !sent {
				d := square(c, at)
				if d < last {
					t.Errorf("%v comes after farther ones", c)
				}
				next = max(next, d)
				w.sent(c)
			}
		}
		last = next
	}
	for z := int32(-1); z <= 1; z++ {
		for x := int32(-1); x <= 1; x++ {
			if !w.have[world.ColumnPos{X: at.X + x, Z: at.Z + z}] {
				t.Errorf("the 3×3 around the player lacks %d,%d", x, z)
			}
		}
	}
}

// Dissertation 3.3: chunks are loaded in 3×3 around the player and unloaded
// beyond 9×9.
func TestWatcherUnloadsBeyondNineByNine(t *testing.T) {
	w := newWatcher()
	w.look(middle(world.ColumnPos{}), 2)
	arrive(w)
	if gone := w.look(middle(world.ColumnPos{X: 2}), 2); len(gone) != 0 {
		t.Errorf("two columns on: unloads %v", gone)
	}
	arrive(w)
	gone := w.look(middle(world.ColumnPos{X: 5}), 2)
	if len(gone) == 0 {
		t.Error("five columns on: unloads nothing")
	}
	for _, c := range gone {
		if distance(c, world.ColumnPos{X: 5}) <= keepAtLeast {
			t.Errorf("unloads %v, which is near", c)
		}
	}
	for c := range w.have {
		if distance(c, world.ColumnPos{X: 5}) > keepAtLeast {
			t.Errorf("keeps %v", c)
		}
	}
}

// TestWatcherTellsRegionsAllRates: what regions are told adds up to what is
// watched, at the rate of its distance.
func TestWatcherTellsRegionsAllRates(t *testing.T) {
	w := newWatcher()
	told := map[world.ColumnPos]uint8{}
	listen := func() {
		w.take(func(r world.RegionPos, m *region.Watch) {
			for i, rate := range m.Rates {
				told[r.Column(i)] = rate
			}
		})
	}
	at := world.Pos{}
	for step := range int32(120) {
		at.X += step * 7 % 45
		at.Z -= step * 5 % 19
		w.look(at, 3+step%8)
		for w.more(); w.waiting > 0; w.more() {
			listen()
			for c := range w.have {
				w.sent(c)
			}
		}
		listen()
		for c, rate := range told {
			want := uint8(region.RateNone)
			if _, ok := w.have[c]; ok {
				want = w.rate(c)
			}
			if rate != want {
				t.Fatalf("step %d: %v is watched at %d, want %d", step, c, rate, want)
			}
		}
		for c := range w.have {
			if told[c] == 0 {
				t.Fatalf("step %d: nobody knows that %v is watched", step, c)
			}
		}
		for r := range w.rates {
			if *w.rates[r] == [world.Columns]uint8{} {
				t.Fatalf("step %d: %v is remembered for nothing", step, r)
			}
		}
	}
}

// TestWatcherRates: each tick of what is near; of other regions only as often as
// the player is near to them.
func TestWatcherRates(t *testing.T) {
	for _, c := range []struct {
		x, z   int32 // of the player
		column world.ColumnPos
		want   uint8
	}{
		{64, 64, world.ColumnPos{X: 2, Z: 2}, region.RateEvery},
		{64, 64, world.ColumnPos{X: 3, Z: 1}, region.RateEvery},
		{64, 64, world.ColumnPos{X: 0, Z: 2}, region.RateHalf},
		{64, 64, world.ColumnPos{X: 4, Z: 2}, region.RateQuart}, // 64 m
		{112, 64, world.ColumnPos{X: 4, Z: 2}, region.RateEvery},
		{112, 64, world.ColumnPos{X: 5, Z: 2}, region.RateHalf},
		{112, 64, world.ColumnPos{X: 6, Z: 2}, region.RateQuart},
		{111, 64, world.ColumnPos{X: 4, Z: 2}, region.RateHalf},
		{80, 64, world.ColumnPos{X: 4, Z: 2}, region.RateHalf},
		{79, 64, world.ColumnPos{X: 4, Z: 2}, region.RateQuart},
		{112, 112, world.ColumnPos{X: 4, Z: 4}, region.RateEvery},
		{112, 111, world.ColumnPos{X: 4, Z: 4}, region.RateHalf},
		{15, 15, world.ColumnPos{X: -1, Z: -1}, region.RateEvery},
		{16, 15, world.ColumnPos{X: -1, Z: -1}, region.RateHalf},
		{47, 47, world.ColumnPos{X: -1, Z: 1}, region.RateHalf},
		{48, 48, world.ColumnPos{X: -1, Z: 1}, region.RateQuart},
		{-1, 64, world.ColumnPos{X: 0, Z: 2}, region.RateEvery},
		{-17, 64, world.ColumnPos{X: 0, Z: 2}, region.RateHalf},
	} {
		w := newWatcher()
		w.look(world.Pos{X: 10000, Z: 10000}, 4)
		w.look(world.Pos{X: c.x, Z: c.z}, 4)
		if got := w.rate(c.column); got != c.want {
			t.Errorf("at %d,%d column %v is watched at %d, want %d", c.x, c.z, c.column, got, c.want)
		}
	}
}

// TestWatcherLeans: to step to and fro over the edge of a spot changes nothing.
func TestWatcherLeans(t *testing.T) {
	w := newWatcher()
	w.look(world.Pos{X: 112, Z: 64}, 4)
	arrive(w)
	w.take(func(world.RegionPos, *region.Watch) {})
	for _, x := range []int32{111, 110, 112, 111} {
		w.look(world.Pos{X: x, Z: 64}, 4)
		w.take(func(r world.RegionPos, _ *region.Watch) { t.Errorf("at %d %v is told", x, r) })
	}
	w.look(world.Pos{X: 109, Z: 64}, 4)
	told := 0
	w.take(func(r world.RegionPos, m *region.Watch) {
		told++
		if r.X != 1 || m.Rates[0] != region.RateHalf {
			t.Errorf("%v is told %v", r, m.Rates)
		}
	})
	if told == 0 {
		t.Error("nobody is told that the player has gone on")
	}
}

func middle(c world.ColumnPos) world.Pos {
	return c.Origin().Add(world.ChunkSize/2, 0, world.ChunkSize/2)
}

func TestWatcherAgain(t *testing.T) {
	w := newWatcher()
	w.look(middle(world.ColumnPos{}), 4)
	arrive(w)
	w.take(func(world.RegionPos, *region.Watch) {})
	w.again(world.RegionPos{})
	if w.waiting == 0 {
		t.Error("waits for nothing")
	}
	n := 0
	w.take(func(r world.RegionPos, m *region.Watch) {
		n++
		if r != (world.RegionPos{}) || m.Rates == ([world.Columns]uint8{}) {
			t.Errorf("%v: %v", r, m.Rates)
		}
	})
	if n != 1 {
		t.Errorf("%d regions are told", n)
	}
}

func TestClaims(t *testing.T) {
	var c claims
	at := func(x float64) world.Vec { return world.Vec{X: fixed.Num(x * float64(fixed.One))} }
	if _, ok := c.at(5, at(0)); ok {
		t.Error("knows something from the beginning")
	}
	for seq := uint32(1); seq <= 200; seq++ {
		c.add(seq, at(float64(seq)), false)
	}
	c.add(150, at(7), false)     // once more, and elsewhere
	c.add(200, at(9000), false)  // the newest too
	c.add(201, at(10000), false) // nobody is that fast
	c.add(202, at(202), true)    // of which the home sees the second only
	for _, x := range []struct {
		ack  uint32
		from float64
		ok   bool
		want float64
	}{
		{3, 0, false, 0}, // long ago
		{150, 149, true, 150},
		{150, 150, false, 0}, // known
		{200, 150, true, 200},
		{201, 200, false, 0}, // was not kept: it travelled with the next
		{202, 200, true, 202},
	} {
		if got, ok := c.at(x.ack, at(x.from)); ok != x.ok || ok && got != at(x.want) {
			t.Errorf("at %d from %v: %v, %v", x.ack, x.from, got, ok)
		}
	}
	c.add(203, at(300), false)
	if _, ok := c.at(203, at(202)); ok {
		t.Error("98 m in one step")
	}
}
