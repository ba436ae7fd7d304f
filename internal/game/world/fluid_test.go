package world

import "testing"

// ticks runs an area for n ticks without commands.
func ticks(a *Area, n int) {
	for range n {
		a.Tick(a.tick+1, nil)
	}
}

func put(a *Area, p Pos, b Block) { a.set(p, b) }

func mustBe(t *testing.T, a *Area, p Pos, want Block) {
	t.Helper()
	if got, _ := a.Block(p); got != want {
		t.Errorf("at %v is %v, want %v", p, got, want)
	}
}

func countWater(a *Area) (n int) {
	for _, c := range a.columns {
		for y := range 64 {
			for z := range ChunkSize {
				for x := range ChunkSize {
					if c.At(x, y, z).IsWater() {
						n++
					}
				}
			}
		}
	}
	return n
}

// A source on flat ground spreads seven blocks far: 1 + 4·(1+…+7) cells.
func TestWaterSpreadsAndDries(t *testing.T) {
	a := flatArea(AreaConfig{})
	at := Pos{64, 10, 64}
	put(a, at, Water)
	ticks(a, 60)
	if got, want := countWater(a), 1+4*(1+2+3+4+5+6+7); got != want {
		t.Errorf("%d cells of water, want %d", got, want)
	}
	for d := int32(1); d <= 7; d++ {
		mustBe(t, a, at.Add(d, 0, 0), WaterOf(FluidFull-int(d)))
	}
	mustBe(t, a, at.Add(8, 0, 0), Air)
	put(a, at, Air)
	ticks(a, 120)
	if got := countWater(a); got != 0 {
		t.Errorf("%d cells of water are left without a source", got)
	}
	if n := len(a.updates.due); n != 0 {
		t.Errorf("%d block ticks never end", n)
	}
}

func TestWaterFallsAndFlowsOn(t *testing.T) {
	a := flatArea(AreaConfig{})
	for y := int32(10); y < 15; y++ {
		put(a, Pos{64, y, 64}, Stone)
	}
	put(a, Pos{64, 15, 64}, Water)
	ticks(a, 120)
	mustBe(t, a, Pos{65, 15, 64}, Water7)
	mustBe(t, a, Pos{66, 15, 64}, Air) // it ran over the edge
	for y := int32(10); y < 15; y++ {
		mustBe(t, a, Pos{65, y, 64}, Water7)
	}
	mustBe(t, a, Pos{66, 10, 64}, Water6)
}

func TestTwoSourcesMakeAThird(t *testing.T) {
	a := flatArea(AreaConfig{})
	put(a, Pos{63, 10, 64}, Water)
	put(a, Pos{65, 10, 64}, Water)
	ticks(a, 20)
	mustBe(t, a, Pos{64, 10, 64}, Water)
}

// twoAreas are flat regions side by side, which see each other's blocks.
func twoAreas(cfg AreaConfig) (west, east *Area) {
	west = flatArea(cfg)
	east = NewArea(cfg, RegionPos{1, 0}, west)
	west.outside = east
	for i := range Columns {
		c := west.Column(i).Clone()
		c.Pos = east.pos.Column(i)
		east.SetColumn(c)
	}
	return west, east
}

// tellOutside passes on what changed at the border, as regions do.
func tellOutside(c *Changes, to *Area) {
	for _, b := range c.Blocks {
		to.NoteOutside(b.At)
	}
}

func TestWaterFlowsOverTheBorder(t *testing.T) {
	for _, order := range []bool{false, true} {
		west, east := twoAreas(AreaConfig{})
		put(west, Pos{126, 10, 64}, Water)
		tellOutside(&west.changes, east)
		for tick := uint64(1); tick < 120; tick++ {
			if order {
				tellOutside(east.Tick(tick, nil), west)
			}
			tellOutside(west.Tick(tick, nil), east)
			if !order {
				tellOutside(east.Tick(tick, nil), west)
			}
		}
		for d := int32(1); d <= 7; d++ {
			mustBe(t, west, Pos{126 + d, 10, 64}, WaterOf(FluidFull-int(d)))
			mustBe(t, west, Pos{126, 10, 64 + d}, WaterOf(FluidFull-int(d)))
		}
		mustBe(t, east, Pos{128 + 5, 10, 65}, Air)
	}
}
