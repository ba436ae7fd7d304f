package region

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// byBorder returns a player of a survival world who stands half a metre inside
// of the eastern border and sees both sides.
func byBorder(b *bed) *client {
	b.Helper()
	c := builder(b, "ada")
	c.watch(there, RateEvery)
	b.teleport(c, metres(127.5, flatTop+1, 64.5))
	b.until("there", func() bool { return c.body.X > metres(127, 0, 0).X && len(c.columns) == 2*world.Columns })
	b.run(300 * time.Millisecond)
	return c
}

var beyond = world.Pos{X: 129, Y: flatTop, Z: 64}

// TestBorderEdits: blocks beyond the border are placed and broken as on this
// side; refusals come back with what was set aside.
func TestBorderEdits(t *testing.T) { bothWays(t, testBorderEdits) }

func testBorderEdits(t *testing.T, newBed func(testing.TB) *bed) {
	b := newBed(t)
	c := byBorder(b)
	had := c.items[1].Count
	seq := c.planks(beyond)
	b.run(300 * time.Millisecond)
	if res := c.results[seq]; res == nil || !res.OK {
		t.Fatalf("placing: %+v", res)
	}
	up := beyond.Add(0, 1, 0)
	if got := b.block(up); got != world.OakPlanks || c.items[1].Count != had-1 {
		t.Fatalf("%v, %d in the hand of %d", got, c.items[1].Count, had)
	}
	if col := c.columns[up.Column()]; col.At(int(up.X&31), int(up.Y), int(up.Z&31)) != world.OakPlanks {
		t.Error("the client does not see it")
	}
	if got, _ := b.region(here).r.area.Ring().Block(up); got != world.OakPlanks {
		t.Errorf("the ring holds %v", got)
	}
	seq = c.act(Act{Kind: uint8(world.ActDig), Pos: up})
	b.until("broken", func() bool { b.run(TickLength); return c.results[seq] != nil })
	b.run(200 * time.Millisecond)
	if res := c.results[seq]; !res.OK || b.block(up) != world.Air || c.items[1].Count != had {
		t.Errorf("breaking: %+v, %v, %d in the hand", res, b.block(up), c.items[1].Count)
	}
}

// TestNeighbourGivesNothing: a neighbour that answers that more is left of a block than the
// tool harvests gives the player nothing.
func TestNeighbourGivesNothing(t *testing.T) {
	b := newBed(t)
	c := byBorder(b)
	b.lose = func(m machine.Message) bool {
		if done, ok := m.(*RemoteEditDone); ok {
			done.Remote.Got = world.GoldOre
		}
		return false
	}
	seq := c.act(Act{Kind: uint8(world.ActDig), Pos: beyond})
	b.until("broken", func() bool { b.run(TickLength); return c.results[seq] != nil })
	b.run(200 * time.Millisecond)
	if got := b.block(beyond); !c.results[seq].OK || got != world.Air {
		t.Fatalf("%+v, %v", c.results[seq], got)
	}
	for _, s := range c.items {
		if s.Block == world.GoldOre && s.Count > 0 {
			t.Errorf("it has %+v", s)
		}
	}
}

// TestBorderEditRefused: somebody stands there, or the place is protected, or
// its region cannot write.
func TestBorderEditRefused(t *testing.T) {
	b := newBed(t)
	c := byBorder(b)
	had := c.items[1].Count
	other := b.client("bob").enter()
	b.teleport(other, metres(129.5, flatTop+1, 64.5))
	b.until("bob is there", func() bool { r, _ := b.homeOf(other.player); return r != nil && r.Pos() == there })
	b.run(300 * time.Millisecond)
	try := func(want string) {
		t.Helper()
		seq := c.planks(beyond)
		b.run(400 * time.Millisecond)
		if res := c.results[seq]; res == nil || res.OK || res.Reason != want || c.items[1].Count != had {
			t.Errorf("want %s: %+v, %d in the hand", want, res, c.items[1].Count)
		}
		if _, h := b.homeOf(c.player); h.p.Items[1].Count != had {
			t.Errorf("want %s: the home has %d", want, h.p.Items[1].Count)
		}
	}
	try("occupied")
	b.teleport(other, metres(140, flatTop+1, 64.5))
	b.run(300 * time.Millisecond)
	b.protect(there, world.Zone{Min: world.Pos{X: 128}, Max: world.Pos{X: 200, Y: 255, Z: 200}})
	try("protected")
	b.protect(there)
	b.region(there).r.store.readOnly = true
	try("storage")
}

