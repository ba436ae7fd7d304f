package region

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// truth is what a client that hears of everything must see of a region.
func truth(r *Region) map[uint64]frame.Motion {
	out := map[uint64]frame.Motion{}
	for _, p := range r.area.Players() {
		out[p.Entity] = r.entities.motion(&p.Body)
	}
	for _, m := range r.area.Mobs() {
		out[m.Entity] = r.entities.motion(&m.Body)
	}
	return out
}

// mirrors checks that a client sees a region as it is: entities and blocks.
func mirrors(c *client, r *Region) {
	c.b.Helper()
	want, got := truth(r), c.sees(r.Pos())
	if len(want) != len(got) {
		c.b.Errorf("%s sees %d entities, there are %d", c.name, len(got), len(want))
	}
	for e, m := range want {
		seen, ok := got[e]
		seen.DX, seen.DZ = 0, 0
		if !ok || seen.Motion != m {
			c.b.Errorf("%s sees entity %d at %+v (%v), it is at %+v", c.name, e, seen.Motion, ok, m)
		}
	}
	for i := range world.Columns {
		col := r.area.Column(i)
		if mine := c.columns[col.Pos]; mine == nil || !mine.Equal(col) {
			c.b.Errorf("%s has another %v: %s", c.name, col.Pos, difference(mine, col))
		}
	}
}

// difference says which block of two columns is another.
func difference(got, want *world.Column) string {
	for i := range world.Height * world.ChunkSize * world.ChunkSize {
		x, z, y := i&31, i>>5&31, i>>10
		if got == nil {
			return "it is missing"
		}
		if g, w := got.At(x, y, z), want.At(x, y, z); g != w {
			return fmt.Sprintf("at %d %d %d it has %v, there is %v", x, y, z, g, w)
		}
	}
	return "none"
}

// roam lets clients wander and build at random for a number of ticks.
func roam(b *bed, g *rng.Rand, clients []*client, ticks int) {
	for range ticks {
		for _, c := range clients {
			if g.OneIn(3) {
				c.seq += uint32(g.Intn(3)) // some steps are lost
			}
			c.walk(uint16(g.Intn(256)), uint16(g.Intn(1<<16)))
			if g.OneIn(8) {
				feet := c.body.Block()
				c.place(world.Pos{X: feet.X + int32(g.Intn(7)) - 3, Y: flatTop, Z: feet.Z + int32(g.Intn(7)) - 3})
			}
			if g.OneIn(20) {
				c.act(Act{Kind: uint8(world.ActSelect), A: uint64(g.Intn(9))})
			}
		}
		b.run(TickLength)
	}
}

