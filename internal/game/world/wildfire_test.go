package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// fires are the blocks of an area that burn.
func fires(a *Area) (n int) {
	for _, c := range a.columns {
		for y := range 64 {
			for z := range ChunkSize {
				for x := range ChunkSize {
					if Info(c.At(x, y, z)).Fire > 0 {
						n++
					}
				}
			}
		}
	}
	return n
}

// woolWall puts a wall of wool that goes from a place to +x, three high.
func woolWall(a *Area, from Pos, long int32) {
	for x := range long {
		for y := range int32(3) {
			put(a, from.Add(x, y, 0), WhiteWool)
		}
	}
}

// left counts the blocks of a wall that are still there.
func left(a *Area, from Pos, long int32) (n int) {
	for x := range long {
		for y := range int32(3) {
			if now, _ := a.Block(from.Add(x, y, 0)); now == WhiteWool {
				n++
			}
		}
	}
	return n
}

// lavaAt puts a source of lava into a pit, so that it does not flow.
func lavaAt(a *Area, p Pos) {
	for f := FaceNorth; f < faceCount; f++ {
		if b, _ := a.Block(p.Next(f)); b == Air {
			put(a, p.Next(f), Stone)
		}
	}
	put(a, p, Lava)
}

// TestFireSpreads: what lava lights burns away, from block to block, but not farther than
// eight blocks; then all is quiet. Stone and chests do not burn.
func TestFireSpreads(t *testing.T) {
	a := flatArea(AreaConfig{})
	from := Pos{64, 10, 64}
	woolWall(a, from, 30)
	put(a, from.Add(0, 1, -1), Chest)
	lavaAt(a, from.Add(-1, 0, 0))
	most := 0
	for range 100 {
		ticks(a, 40)
		most = max(most, fires(a))
	}
	if most < 2 {
		t.Errorf("at most %d blocks burned at once", most)
	}
	// The lava flows to where the wool was, three blocks far, and lights what is there.
	for y := range int32(3) {
		if b, _ := a.Block(from.Add(0, y, 0)); b == WhiteWool {
			t.Errorf("what is beside the lava does not burn, at height %d", y)
		}
		for x := int32(fireFull + 3); x < 30; x++ {
			mustBe(t, a, from.Add(x, y, 0), WhiteWool)
		}
	}
	if n := left(a, from, 30); n > 3*30-6 {
		t.Errorf("%d blocks of the wall are left: it did not spread", n)
	}
	mustBe(t, a, from.Add(0, 1, -1), Chest)
	if n := fires(a); n > 0 {
		t.Errorf("%d fires never end", n)
	}
}

// TestFireIsSlowAndBounded: a wall of leaves along lava catches fire block by block.
func TestFireIsSlowAndBounded(t *testing.T) {
	a := flatArea(AreaConfig{})
	for x := int32(20); x < 100; x++ {
		for z := int32(20); z < 100; z++ {
			put(a, Pos{x, 9, z}, Lava)
			put(a, Pos{x, 10, z}, OakLeaves)
		}
	}
	for range 100 {
		lit := 0
		for _, c := range a.Tick(a.tick+1, nil).Blocks {
			if Info(c.Now).Fire > 0 {
				lit++
			}
		}
		if lit > catchBudget {
			t.Fatalf("%d blocks caught fire in one tick", lit)
		}
	}
	if fires(a) == 0 {
		t.Error("nothing burns")
	}
}

// TestRainAgainstFire: under the open sky nothing catches fire while it rains, and under a
// roof it does; once it is dry it burns there too. Water protects what is beside it.
func TestRainAgainstFire(t *testing.T) {
	const seed = 1
	wet := uint64(weatherSpan)
	for !Raining(seed, wet) {
		wet += weatherSpan
	}
	dry := wet
	for Raining(seed, dry) {
		dry += weatherSpan
	}
	open, covered, cooled := Pos{40, 10, 40}, Pos{60, 10, 60}, Pos{80, 10, 80}
	a := flatArea(AreaConfig{Seed: seed})
	a.tick = wet
	for _, p := range []Pos{open, covered, cooled} {
		lavaAt(a, p.Add(-1, 0, 0))
		put(a, p, OakPlanks)
	}
	put(a, covered.Add(0, 5, 0), Stone)
	put(a, cooled.Add(0, 5, 0), Stone)
	put(a, cooled.Add(2, 0, 0), Stone)
	put(a, cooled.Add(1, 0, 0), Water)
	ticks(a, 500)
	mustBe(t, a, open, OakPlanks)
	if b, _ := a.Block(covered); b == OakPlanks {
		t.Error("nothing burned under the roof")
	}
	mustBe(t, a, cooled, OakPlanks)
	a.Tick(dry, nil)
	ticks(a, 500)
	if b, _ := a.Block(open); b == OakPlanks {
		t.Error("what was wet does not burn when it is dry again")
	}
}

