package world

import "testing"

func TestSandFalls(t *testing.T) {
	a := flatArea(AreaConfig{})
	for y := int32(20); y < 25; y++ {
		put(a, Pos{64, y, 64}, Sand)
	}
	put(a, Pos{64, 30, 64}, Gravel)
	ticks(a, 60)
	for y := int32(10); y < 15; y++ {
		mustBe(t, a, Pos{64, y, 64}, Sand)
	}
	mustBe(t, a, Pos{64, 15, 64}, Gravel)
	mustBe(t, a, Pos{64, 16, 64}, Air)
}

func TestSandSinksInWaterAndLiftsWhoStandsThere(t *testing.T) {
	a := flatArea(AreaConfig{})
	put(a, Pos{64, 10, 64}, Water)
	put(a, Pos{64, 14, 64}, Sand)
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	ticks(a, 60)
	mustBe(t, a, Pos{64, 10, 64}, Sand)
	if solidIn(a, p.Body.box(&human)) {
		t.Errorf("the player is in the sand at %v", p.Body.Pos.Block())
	}
}

func TestWhatLosesItsSupportGoesToTheNearest(t *testing.T) {
	a := flatArea(AreaConfig{})
	near, far := guest("near", 66, 10, 64), guest("far", 70, 10, 64)
	near.Items, far.Items = Inventory{}, Inventory{}
	a.AddPlayer(near)
	a.AddPlayer(far)
	for i, c := range []struct{ ground, plant Block }{
		{Stone, Torch}, {Grass, Poppy}, {Sand, Cactus}, {Dirt, Reeds}, {Stone, RedMushroom},
	} {
		at := Pos{64, 10, int32(60 + i)}
		put(a, at, c.ground)
		put(a, at.Next(FaceUp), c.plant)
		ticks(a, 5)
		mustBe(t, a, at.Next(FaceUp), c.plant)
		put(a, at, Air)
		ticks(a, 5)
		mustBe(t, a, at.Next(FaceUp), Air)
		if near.Items.Count(c.plant) != 1 || far.Items.Count(c.plant) != 0 {
			t.Errorf("%v: near has %d, far has %d", c.plant, near.Items.Count(c.plant), far.Items.Count(c.plant))
		}
	}
}

func TestACactusTopplesWhole(t *testing.T) {
	a := flatArea(AreaConfig{})
	put(a, Pos{64, 10, 64}, Sand)
	for y := int32(11); y < 15; y++ {
		put(a, Pos{64, y, 64}, Cactus)
	}
	ticks(a, 3)
	put(a, Pos{64, 11, 64}, Air)
	ticks(a, 20)
	for y := int32(11); y < 15; y++ {
		mustBe(t, a, Pos{64, y, 64}, Air)
	}
}

func TestGrassSpreadsAndDies(t *testing.T) {
	a := flatArea(AreaConfig{})
	put(a, Pos{64, 9, 64}, Grass)
	for x := int32(65); x < 70; x++ {
		put(a, Pos{x, 9, 64}, Dirt)
	}
	ticks(a, 6*(growMin+growSpread))
	for x := int32(65); x < 70; x++ {
		mustBe(t, a, Pos{x, 9, 64}, Grass)
	}
	put(a, Pos{66, 10, 64}, Stone)
	ticks(a, growMin+growSpread)
	mustBe(t, a, Pos{66, 9, 64}, Dirt)
}

// The number of block ticks in one tick is bounded; the rest waits its turn.
func TestBlockTicksAreBounded(t *testing.T) {
	a := flatArea(AreaConfig{})
	for x := int32(10); x < 60; x++ {
		for z := int32(10); z < 60; z++ {
			put(a, Pos{x, 40, z}, Sand)
		}
	}
	a.changes.reset(0)
	most, total := 0, 0
	for range 40 {
		n := len(a.Tick(a.tick+1, nil).Blocks)
		most, total = max(most, n), total+n
	}
	if most > 2*updateBudget || total != 2*50*50 {
		t.Errorf("%d changes in a tick, %d in all", most, total)
	}
}

// Water in terrain as it is generated has nowhere to flow: digging beside a lake
// moves what is dug, not the lake.
func TestTerrainIsAtRest(t *testing.T) {
	for seed := range uint64(3) {
		a := wildArea(t, seed, AreaConfig{})
		for y := int32(1); y < 200; y++ {
			for z := a.z0 + 1; z < a.z0+RegionSize-1; z++ {
				for x := a.x0 + 1; x < a.x0+RegionSize-1; x++ {
					p := Pos{x, y, z}
					b, _ := a.Block(p)
					if now, _ := a.flowsInto(p, b); b.Replaceable() && now != b {
						t.Fatalf("seed %d: %v at %v wants to become %v", seed, b, p, now)
					}
				}
			}
		}
	}
}

func TestUpdatesComeInOrder(t *testing.T) {
	u, v := newUpdates(), newUpdates()
	list := []blockUpdate{{5, Pos{1, 2, 3}}, {3, Pos{1, 2, 3}}, {5, Pos{0, 2, 3}}, {5, Pos{0, 1, 9}}, {9, Pos{1, 2, 3}}, {1, Pos{4, 4, 4}}}
	for i := range list {
		u.add(list[i].at, list[i].due)
		v.add(list[len(list)-1-i].at, list[len(list)-1-i].due)
	}
	want := []Pos{{4, 4, 4}, {1, 2, 3}, {0, 1, 9}, {0, 2, 3}}
	for i, w := range want {
		p, ok := u.next(7)
		q, _ := v.next(7)
		if !ok || p != w || q != w {
			t.Errorf("%d: %v and %v, want %v", i, p, q, w)
		}
	}
	if _, ok := u.next(100); ok {
		t.Error("one too many")
	}
}
