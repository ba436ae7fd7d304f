package region

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const down = -16384 // a way to look

// look turns a client's player.
func (c *client) look(yaw uint16, pitch int16) {
	c.seq++
	c.send(c.home, &Inputs{Player: c.player, First: c.seq, Steps: []Step{{Yaw: yaw, Pitch: pitch}}, NoPos: true})
}

// drop throws planks from slot 1 of what newcomers carry.
func (c *client) drop(n uint32) uint32 { return c.act(Act{Kind: uint8(world.ActDrop), A: 1, B: n}) }

// planksOf counts the planks of a player at its home and those that lie in two
// regions. Each region is awake with all columns.
func (b *bed) planksOf(c *client) (hand, ground int) {
	b.Helper()
	_, h := b.homeOf(c.player)
	if h == nil {
		b.Fatalf("%s is nowhere", c.name)
	}
	for _, pos := range []world.RegionPos{here, there} {
		for _, it := range b.region(pos).r.area.Items() {
			if it.Stack.Block == world.OakPlanks {
				ground += int(it.Stack.Count)
			}
		}
	}
	return h.p.Items.Count(world.OakPlanks), ground
}

// settledFor lets a client enter again after a crash, watches both regions and
// waits until no item is on its way between them.
func (b *bed) settledFor(c *client) {
	b.Helper()
	c.enter()
	c.watch(here, RateEvery)
	c.watch(there, RateEvery)
	b.until("nothing is on its way", func() bool {
		for _, pos := range []world.RegionPos{here, there} {
			if r := b.region(pos).r; r.columns.loaded != allColumns || !r.loop.ticking || len(r.pending.list) > 0 {
				return false
			}
		}
		return true
	})
}

func TestDropIsSeenAndPickedUp(t *testing.T) {
	b := newBed(t)
	c, d := builder(b, "ada"), b.client("bob").enter()
	d.watch(here, RateEvery)
	had := c.items[1].Count
	b.teleport(d, metres(80, flatTop+1, 80))
	c.look(east, 0)
	b.run(200 * time.Millisecond)
	seq := c.drop(5)
	b.run(2 * time.Second)
	if res := c.results[seq]; res == nil || !res.OK || c.items[1].Count != had-5 {
		t.Fatalf("%+v, %d in the hand of %d", res, c.items[1].Count, had)
	}
	it := b.region(here).r.area.Items()[0]
	for _, cl := range []*client{c, d} {
		s, ok := cl.sees(here)[it.Entity]
		if !ok || s.Kind != frame.KindItem || s.Held != world.OakPlanks || s.Pose != 5 {
			t.Errorf("%s sees %+v", cl.name, s)
		}
	}
	var reasons []uint8
	c.tap = func(f *Frame) {
		var dec frame.Frame
		if dec.DecodeCells(f.Cells) == nil {
			for _, cell := range dec.Cells {
				for _, l := range cell.Leaves {
					reasons = append(reasons, l.Reason)
				}
			}
		}
	}
	b.teleport(d, it.Body.Pos)
	before := d.items.Count(world.OakPlanks)
	b.until("bob has it", func() bool { return d.items.Count(world.OakPlanks) == before+5 })
	b.run(time.Second)
	if _, seen := c.sees(here)[it.Entity]; seen || !slices.Contains(reasons, frame.Taken) {
		t.Errorf("still seen: %v, reasons %v", seen, reasons)
	}
	if kvs := b.read(machine.DiskRead{Space: Space(here), Prefix: []byte(keyItem)}); len(kvs) != 0 {
		t.Errorf("%d records of items are left", len(kvs))
	}
}