// TestWhereNothingBurns: on land of somebody else, on protected ground, and in worlds without
// fire; owners can burn down what is theirs.
func TestWhereNothingBurns(t *testing.T) {
	owner := Land{Zone: Zone{Pos{64, 0, 0}, Pos{127, Height - 1, 127}}, Owner: id.ID{1}}
	next := Land{Zone: Zone{Pos{0, 0, 0}, Pos{63, Height - 1, 127}}, Owner: id.ID{2}}
	at := Pos{64, 10, 64}
	for name, c := range map[string]struct {
		cfg   AreaConfig
		set   func(a *Area)
		lava  Pos
		burns bool
	}{
		"anywhere":                  {burns: true, lava: at.Add(-1, 0, 0)},
		"from outside of a land":    {set: func(a *Area) { a.SetLands([]Land{owner}) }, lava: at.Add(-1, 0, 0)},
		"from another's land":       {set: func(a *Area) { a.SetLands([]Land{owner, next}) }, lava: at.Add(-1, 0, 0)},
		"on one's own land":         {set: func(a *Area) { a.SetLands([]Land{owner}) }, lava: at.Add(1, 0, 0), burns: true},
		"protected":                 {set: func(a *Area) { a.SetZones([]Zone{owner.Zone}) }, lava: at.Add(-1, 0, 0)},
		"around the spawn":          {cfg: AreaConfig{Spawn: at, Protect: 8}, lava: at.Add(-1, 0, 0)},
		"in a world without fire":   {set: func(a *Area) { a.SetFire(false) }, lava: at.Add(-1, 0, 0)},
		"in a world with a storage": {cfg: AreaConfig{Static: true}, lava: at.Add(-1, 0, 0)},
	} {
		a := flatArea(c.cfg)
		if c.set != nil {
			c.set(a)
		}
		put(a, at, OakPlanks)
		lavaAt(a, c.lava)
		ticks(a, 600)
		if b, _ := a.Block(at); (b != OakPlanks) != c.burns {
			t.Errorf("%s: is %v", name, b)
		}
	}
	// Lava that flows onto somebody's land lights nothing there.
	a := flatArea(AreaConfig{})
	a.SetLands([]Land{owner})
	put(a, at.Add(1, 0, 0), OakPlanks)
	put(a, at.Add(-1, 0, 0), Lava)
	ticks(a, 600)
	mustBe(t, a, at, Lava6)
	mustBe(t, a, at.Add(1, 0, 0), OakPlanks)
}

// TestFireGoesOverTheBorder: each side lights its own blocks by what it sees of the other.
func TestFireGoesOverTheBorder(t *testing.T) {
	west, east := twoAreas(AreaConfig{})
	from := Pos{126, 10, 64}
	for x := range int32(6) {
		put(west, from.Add(x, 0, 0), WhiteWool)
		put(east, from.Add(x, 0, 0), WhiteWool)
	}
	lavaAt(west, from.Add(-1, 0, 0))
	for tick := uint64(1); tick < 3000; tick++ {
		tellOutside(west.Tick(tick, nil), east)
		tellOutside(east.Tick(tick, nil), west)
	}
	for _, a := range []*Area{west, east} {
		if b, _ := a.Block(Pos{128, 10, 64}); b == WhiteWool {
			t.Error("it does not burn beyond the border")
		}
	}
	if fires(west)+fires(east) > 0 {
		t.Error("fires never end")
	}
}

// TestFireEndsAfterARestart: when a fire ends is not on the disk.
func TestFireEndsAfterARestart(t *testing.T) {
	a := flatArea(AreaConfig{})
	at := Pos{64, 10, 64}
	put(a, at, Flames)
	a.updates = newUpdates()
	ticks(a, fireLeast+fireSpread)
	mustBe(t, a, at, Flames)
	a.WakePlants()
	ticks(a, fireLeast+fireSpread)
	mustBe(t, a, at, Air)
}

// TestFlamesHurt: who stands in them burns; water that flows in puts them out.
func TestFlamesHurt(t *testing.T) {
	a := flatArea(AreaConfig{})
	at := Pos{64, 10, 64}
	put(a, at, Flames)
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	ticks(a, silentFor+2*heatEvery)
	if p.Fire == 0 || p.Health > MaxHealth-2 || p.Health < MaxHealth-6 {
		t.Errorf("burns for %d, health %d", p.Fire, p.Health)
	}
	put(a, at.Add(1, 0, 0), Water)
	ticks(a, 10)
	if b, _ := a.Block(at); !b.IsWater() {
		t.Errorf("water does not put out: %v", b)
	}
	if Info(Flames).Item || Info(Flames1).Item {
		t.Error("fire can be carried")
	}
}
