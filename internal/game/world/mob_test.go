package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

const atNight = 18000

func mobAt(a *Area, kind MobKind, x, y, z int) *Mob {
	m := NewMob(uint64(x)<<20|uint64(z), kind, standing(x, y, z).Pos)
	a.AddMob(m)
	return m
}

func TestAngle(t *testing.T) {
	r := rng.New(5)
	for range 2000 {
		want := uint16(r.Uint64())
		got := Angle(Sine(want)*3, -Cosine(want)*3)
		if d := int16(got - want); d > 90 || d < -90 { // half a degree
			t.Errorf("Angle of %d is %d", want, got)
		}
	}
}

func TestSheepGrazesAroundHome(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	m := mobAt(a, Sheep, 64, 10, 64)
	moved, eaten := fixed.Num(0), 0
	for range 6000 {
		was := m.Body.Pos
		for _, ev := range a.Tick(a.tick+1, nil).Events {
			if ev.Kind == EventEat && ev.Handle == m.Handle {
				eaten++
			}
		}
		moved += m.Body.Pos.Sub(was).X.Abs()
		if d := m.Body.Pos.Sub(m.Home.Centre()); max(d.X.Abs(), d.Z.Abs()) > (homeFar+wanderFar+2)*fixed.One {
			t.Fatalf("strayed to %v", m.Body.Pos.Block())
		}
	}
	if moved < 10*fixed.One || eaten == 0 {
		t.Errorf("walked %.1f m and ate %d times in 5 minutes", moved.Metres(), eaten)
	}
}

func TestSheepFleesAndLeavesWool(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	m := mobAt(a, Sheep, 66, 10, 64)
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	if got := a.doAct(t, p, Act{Kind: ActHit, A: int64(m.Entity)}); got != Done {
		t.Fatal(got)
	}
	ticks(a, 80)
	if d := m.Body.Pos.X - p.Body.Pos.X; d < 5*fixed.One {
		t.Errorf("fled to %.1f m", d.Metres())
	}
	m.Health = 1
	p.Body.Pos = m.Body.Pos
	a.doAct(t, p, Act{Kind: ActHit, A: int64(m.Entity)})
	if len(a.Mobs()) != 0 || len(a.changes.Gone) != 1 || !a.changes.Gone[0].Died || p.Items.Count(WhiteWool) != 2 {
		t.Errorf("mobs %d, gone %+v, wool %d", len(a.Mobs()), a.changes.Gone, p.Items.Count(WhiteWool))
	}
}

// A stalker comes around a wall and up a step to strike.
func TestStalkerHuntsAtNight(t *testing.T) {
	for _, c := range []struct {
		time  int64
		comes bool
	}{{atNight, true}, {6000, false}} {
		a := flatArea(AreaConfig{Seed: 4})
		a.SetTimeOffset(c.time)
		for z := int32(58); z < 70; z++ {
			for y := int32(10); y < 14; y++ {
				put(a, Pos{64, y, z}, Stone)
			}
		}
		for x := int32(66); x < 76; x++ {
			for z := int32(55); z < 73; z++ {
				put(a, Pos{x, 10, z}, Stone)
				put(a, Pos{60, 15, z}, Glass) // a roof against the sun
			}
		}
		m := mobAt(a, Stalker, 60, 10, 64)
		p := guest("a", 70, 11, 64)
		a.AddPlayer(p)
		ticks(a, 400)
		if got := p.Health < MaxHealth; got != c.comes {
			t.Errorf("time %d: health %d, stalker at %v", c.time, p.Health, m.Body.Pos.Block())
		}
	}
}

func TestStalkersBurnByDay(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 1}) // it does not rain
	mobAt(a, Stalker, 64, 10, 64)
	a.AddPlayer(guest("a", 70, 10, 64))
	ticks(a, 300)
	if len(a.Mobs()) != 0 {
		t.Error("it lives")
	}
}