// TestDropCrash crashes after every number of events while a player drops and
// picks up again: what was acknowledged is there, and each item is in one place.
func TestDropCrash(t *testing.T) {
	crashes(t, 60, 60, func(b *bed) scenario {
		c := builder(b, "ada")
		had := c.items.Count(world.OakPlanks)
		c.look(0, down) // to the own feet: picked up again after two seconds
		b.run(100 * time.Millisecond)
		drops := map[uint32]int{}
		do := func(tick int) {
			switch tick {
			case 0, 4, 8:
				drops[c.drop(3)] = 3
			case 20:
				b.region(here).r.snapshot(nil)
			}
		}
		whole := func() {
			if hand, ground := b.planksOf(c); hand != had || ground != 0 {
				t.Fatalf("not picked up again: %d in the hand, %d on the ground", hand, ground)
			}
			for seq := range drops {
				if res := c.results[seq]; res == nil || !res.OK {
					t.Fatalf("act %d: %+v", seq, res)
				}
			}
		}
		check := func(n int) {
			acked := 0
			for seq, count := range drops {
				if res := c.results[seq]; res != nil && res.OK {
					acked += count
				}
			}
			sure, _ := b.sureOf(c)
			b.crash()
			b.settledFor(c)
			hand, ground := b.planksOf(c)
			if hand+ground != had {
				t.Fatalf("crash after %d events: %d in the hand, %d on the ground, there were %d", n, hand, ground, had)
			}
			if hand < sure {
				t.Fatalf("crash after %d events: %d in the hand, %d were on the disk", n, hand, sure)
			}
			if acked > 0 && ground == 0 && hand < had {
				t.Fatalf("crash after %d events: dropped and lost", n)
			}
		}
		return scenario{do, whole, check}
	})
}

// sureOf is how many planks of a player are on the disk at its home.
func (b *bed) sureOf(c *client) (hand int, ok bool) {
	state, ok := b.disk[Space(here)][playerKey(keyPlayer, c.player)]
	if !ok {
		return 0, false
	}
	p, err := world.DecodePlayer(state)
	if err != nil {
		b.Fatal(err)
	}
	return p.Items.Count(world.OakPlanks), true
}

// TestDropDiskFails: a drop that cannot be written is refused and undone, and so
// is what was picked up meanwhile.
func TestDropDiskFails(t *testing.T) {
	b := newBed(t)
	b.sync = 120 * time.Millisecond
	c := builder(b, "ada")
	had := c.items.Count(world.OakPlanks)
	c.look(0, down)
	b.run(300 * time.Millisecond)
	good := c.drop(4)
	b.run(1800 * time.Millisecond) // it will be picked up within a fifth of a second
	b.diskErr = errDisk
	bad := c.drop(2)
	b.run(time.Second)
	if res := c.results[good]; res == nil || !res.OK {
		t.Errorf("before: %+v", res)
	}
	if res := c.results[bad]; res == nil || res.OK || res.Reason != "storage" {
		t.Errorf("while the disk fails: %+v", res)
	}
	hand, ground := b.planksOf(c)
	if hand+ground != had {
		t.Errorf("%d in the hand, %d on the ground of %d", hand, ground, had)
	}
	b.diskErr = nil
	b.run(10 * time.Second)
	if hand, ground := b.planksOf(c); hand != had || ground != 0 {
		t.Errorf("in the end %d in the hand, %d on the ground of %d", hand, ground, had)
	}
	b.crash()
	b.settledFor(c)
	if hand, ground := b.planksOf(c); hand != had || ground != 0 {
		t.Errorf("on the disk are %d in the hand, %d on the ground of %d", hand, ground, had)
	}
}

// throwerByBorder returns a builder who looks across the eastern border.
func throwerByBorder(b *bed) *client {
	c := byBorder(b)
	c.look(east, 0)
	b.run(200 * time.Millisecond)
	return c
}

