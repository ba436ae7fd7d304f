package world

import (
	"fmt"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// thrower is a player on the flat area who has ten planks in slot 0.
func thrower(a *Area, name string, x, y, z int) *Player {
	p := guest(name, x, y, z)
	p.Items = Inventory{{OakPlanks, 10}}
	p.Body.Yaw = 16384 // towards +x
	a.AddPlayer(p)
	ticks(a, 5)
	return p
}

func dropping(slot, n int64) Act { return Act{Kind: ActDrop, A: slot, B: n} }

// lying is how many of a block lie in the region.
func lying(a *Area, b Block) (n int) {
	for _, it := range a.items {
		if it.Stack.Block == b {
			n += int(it.Stack.Count)
		}
	}
	return n
}

// until ticks until something holds, and fails after a number of ticks.
func (a *Area) until(t *testing.T, most int, what string, holds func() bool) {
	t.Helper()
	for range most {
		if holds() {
			return
		}
		ticks(a, 1)
	}
	t.Fatalf("%s: not within %d ticks", what, most)
}

func TestDroppedItemFallsAndIsPickedUp(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 1})
	p := thrower(a, "a", 20, 10, 20)
	if got := a.doAct(t, p, dropping(0, 3)); got != Done {
		t.Fatal(got)
	}
	if p.Items[0].Count != 7 || lying(a, OakPlanks) != 3 || len(a.items) != 1 {
		t.Fatalf("%v in the hand, %d on the ground", p.Items[0], lying(a, OakPlanks))
	}
	it := a.items[0]
	ticks(a, 60)
	if at := it.Body.Pos; at.Y != fixed.Int(10) || at.X < p.Body.Pos.X+fixed.One || !it.Body.rests() {
		t.Fatalf("lies at %+v", it.Body)
	}
	p.Body.Pos = it.Body.Pos
	ticks(a, 2)
	if p.Items[0].Count != 10 || len(a.items) != 0 {
		t.Errorf("%v in the hand, %d on the ground", p.Items[0], len(a.items))
	}
}

func TestWhoDroppedAnItemWaitsLonger(t *testing.T) {
	for _, c := range []struct {
		name string
		own  bool // only what one has dropped oneself
		at   int  // ticks until the item has been picked up
		by   string
	}{{"anybody", false, othersWait, "b"}, {"only one's own", true, ownerWaits, "a"}} {
		a := flatArea(AreaConfig{Seed: 1, OwnItems: c.own})
		p, q := thrower(a, "a", 20, 10, 20), thrower(a, "b", 20, 10, 20)
		p.Body.Pitch = -16384 // to the own feet
		a.doAct(t, p, dropping(0, 10))
		n := 0
		for ; len(a.items) > 0 && n < 100; n++ {
			ticks(a, 1)
		}
		by := map[bool]string{true: "a", false: "b"}[p.Items[0].Count == 10]
		if n != c.at || by != c.by || int(p.Items[0].Count)+q.Items.Count(OakPlanks) != 20 {
			t.Errorf("%s: after %d ticks by %s, %v and %v in the hands", c.name, n, by, p.Items[0], q.Items[:2])
		}
	}
}

// Two players at the same place at once: exactly one gets it, the same one
// whatever the order in which they came.
func TestTwoPlayersPickUpAtOnce(t *testing.T) {
	got := map[string]bool{}
	for _, names := range [][2]string{{"b", "c"}, {"c", "b"}} {
		a := flatArea(AreaConfig{Seed: 1})
		p := thrower(a, "a", 20, 10, 20)
		a.doAct(t, p, dropping(0, 10))
		ticks(a, 60)
		at := a.items[0].Body.Pos
		for _, name := range names {
			q := guest(name, 20, 10, 20)
			q.Items, q.Body.Pos, q.Arriving = Inventory{}, at, false
			a.AddPlayer(q)
		}
		ticks(a, 2)
		n := 0
		for _, q := range a.players {
			if q != p && q.Items.Count(OakPlanks) > 0 {
				n += q.Items.Count(OakPlanks)
				got[q.Name] = true
			}
		}
		if n != 10 || len(a.items) != 0 {
			t.Errorf("%d were picked up of 10, %d items lie", n, len(a.items))
		}
	}
	if len(got) != 1 {
		t.Errorf("who gets it depends on the order: %v", got)
	}
}

func TestFullInventoryLeavesItemsOnTheGround(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 1})
	p := thrower(a, "a", 20, 10, 20)
	a.doAct(t, p, dropping(0, 10))
	ticks(a, 60)
	q := guest("b", 20, 10, 20)
	for i := range q.Items {
		q.Items[i] = Stack{Dirt, MaxStack}
	}
	a.AddPlayer(q)
	q.Body.Pos = a.items[0].Body.Pos
	ticks(a, 20)
	if lying(a, OakPlanks) != 10 {
		t.Errorf("%d lie there", lying(a, OakPlanks))
	}
	q.Items[7] = Stack{OakPlanks, MaxStack - 4}
	ticks(a, 20)
	if lying(a, OakPlanks) != 6 || q.Items[7].Count != MaxStack {
		t.Errorf("%d lie there, %v in the slot", lying(a, OakPlanks), q.Items[7])
	}
}