// TestBorderEditCrash crashes after every number of events of an edit across
// the border: what was acknowledged is there, and no item is in two places.
func TestBorderEditCrash(t *testing.T) { bothWays(t, testBorderEditCrash) }

func testBorderEditCrash(t *testing.T, newBed func(testing.TB) *bed) {
	steps := borderEdit(t, newBed, -1)
	for n := range steps {
		borderEdit(t, newBed, n)
	}
}

func borderEdit(t *testing.T, newBed func(testing.TB) *bed, n int) (events int) {
	b := newBed(t)
	c := byBorder(b)
	had := int(c.items[1].Count)
	b.sync = 7 * time.Millisecond
	seq := c.planks(beyond)
	for end := b.now.Add(400 * time.Millisecond); events != n && b.step(end); events++ {
	}
	acked := c.results[seq] != nil
	if n < 0 && !acked {
		t.Fatal("not acknowledged")
	}
	b.crash()
	c.enter()
	_, h := b.homeOf(c.player)
	in := 0
	c.watch(there, RateEvery)
	b.until("the other side is loaded", func() bool { return b.region(there).r.columns.loaded&(1<<8) != 0 })
	if b.block(beyond.Add(0, 1, 0)) == world.OakPlanks {
		in = 1
	}
	if acked && in == 0 {
		t.Fatalf("crash after %d events: acknowledged and lost", n)
	}
	if got := int(h.p.Items[1].Count); got+in > had {
		t.Fatalf("crash after %d events: %d in the hand, %d in the world of %d", n, got, in, had)
	}
	return events
}

// TestBorderEditWhileCrossing: the answer to an edit follows a player who has
// moved on.
func TestBorderEditWhileCrossing(t *testing.T) {
	b := newBed(t)
	c := byBorder(b)
	had := c.items[1].Count
	b.region(there).r.store.readOnly = true // so that the item has to come back
	b.delay = 120 * time.Millisecond
	seq := c.planks(beyond)
	b.run(TickLength)
	b.region(there).r.store.readOnly = false
	b.run(TickLength)
	b.region(there).r.store.readOnly = true
	b.run(20 * time.Millisecond)
	r, h := b.homeOf(c.player)
	r.area.RemovePlayer(c.player) // whoever follows must not take the leap for a lie
	h.p.Body.Pos, h.p.Body.Vel = metres(129.5, flatTop+1, 64.5), world.Vec{}
	r.area.AddPlayer(h.p)
	b.run(160 * time.Millisecond)
	b.region(there).r.store.readOnly = false
	b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == there })
	b.run(2 * time.Second)
	_, h = b.homeOf(c.player)
	res := c.results[seq]
	if res == nil {
		t.Fatal("no answer")
	}
	in := 0
	if b.block(beyond.Add(0, 1, 0)) == world.OakPlanks {
		in = 1
	}
	if (in == 1) != res.OK || int(h.p.Items[1].Count)+in != int(had) {
		t.Errorf("%+v, %d in the world, %d in the hand of %d", res, in, h.p.Items[1].Count, had)
	}
}

// TestWaterOverTheBorder: what happens past the border matters on this side.
func TestWaterOverTheBorder(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	c.act(Act{Kind: uint8(world.ActPick), A: uint64(world.Water), B: 0})
	b.teleport(c, metres(130.5, flatTop+1, 64.5))
	b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == there })
	b.run(500 * time.Millisecond)
	c.place(world.Pos{X: 128, Y: flatTop, Z: 64})
	b.run(3 * time.Second)
	if got := b.block(world.Pos{X: 127, Y: flatTop + 1, Z: 64}); !got.IsWater() {
		t.Errorf("the water has not come over the border: %v", got)
	}
}