// TestItemCrossesTheBorder: what is thrown across lies in the neighbour, is seen
// there under the same number, and can be picked up there.
func TestItemCrossesTheBorder(t *testing.T) {
	b := newBed(t)
	c := throwerByBorder(b)
	had := c.items.Count(world.OakPlanks)
	c.drop(6)
	b.run(100 * time.Millisecond)
	entity := b.region(here).r.area.Items()[0].Entity
	b.run(2 * time.Second)
	items := b.region(there).r.area.Items()
	if len(items) != 1 || len(b.region(here).r.area.Items()) != 0 || items[0].Entity != entity {
		t.Fatalf("%d here, %d there", len(b.region(here).r.area.Items()), len(items))
	}
	if s, ok := c.sees(there)[entity]; !ok || s.Pose != 6 {
		t.Errorf("seen as %+v", s)
	}
	for _, pos := range []world.RegionPos{here, there} {
		for _, key := range []string{keyPendingEdit, keyItem} {
			want := 0
			if pos == there && key == keyItem {
				want = 1
			}
			if kvs := b.read(machine.DiskRead{Space: Space(pos), Prefix: []byte(key)}); len(kvs) != want {
				t.Errorf("%v: %d records %q, want %d", pos, len(kvs), key, want)
			}
		}
	}
	for range 120 {
		c.walk(world.ButtonForward, east)
		b.run(TickLength)
	}
	if hand, ground := b.planksOf(c); hand != had || ground != 0 {
		t.Errorf("%d in the hand, %d on the ground of %d", hand, ground, had)
	}
}

// TestItemCrossingCrash crashes after every number of events while items cross
// the border: each is in one place.
func TestItemCrossingCrash(t *testing.T) {
	crashes(t, 16, 40, func(b *bed) scenario {
		c := throwerByBorder(b)
		had := c.items.Count(world.OakPlanks)
		b.sync = 7 * time.Millisecond
		do := func(tick int) {
			switch tick {
			case 0:
				c.drop(5)
			case 4:
				c.drop(7)
			}
		}
		check := func(n int) {
			b.crash()
			b.settledFor(c)
			if hand, ground := b.planksOf(c); hand+ground != had {
				t.Fatalf("crash after %d events: %d in the hand, %d on the ground of %d", n, hand, ground, had)
			}
		}
		return scenario{do: do, check: check}
	})
}

// TestItemCrossingLost: messages about items get lost, in both directions, and
// come again; and a neighbour that cannot write gives an item back.
func TestItemCrossingLost(t *testing.T) {
	for name, lost := range map[string]func(machine.Message) bool{
		"the item":   func(m machine.Message) bool { _, is := m.(*RemoteEdit); return is },
		"the answer": func(m machine.Message) bool { _, is := m.(*RemoteEditDone); return is },
	} {
		b := newBed(t)
		c := throwerByBorder(b)
		had := c.items.Count(world.OakPlanks)
		times := 0
		b.lose = func(m machine.Message) bool {
			if lost(m) && times < 2 {
				times++
				return true
			}
			return false
		}
		c.drop(6)
		b.run(20 * time.Second)
		hand, ground := b.planksOf(c)
		if times != 2 || hand+ground != had || len(b.region(there).r.area.Items()) != 1 {
			t.Errorf("%s: lost %d times; %d in the hand, %d on the ground of %d", name, times, hand, ground, had)
		}
	}
	b := newBed(t)
	c := throwerByBorder(b)
	had := c.items.Count(world.OakPlanks)
	b.region(there).r.store.readOnly = true
	c.drop(6)
	b.run(time.Second)
	if hand, ground := b.planksOf(c); hand != had-6 || ground != 6 || len(b.region(here).r.area.Items()) != 1 {
		t.Errorf("not taken: %d in the hand, %d on the ground of %d, %d items here", hand, ground, had, len(b.region(here).r.area.Items()))
	}
	b.run(3 * time.Second)
	if hand, ground := b.planksOf(c); hand != had || ground != 0 {
		t.Errorf("not taken, picked up again: %d in the hand, %d on the ground of %d", hand, ground, had)
	}
}

// TestTwoPickUpAtOnce: of two players at an item exactly one gets it.
func TestTwoPickUpAtOnce(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	c.dropAhead(5)
	b.run(2 * time.Second)
	at := b.region(here).r.area.Items()[0].Body.Pos
	d, e := b.client("bob"), b.client("eve")
	d.enterAs(world.Survival)
	e.enterAs(world.Survival)
	before := d.items.Count(world.OakPlanks)
	b.teleport(d, at)
	b.teleport(e, at)
	b.run(time.Second)
	got, other := d.items.Count(world.OakPlanks)-before, e.items.Count(world.OakPlanks)-before
	if got+other != 5 || got*other != 0 || len(b.region(here).r.area.Items()) != 0 {
		t.Errorf("one has %d, the other %d of 5", got, other)
	}
}