func TestSomePlayersPickNothingUp(t *testing.T) {
	for name, change := range map[string]func(*Player){
		"spectator":    func(p *Player) { p.Mode = Spectator },
		"dead":         func(p *Player) { p.Health = 0 },
		"handed over":  func(p *Player) { p.Frozen = true },
		"not arrived":  func(p *Player) { p.Arriving = true; p.Body.Pos.X = fixed.Int(-40) },
		"beyond reach": func(p *Player) { p.Body.Pos.X += fixed.Int(2) },
	} {
		a := flatArea(AreaConfig{Seed: 1})
		p := thrower(a, "a", 20, 10, 20)
		a.doAct(t, p, dropping(0, 10))
		ticks(a, 60)
		q := guest("b", 20, 10, 20)
		q.Arriving, q.Body.Pos = false, a.items[0].Body.Pos
		a.AddPlayer(q)
		change(q)
		ticks(a, 10)
		if lying(a, OakPlanks) != 10 {
			t.Errorf("%s: %d lie there", name, lying(a, OakPlanks))
		}
	}
}

// What lies behind a wall is not picked up through it.
func TestItemsStayBehindWalls(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 1})
	p := thrower(a, "a", 20, 10, 20)
	for y := int32(10); y < 13; y++ {
		for z := int32(15); z < 26; z++ {
			put(a, Pos{25, y, z}, Glass)
		}
	}
	it := &Item{Entity: itemBit | 1, Stack: Stack{Dirt, 1}}
	it.Body.Pos = Vec{fixed.Int(26) + itemBuild.half, fixed.Int(10), fixed.Int(20) + fixed.One/2}
	a.AddItem(it)
	p.Body.Pos.X = fixed.Int(25) - human.half
	ticks(a, 40)
	if lying(a, Dirt) != 1 {
		t.Error("picked up through a wall")
	}
}

func TestItemsGoAfterFiveMinutes(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 1})
	p := thrower(a, "a", 20, 10, 20)
	a.doAct(t, p, dropping(0, 1))
	born := a.tick
	p.Body.Pos.X += fixed.Int(40)
	for a.tick < born+itemLife-1 {
		ticks(a, 1)
	}
	if len(a.items) != 1 {
		t.Fatal("gone too early")
	}
	c := a.Tick(a.tick+1, nil)
	if len(a.items) != 0 || len(c.ItemsGone) != 1 || c.ItemsGone[0].Taken {
		t.Errorf("%d lie there, %+v", len(a.items), c.ItemsGone)
	}
	if p.Items[0].Count != 9 {
		t.Errorf("%v in the hand", p.Items[0])
	}
}

func TestEqualItemsMerge(t *testing.T) {
	for _, c := range []struct {
		block Block
		n     uint8
		want  int
	}{{OakPlanks, 40, 1}, {OakPlanks, 90, 2}, {Dirt, 40, 2}} {
		a := flatArea(AreaConfig{Seed: 1})
		for i, s := range []Stack{{OakPlanks, 40}, {c.block, c.n}} {
			it := &Item{Entity: itemBit | uint64(i), Stack: s}
			it.Body.Pos = Vec{fixed.Int(20), fixed.Int(10), fixed.Int(20)}
			a.AddItem(it)
		}
		ticks(a, 2*mergeEvery)
		if len(a.items) != c.want || lying(a, OakPlanks)+lying(a, Dirt) != 40+int(c.n) {
			t.Errorf("%d of %v: %d items with %d planks, %d dirt", c.n, c.block, len(a.items), lying(a, OakPlanks), lying(a, Dirt))
		}
	}
}

func TestItemsAndWater(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 1})
	for x := int32(15); x < 30; x++ {
		for z := int32(15); z < 26; z++ {
			for y := int32(7); y < 10; y++ {
				put(a, Pos{x, y, z}, Water)
			}
		}
	}
	it := &Item{Entity: itemBit | 1, Stack: Stack{Dirt, 1}}
	it.Body.Pos = Vec{fixed.Int(20), fixed.Int(14), fixed.Int(20)}
	a.AddItem(it)
	a.until(t, 200, "it lies on the bottom", func() bool { return it.Body.rests() && it.Body.Pos.Y == fixed.Int(7) })
	put(a, Pos{20, 6, 20}, Air)
	put(a, Pos{19, 6, 20}, Air)
	put(a, Pos{20, 6, 19}, Air)
	put(a, Pos{19, 6, 19}, Air)
	a.until(t, 100, "it falls on when the ground goes", func() bool { return it.Body.Pos.Y == fixed.Int(6) })
}