// TestMirrors: watchers at any rate, who come and go, see the region as it is
// once it rests for four ticks.
func TestMirrors(t *testing.T) {
	for seed := range uint64(6) {
		b := newBed(t)
		g := rng.New(seed)
		var clients []*client
		for i := range 8 {
			c := b.client(fmt.Sprint("p", i)).enter()
			c.hold(world.Block(world.Bricks + world.Block(i)))
			clients = append(clients, c)
			c.watch(here, []uint8{RateEvery, RateHalf, RateQuart}[i%3])
		}
		b.run(time.Second)
		for round := range 12 {
			roam(b, &g, clients, 15)
			c := clients[g.Intn(len(clients))]
			c.stuck = g.OneIn(3)
			switch c = clients[g.Intn(len(clients))]; g.Intn(3) {
			case 0:
				c.forget(here)
				c.watch(here, RateNone)
			case 1:
				c.watch(here, []uint8{RateEvery, RateHalf, RateQuart}[g.Intn(3)])
			}
			if round%4 < 3 {
				continue
			}
			for _, c := range clients {
				c.stuck = false
			}
			b.until("rest", func() bool { b.run(TickLength); return still(b.region(here).r) })
			for _, c := range clients {
				if s := b.region(here).r.interest.subOf[c.peer]; s.set != (watchSet{}) {
					mirrors(c, b.region(here).r)
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d, round %d", seed, round)
			}
		}
	}
}

// still reports whether nothing has happened for so long that all streams have
// told of it.
func still(r *Region) bool {
	if r.columns.recent(r.loop.tick-1) != 0 {
		return false
	}
	for i := range r.entities.cells {
		for _, s := range r.entities.cells[i].slots {
			for k := range rates {
				if s.known>>k&1 == 1 && (s.sent[k].X != s.now.X || s.sent[k].Y != s.now.Y || s.sent[k].Z != s.now.Z) {
					return false
				}
			}
		}
	}
	return true
}

func (c *client) forget(pos world.RegionPos) {
	delete(c.views, pos)
	for i := range world.Columns {
		delete(c.columns, pos.Column(i))
	}
}

// TestShared: those who watch the same get the very same bytes, and a cell is
// encoded once for each rate and tick.
func TestShared(t *testing.T) {
	b := newBed(t)
	var clients []*client
	for i := range 12 {
		c := b.client(fmt.Sprint("p", i)).enter()
		c.watch(here, RateEvery)
		clients = append(clients, c)
	}
	b.run(time.Second)
	g := rng.New(1)
	r := b.region(here).r
	starts := map[*byte]int{}
	for _, c := range clients {
		c.tap = func(f *Frame) { starts[unsafe.SliceData(f.Cells)]++ }
	}
	before := r.stats
	roam(b, &g, clients, 10)
	ticks := r.stats.Ticks - before.Ticks
	if uint64(len(starts)) != ticks {
		t.Errorf("%d different byte slices in %d ticks", len(starts), ticks)
	}
	for p, n := range starts {
		if n != len(clients) {
			t.Errorf("bytes at %p went to %d of %d", p, n, len(clients))
		}
	}
	if n := r.stats.Composed - before.Composed; n > ticks {
		t.Errorf("put together %d times in %d ticks", n, ticks)
	}
	if n := r.stats.CellsEncoded - before.CellsEncoded; n > ticks*world.Columns {
		t.Errorf("%d cells encoded in %d ticks", n, ticks)
	}
}

// TestRates: who watches at half or a quarter of the rate hears of a cell every
// second or fourth tick.
func TestRates(t *testing.T) {
	b := newBed(t)
	walker := b.client("walker").enter()
	for _, rate := range []uint8{RateEvery, RateHalf, RateQuart} {
		c := b.client(fmt.Sprint("watcher at ", rate))
		c.watch(here, rate)
		b.run(time.Second)
		told := 0
		c.tap = func(f *Frame) {
			if len(f.Cells) > 1 {
				told++
			}
		}
		walker.walkFor(40, world.ButtonForward|world.ButtonJump, uint16(rate)*16000)
		if want := 40 / int(rate); told < want-2 || told > want+2 {
			t.Errorf("rate %d: told %d times in 40 ticks", rate, told)
		}
	}
}

// TestStrain: a region whose ticks are late tells those whose players are
// elsewhere half as often, nobody misses anything, and it is as before once there
// is time again.
func TestStrain(t *testing.T) {
	b := newBed(t)
	home := b.client("walker").enter()
	home.watch(here, RateEvery)
	all := []*client{home}
	told := map[*client]int{}
	home.tap = func(*Frame) { told[home]++ }
	for _, rate := range []uint8{RateEvery, RateHalf, RateQuart} {
		c := b.client(fmt.Sprint("watcher at ", rate))
		c.watch(here, rate)
		c.tap = func(f *Frame) {
			if len(f.Cells) > 1 {
				told[c]++
			}
		}
		all = append(all, c)
	}
	g := rng.New(7)
	count := func(want [4]int) {
		t.Helper()
		roam(b, &g, []*client{home}, 20) // keyframes of new rates
		clear(told)
		home.walkFor(80, world.ButtonForward|world.ButtonJump, uint16(g.Intn(1<<16)))
		for i, c := range all {
			if told[c] < want[i]-3 || told[c] > want[i]+3 {
				t.Errorf("%s is told %d times in 80 ticks, want %d", c.name, told[c], want[i])
			}
		}
		b.until("rest", func() bool { b.run(TickLength); return still(b.region(here).r) })
		for _, c := range all {
			mirrors(c, b.region(here).r)
		}
	}
	count([4]int{80, 80, 40, 20})
	b.late = 12 * time.Millisecond
	b.until("strain", func() bool { return b.region(here).r.interest.strain.On() })
	count([4]int{80, 40, 20, 20})
	late := b.client("comes under strain")
	late.watch(here, RateEvery)
	b.run(time.Second)
	if set := b.region(here).r.interest.subOf[late.peer].set; set[0] != RateHalf {
		t.Errorf("who comes under strain is told %v", set)
	}
	b.late = 0
	b.until("time", func() bool { return !b.region(here).r.interest.strain.On() })
	count([4]int{80, 80, 40, 20})
}

// TestSlowReader: a session that does not read gets no frames, and then columns
// and keyframes that make it whole; the region keeps nothing for it meanwhile.
func TestSlowReader(t *testing.T) {
	b := newBed(t)
	c, slow := b.client("ada").enter(), b.client("slow").enter()
	for _, x := range []*client{c, slow} {
		x.hold(world.Bricks)
		x.watch(here, RateEvery)
	}
	b.run(time.Second)
	slow.stuck = true
	n := slow.frames
	g := rng.New(3)
	roam(b, &g, []*client{c}, 200)
	if slow.frames != n {
		t.Errorf("%d frames although it does not read", slow.frames-n)
	}
	slow.stuck = false
	b.until("rest", func() bool { b.run(TickLength); return still(b.region(here).r) })
	mirrors(slow, b.region(here).r)
}

// TestWatchNeedsNoPlayer: whoever only watches a region is told what happens
// there (dissertation 3.2).
func TestWatchNeedsNoPlayer(t *testing.T) {
	b := newBed(t)
	w := b.client("watcher")
	w.watch(here, RateEvery)
	c := b.client("ada").enter()
	b.run(time.Second)
	if _, ok := w.sees(here)[uint64(c.enterMsg().Entity)]; !ok || len(w.columns) != world.Columns {
		t.Errorf("sees %v and %d columns", w.sees(here), len(w.columns))
	}
	c.send(c.home, &Leave{c.player})
	b.run(time.Second)
	if n := len(w.sees(here)); n != 0 {
		t.Errorf("still sees %d entities", n)
	}
}

// TestBorderCacheWakesNeighboursOnly: a region that ticks watches the ring around it, which
// wakes the neighbours enough to answer, not to tick, and not their neighbours.
func TestBorderCacheWakesNeighboursOnly(t *testing.T) {
	b := newBed(t)
	b.client("ada").enter()
	b.run(time.Second)
	if len(b.regions) != 9 {
		t.Errorf("%d regions are awake", len(b.regions))
	}
	for pos, h := range b.regions {
		s := h.r.Stats()
		if s.Ticking != (pos == here) {
			t.Errorf("%v ticks: %v", pos, s.Ticking)
		}
		if n := bits(h.r.columns.loaded); pos != here && n != 1 && n != 4 {
			t.Errorf("%v has loaded %d columns", pos, n)
		}
	}
	if n := b.region(here).r.area.Ring().Len(); n != 20 {
		t.Errorf("the ring has %d columns", n)
	}
}

func bits(v uint16) (n int) {
	for ; v > 0; v &= v - 1 {
		n++
	}
	return n
}

// TestSilentPlayersLeave (dissertation 3.2: silent players are removed after a
// time).
func TestSilentPlayersLeave(t *testing.T) {
	b := newBed(t)
	c, d := b.client("ada").enter(), b.client("bob").enter()
	for range 290 {
		c.walk(0, 0)
		b.run(100 * time.Millisecond)
	}
	if _, h := b.homeOf(d.player); h == nil {
		t.Fatal("removed too early")
	}
	for range 20 {
		c.walk(0, 0)
		b.run(100 * time.Millisecond)
	}
	if _, h := b.homeOf(d.player); h != nil {
		t.Error("bob is still here")
	}
	if l, ok := d.other[len(d.other)-1].(*Left); !ok || l.Reason != LeftIdle {
		t.Errorf("bob was told %+v", d.other)
	}
	if _, h := b.homeOf(c.player); h == nil {
		t.Error("ada was removed")
	}
}

// TestSecondSession: the same player from another window takes the place of the
// first.
func TestSecondSession(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	c.walkFor(5, world.ButtonForward, 0)
	second := b.client("ada's other window")
	second.player = c.player
	second.enter()
	if m, ok := c.other[len(c.other)-1].(*Moved); !ok || m.Reason != MovedReplaced {
		t.Errorf("the first session was told %+v", c.other)
	}
	refused := b.region(here).r.stats.Refused
	c.walk(world.ButtonForward, 0)
	if b.region(here).r.stats.Refused != refused+1 {
		t.Error("the first session still plays")
	}
	second.walkFor(5, world.ButtonForward, 0)
	if second.acked != 5 {
		t.Errorf("acknowledged %d", second.acked)
	}
}

// TestNearChat: what is said is heard near, across the border too, and not far.
func TestNearChat(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	near, far := b.client("near").enter(), b.client("far").enter()
	b.teleport(near, metres(140, flatTop+1, 64.5))
	b.teleport(far, metres(10, flatTop+1, 64.5))
	b.run(time.Second)
	b.deliver(c.home, Lobby, &Order{Player: c.player, Near: "/near hello"})
	b.run(time.Second)
	heard := func(c *client) (n int) {
		for _, m := range c.other {
			if h, ok := m.(*Heard); ok && h.Text == "hello" && h.Name == "ada" {
				n++
			}
		}
		return n
	}
	if heard(c) != 1 || heard(near) != 1 || heard(far) != 0 {
		t.Errorf("heard %d, %d, %d times", heard(c), heard(near), heard(far))
	}
}

// TestCracksAndEvents: others see how a block is broken, who swings and who goes.
func TestCracksAndEvents(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	w := b.client("watcher")
	w.watch(here, RateHalf)
	b.run(time.Second)
	var stages, events []uint8
	var leaves []uint8
	w.tap = func(f *Frame) {
		var d frame.Frame
		if err := d.DecodeCells(f.Cells); err != nil {
			t.Fatal(err)
		}
		for _, cell := range d.Cells {
			for _, k := range cell.Cracks {
				stages = append(stages, k.Stage)
			}
			for _, e := range cell.Events {
				events = append(events, e.Event)
			}
			for _, l := range cell.Leaves {
				leaves = append(leaves, l.Reason)
			}
		}
	}
	at := c.spots()[0]
	seq := c.act(Act{Kind: uint8(world.ActDig), Pos: at})
	b.until("broken", func() bool { return c.results[seq] != nil })
	if !c.results[seq].OK || b.block(at) != world.Air {
		t.Fatalf("%+v", c.results[seq])
	}
	c.act(Act{Kind: uint8(world.ActHit), A: 12345})
	b.run(time.Second)
	if len(stages) < 3 || stages[0] != 0 || stages[len(stages)-1] != frame.NoCrack {
		t.Errorf("cracks %v", stages)
	}
	if len(events) == 0 {
		t.Error("nobody was seen to swing")
	}
	c.send(here, &Leave{c.player})
	b.run(time.Second)
	if len(leaves) != 1 || leaves[0] != frame.LeftWorld {
		t.Errorf("leaves %v", leaves)
	}
}