// Mobs neither drown nor walk off cliffs, in any terrain.
func TestMobsTakeCare(t *testing.T) {
	for seed := range uint64(3) {
		a := wildArea(t, seed, AreaConfig{})
		r := rng.New(seed)
		for len(a.mobs) < 24 {
			at, ground, ok := a.surface(a.x0+int32(r.Intn(RegionSize)), a.z0+int32(r.Intn(RegionSize)))
			if ok && !ground.IsWater() {
				m := NewMob(uint64(len(a.mobs)+1), Sheep, at.Centre().Sub(Vec{Y: fixed.One / 2}))
				a.AddMob(m)
			}
		}
		for range 3000 {
			for _, g := range a.Tick(a.tick+1, nil).Gone {
				t.Errorf("seed %d: a sheep died at %v", seed, g.Mob.Body.Pos.Block())
			}
			for _, m := range a.mobs {
				if solidIn(a, m.Body.box(m.build())) {
					t.Fatalf("seed %d: a sheep is inside of something at %v", seed, m.Body.Pos.Block())
				}
				if m.Body.Fall > 4*fixed.One+fixed.One/2 {
					t.Fatalf("seed %d: a sheep falls %.1f m at %v", seed, m.Body.Fall.Metres(), m.Body.Pos.Block())
				}
			}
		}
		for _, m := range a.mobs {
			if m.Health < mobTable[Sheep].Health || underWater(a, m.Body.eyeOf(m.build())) {
				t.Errorf("seed %d: a sheep at %v has health %d", seed, m.Body.Pos.Block(), m.Health)
			}
		}
	}
}

func TestMobsSpawnWithinBounds(t *testing.T) {
	a := wildArea(t, 5, AreaConfig{Mobs: 9})
	p := guest("a", 0, 0, 0)
	p.Body.Pos = a.cfg.Spawn.Centre()
	a.AddPlayer(p)
	a.SetTimeOffset(-100)
	most, kinds := map[bool]int{}, map[MobKind]bool{}
	for range 2 * DayLength {
		for _, m := range a.Tick(a.tick+1, nil).Spawned {
			d := m.Body.Pos.Sub(p.Body.Pos)
			if d.X.Abs() < spawnAway*fixed.One/2 && d.Z.Abs() < spawnAway*fixed.One/2 && d.Y.Abs() < spawnAway*fixed.One/2 {
				t.Errorf("spawned %v from the player", d)
			}
			if !a.isTime(m.info().Spawns.When) {
				t.Errorf("a %s came at %d", m.info().Name, a.TimeOfDay())
			}
			kinds[m.Kind] = true
		}
		for _, monsters := range []bool{true, false} {
			most[monsters] = max(most[monsters], a.countMobs(monsters))
		}
	}
	if most[false] > 6 || most[true] > 3 || most[false] == 0 || most[true] == 0 || len(kinds) < 5 {
		t.Errorf("there were %v, of the kinds %v", most, kinds)
	}
	t.Log(most)
}

func TestMobsKeepApart(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	for i := range 4 {
		m := mobAt(a, Sheep, 64, 10, 64)
		a.RemoveMob(m.Entity)
		m.Entity += uint64(i) * 20000
		m.Think = 1000
		a.AddMob(m)
	}
	ticks(a, 100)
	for i, m := range a.mobs {
		for _, n := range a.mobs[:i] {
			if d := m.Body.Pos.Sub(n.Body.Pos); d.X.Abs()+d.Z.Abs() < fixed.One/2 {
				t.Errorf("two sheep are %.2f %.2f m apart", d.X.Metres(), d.Z.Metres())
			}
		}
	}
}

func TestPathGoesRoundAndIsBounded(t *testing.T) {
	a := flatArea(AreaConfig{})
	for z := int32(55); z < 74; z++ {
		for y := int32(10); y < 13; y++ {
			put(a, Pos{66, y, z}, Stone)
		}
	}
	var path [pathKeep]Pos
	a.paths.left = 2
	n := a.paths.findPath(Pos{64, 10, 64}, Pos{68, 10, 64}, &path)
	if n == 0 {
		t.Fatal("no way")
	}
	last := Pos{64, 10, 64}
	for _, p := range path[:n] {
		if max(abs32(p.X-last.X), abs32(p.Z-last.Z)) != 1 || !a.standAt(p) {
			t.Errorf("step from %v to %v", last, p)
		}
		last = p
	}
	if n := a.paths.findPath(Pos{64, 10, 64}, Pos{1000, 10, 64}, &path); n == 0 {
		t.Error("does not go towards what is out of reach")
	}
	if n := a.paths.findPath(Pos{64, 10, 64}, Pos{60, 10, 64}, &path); n != 0 {
		t.Error("more ways than the budget of a tick")
	}
}

func BenchmarkFindPath(b *testing.B) {
	a := wildArea(b, 1, AreaConfig{})
	from, _, _ := a.surface(a.x0+64, a.z0+64)
	var path [pathKeep]Pos
	b.ReportAllocs()
	for b.Loop() {
		a.paths.left = 1
		a.paths.findPath(from, from.Add(0, 40, 60), &path)
	}
}