func TestItemsAreBounded(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 1})
	p := thrower(a, "a", 20, 10, 20)
	done, cooled := 0, 0
	for i := range 400 {
		p.Items[0] = Stack{Stone + Block(i%2), 1} // two kinds that do not merge with each other
		switch code := a.doAct(t, p, dropping(0, 1)); code {
		case Done:
			done++
		case Cooldown:
			cooled++
		case TooMany:
		default:
			t.Fatal(code)
		}
		for _, it := range a.items { // nobody picks up, and nothing merges
			it.Body.Pos.X, it.Body.Vel = fixed.Int(i%32), Vec{}
			it.Born = a.tick
		}
	}
	if cooled == 0 || done > 400/placeEvery+placeSlack {
		t.Errorf("%d dropped, %d too fast", done, cooled)
	}
	b := flatArea(AreaConfig{Seed: 1})
	q := thrower(b, "b", 20, 10, 20)
	fill := func(n int, x int) {
		for i := range n {
			it := &Item{Entity: itemBit | uint64(x)<<20 | uint64(i), Stack: Stack{Dirt, MaxStack}, Born: b.tick}
			it.Body.Pos = Vec{fixed.Int(x) + 2000, fixed.Int(10), fixed.Int(1)}
			b.AddItem(it)
		}
	}
	fill(maxColumnItems, 2)
	if got := b.doAct(t, q, dropping(0, 1)); got != TooMany || q.Items[0].Count != 10 {
		t.Errorf("a full column: %q, %v in the hand", got, q.Items[0])
	}
	q.Body.Pos.X = fixed.Int(40)
	if got := b.doAct(t, q, dropping(0, 1)); got != Done {
		t.Errorf("beside it: %q", got)
	}
	for x := 70; len(b.items) < maxItems; x += 20 {
		fill(min(maxColumnItems, maxItems-len(b.items)), x)
	}
	if got := b.doAct(t, q, dropping(0, 1)); got != TooMany {
		t.Errorf("a full region: %q", got)
	}
	over := &Item{Entity: itemBit | 77, Stack: Stack{Dirt, 1}}
	if got := b.takeItem(&Remote{Item: over}); got != TooMany {
		t.Errorf("from a neighbour into a full region: %q", got)
	}
}

// However players drop and pick up, there is never more or less than before.
func TestItemsAreConserved(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 5})
	total := func() (n int) {
		for _, p := range a.players {
			for _, s := range p.Items {
				n += int(s.Count)
			}
		}
		for _, it := range a.items {
			n += int(it.Stack.Count)
		}
		return n
	}
	for i := range 8 {
		p := guest(fmt.Sprint(i), 60+i, 10, 60)
		p.Items = Inventory{{OakPlanks, 90}, {Dirt, 90}, {OakPlanks, 99}}
		a.AddPlayer(p)
	}
	want, most := total(), 0
	r := rng.New(9)
	for tick := uint64(1); tick < 3000; tick++ {
		var cmds []Command
		for _, p := range a.players {
			in := Input{uint16(r.Intn(2)), uint16(r.Intn(4) << 14), int16(r.Intn(20000) - 10000)}
			cmds = append(cmds, Command{Player: p.ID, Kind: CmdInput, Seq: uint32(tick), Input: in})
			if r.OneIn(10) {
				cmds = append(cmds, Command{Player: p.ID, Kind: CmdAct, Seq: uint32(tick), Act: dropping(int64(r.Intn(5)), int64(1+r.Intn(99)))})
			}
			p.Body.Pos.X, p.Body.Pos.Z = p.Body.Pos.X.Clamp(fixed.Int(50), fixed.Int(70)), p.Body.Pos.Z.Clamp(fixed.Int(50), fixed.Int(70))
		}
		a.Tick(tick, cmds)
		if got := total(); got != want {
			t.Fatalf("tick %d: %d, there were %d", tick, got, want)
		}
		most = max(most, len(a.items))
	}
	if most < 10 {
		t.Errorf("a dull script: at most %d items lay there", most)
	}
}

func FuzzDecodeItem(f *testing.F) {
	it := &Item{Entity: itemBit | 5, Stack: Stack{Dirt, 3}, Born: 7}
	it.Body.Pos = Vec{fixed.Int(20), fixed.Int(12), fixed.Int(20)}
	f.Add(it.AppendBinary(nil))
	ground := flatArea(AreaConfig{})
	f.Fuzz(func(t *testing.T, b []byte) {
		it, err := DecodeItem(b)
		if err != nil {
			return
		}
		again, err := DecodeItem(it.AppendBinary(nil))
		if err != nil || *again != *it {
			t.Errorf("%+v became %+v: %v", it, again, err)
		}
		a := copyOf(ground, AreaConfig{})
		a.takeItem(&Remote{Item: it})
		ticks(a, 3)
	})
}