// TestItemsSleepWithTheRegion: items last while the region sleeps, and not for
// longer than five minutes.
func TestItemsSleepWithTheRegion(t *testing.T) {
	for _, c := range []struct {
		away time.Duration
		want int
	}{{2 * time.Minute, 5}, {6 * time.Minute, 0}} {
		b := newBed(t)
		a := builder(b, "ada")
		a.dropAhead(5)
		b.run(3 * time.Second)
		a.send(here, &Leave{a.player})
		a.watch(here, RateNone)
		b.run(c.away)
		if len(b.regions) != 0 {
			t.Fatalf("%d regions are awake", len(b.regions))
		}
		b.settledFor(a)
		b.run(time.Second)
		if _, ground := b.planksOf(a); ground != c.want {
			t.Errorf("after %v %d lie there, want %d", c.away, ground, c.want)
		}
	}
}

// TestDropFarAway: whom an order moves into another region drops nothing before that region
// has taken it, and an item that lies far beyond the border comes back: no region takes items
// from anywhere but from just beyond its border, and would never answer.
func TestDropFarAway(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.Give, Text: "iron_ore", Count: 9}))
	b.run(200 * time.Millisecond)
	slot := -1
	_, h := b.homeOf(c.player)
	for i, s := range h.p.Items {
		if s.Block == world.IronOre {
			slot = i
		}
	}
	for _, at := range []world.Vec{metres(190, flatTop+1, 64.5), metres(450, flatTop+1, 64.5)} {
		to := at.Block().Region()
		d := b.client("bob")
		d.home = to
		d.enter()
		b.region(to).r.store.readOnly = true
		b.teleport(c, at)
		b.run(500 * time.Millisecond) // it is refused, and put back
		b.teleport(c, at)
		b.run(100 * time.Millisecond) // and waits there until it may be offered again
		seq := c.act(Act{Kind: uint8(world.ActDrop), A: uint64(slot), B: 2})
		b.until("an answer", func() bool { return c.results[seq] != nil })
		if r := c.results[seq]; r.OK || r.Reason != string(world.NotLoaded) {
			t.Errorf("dropped at %v: %+v", at, r)
		}
		b.run(5 * time.Second)
		if r, h := b.homeOf(c.player); r == nil || r.Pos() != here || h.p.Items.Count(world.IronOre) != 9 {
			t.Fatalf("after %v the player has %d", at, h.p.Items.Count(world.IronOre))
		}
	}
	b.tampered = true
	r := b.region(here).r
	it := &world.Item{Entity: 1<<48 + 77, Stack: world.Stack{Block: world.IronOre, Count: 2}, Born: r.area.Now()}
	it.Body.Pos = metres(190, flatTop+2, 20.5)
	r.area.AddItem(it)
	b.run(2 * time.Second)
	if list := r.area.Items(); len(r.pending.list) != 0 || len(list) != 1 || list[0].Body.Pos.Block().Region() != here {
		t.Fatalf("%d items wait for a region that will not answer, and there lie %+v", len(r.pending.list), list)
	}
	old := *it // as earlier versions asked for it
	old.Entity++
	old.Body.Pos = metres(190, flatTop+2, 30.5)
	r.pending.request(&pendingEdit{Remote: &world.Remote{Kind: world.RemoteItem, From: here, At: old.Body.Pos.Block(), Block: world.IronOre, Body: old.Body.Pos, Item: &old}})
	b.run(2 * time.Second)
	b.crash()
	c.watch(here, RateEvery)
	c.enter()
	b.run(2 * time.Second)
	r = b.region(here).r
	if it := r.area.Item(old.Entity); len(r.pending.list) != 0 || it == nil || it.Body.Pos.Block().Region() != here {
		t.Fatalf("an item waits for a region that will not answer, or has gone: %+v", it)
	}
}