// TestMobsCross: a mob goes over to a region that ticks and comes back from one
// that does not.
func TestMobsCross(t *testing.T) {
	b := newBed(t)
	atBorder(b, "ada")
	r := b.region(here).r
	sheep := func(x float64, n uint64) *world.Mob {
		m := &world.Mob{Entity: 1<<47 | n, Kind: world.Sheep, Health: 8}
		m.Body.Pos = metres(x, flatTop+1, 70.5)
		return m
	}
	r.area.AddMob(sheep(129.5, 1))
	b.run(500 * time.Millisecond)
	if r.area.Mob(1<<47|1) != nil || b.region(there).r.area.Mob(1<<47|1) == nil {
		t.Error("the sheep has not crossed to the region that ticks")
	}
	west := world.RegionPos{X: -1}
	r.area.AddMob(sheep(-1.5, 2))
	b.run(500 * time.Millisecond)
	if b.region(west).r.area.Mob(1<<47|2) != nil {
		t.Error("a sheep went where nothing ticks")
	}
	if m := r.area.Mob(1<<47 | 2); m == nil || m.Body.Pos.X < 0 {
		t.Error("the sheep has not come back")
	}
	r.OnMessage(machine.Peer{}, &MobOver{State: sheep(10, 3).AppendBinary(nil)})
	r.OnMessage(PeerOf(there), &MobOver{State: []byte{9}})
	if r.area.Mob(1<<47|3) != nil {
		t.Error("a session sent a sheep")
	}
}

// TestMobCrossingLost: the message that brings a mob over, or the answer, is
// lost. It is sent again, and the mob is in one region.
func TestMobCrossingLost(t *testing.T) {
	for _, to := range []world.RegionPos{there, {X: -1}} { // that ticks, that does not
		for _, what := range []string{"mob", "answer"} {
			t.Run(fmt.Sprint(what, " to ", to), func(t *testing.T) {
				b := newBed(t)
				atBorder(b, "ada")
				lost := 0
				b.lose = func(m machine.Message) bool {
					_, over := m.(*MobOver)
					_, done := m.(*MobOverDone)
					if lost < 2 && (over && what == "mob" || done && what == "answer") {
						lost++
						return true
					}
					return false
				}
				m := &world.Mob{Entity: 1<<47 | 5, Kind: world.Sheep, Health: 8}
				m.Body.Pos = metres(129.5, flatTop+1, 70.5)
				if to.X < 0 {
					m.Body.Pos = metres(-1.5, flatTop+1, 70.5)
				}
				r := b.region(here).r
				r.area.AddMob(m)
				b.run(time.Second)
				if lost != 1 || len(r.mobs.open) != 1 {
					t.Fatalf("%d lost, %d on their way", lost, len(r.mobs.open))
				}
				b.run(2*resendMobAfter + time.Second)
				if len(r.mobs.open) != 0 {
					t.Error("the crossing is not settled")
				}
				in := 0
				for _, pos := range []world.RegionPos{here, to} {
					for _, m := range b.region(pos).r.area.Mobs() {
						if m.Entity == 1<<47|5 {
							in++
						}
					}
				}
				if in != 1 {
					t.Errorf("the sheep is there %d times", in)
				}
			})
		}
	}
}

// TestBorderEditLost: the question or the answer of an edit across the border
// is lost, as when the node that leads the neighbour dies. It is asked again,
// also by a region that has been read from the disk since, and done once.
func TestBorderEditLost(t *testing.T) { bothWays(t, testBorderEditLost) }

func testBorderEditLost(t *testing.T, newBed func(testing.TB) *bed) {
	for _, what := range []string{"question", "answer", "answer and the neighbour's memory"} {
		t.Run(what, func(t *testing.T) {
			b := newBed(t)
			c := byBorder(b)
			had := c.items[1].Count
			lost := 0
			b.lose = func(m machine.Message) bool {
				_, asks := m.(*RemoteEdit)
				_, answers := m.(*RemoteEditDone)
				if lost == 0 && (asks && what == "question" || answers && what != "question") {
					lost++
					return true
				}
				return false
			}
			seq := c.planks(beyond)
			b.run(time.Second)
			if lost != 1 || c.results[seq] != nil {
				t.Fatalf("%d lost, result %+v", lost, c.results[seq])
			}
			if what == "answer and the neighbour's memory" {
				delete(b.regions, there)
				b.deliver(here, PeerOf(there), &NewHost{Region: there})
				b.run(time.Second)
			} else {
				b.run(resendEditAfter)
			}
			if res := c.results[seq]; res == nil || !res.OK || b.block(beyond.Add(0, 1, 0)) != world.OakPlanks || c.items[1].Count != had-1 {
				t.Fatalf("%+v, %v, %d in the hand of %d", res, b.block(beyond.Add(0, 1, 0)), c.items[1].Count, had)
			}
			if r := b.region(here).r; len(r.pending.list) != 0 {
				t.Errorf("%d edits are open", len(r.pending.list))
			}
		})
	}
}
