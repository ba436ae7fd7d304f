package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

func TestManyKindsOfMobs(t *testing.T) {
	animals, monsters := 0, 0
	for _, m := range pack.Base().Mobs {
		switch {
		case m.Spawns.Share == 0:
		case m.Monster():
			monsters++
		default:
			animals++
		}
	}
	if animals < 8 || monsters < 8 {
		t.Errorf("%d animals and %d monsters come into the world", animals, monsters)
	}
}

// lake is a place of water six blocks deep in a flat region, from x0 to x1.
func lake(a *Area, x0, x1 int32) {
	for x := x0; x <= x1; x++ {
		for z := x0; z <= x1; z++ {
			for y := int32(4); y < 10; y++ {
				put(a, Pos{x, y, z}, Water)
			}
		}
	}
}

// TestMovesOfMobs: each way to move is another one.
func TestMovesOfMobs(t *testing.T) {
	for name, c := range map[string]struct {
		kind   MobKind
		y      int
		water  bool
		sample func(a *Area, m *Mob) bool // seen once is enough
		always func(a *Area, m *Mob) bool
	}{
		"a rabbit hops":  {kind: Rabbit, y: 10, sample: func(_ *Area, m *Mob) bool { return m.Body.Pos.Y > fixed.Int(11) }},
		"a pig does not": {kind: Pig, y: 10, always: func(_ *Area, m *Mob) bool { return m.Body.Pos.Y <= fixed.Int(11) }},
		"a crow flies, and not away": {
			kind: Crow, y: 10,
			sample: func(_ *Area, m *Mob) bool { return m.Body.Pos.Y > fixed.Int(12) },
			always: func(_ *Area, m *Mob) bool { return m.Body.Pos.Y < fixed.Int(30) },
		},
		"a salmon stays in water": {
			kind: Salmon, y: 6, water: true,
			sample: func(_ *Area, m *Mob) bool { return m.Body.Pos.Sub(m.Home.Centre()).X.Abs() > 2*fixed.One },
			always: func(_ *Area, m *Mob) bool { return m.Body.InWater && m.Health == m.info().Health },
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := flatArea(AreaConfig{Seed: 8})
			if c.water {
				lake(a, 54, 74)
			}
			m := mobAt(a, c.kind, 64, c.y, 64)
			seen := c.sample == nil
			for range 3000 {
				ticks(a, 1)
				seen = seen || c.sample(a, m)
				if c.always != nil && !c.always(a, m) {
					t.Fatalf("tick %d: at %v, health %d", a.tick, m.Body.Pos.Block(), m.Health)
				}
			}
			if !seen {
				t.Errorf("never seen; it is at %v", m.Body.Pos.Block())
			}
		})
	}
}

func TestFishDieOnLand(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 8})
	mobAt(a, Salmon, 64, 10, 64)
	if ticks(a, 100); len(a.mobs) != 0 {
		t.Error("it lives")
	}
}

// TestWhoClimbsWalls: a ring of walls keeps stalkers out, not crawlers.
func TestWhoClimbsWalls(t *testing.T) {
	for kind, comes := range map[MobKind]bool{Crawler: true, Stalker: false} {
		a := flatArea(AreaConfig{Seed: 4})
		a.SetTimeOffset(atNight)
		for x := int32(60); x <= 68; x++ {
			for z := int32(60); z <= 68; z++ {
				for y := int32(10); y < 14 && max(abs32(x-64), abs32(z-64)) == 4; y++ {
					put(a, Pos{x, y, z}, Stone)
				}
			}
		}
		mobAt(a, kind, 56, 10, 64)
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		if ticks(a, 500); (p.Health < MaxHealth) != comes {
			t.Errorf("%s: health is %d", mobTable[kind].Name, p.Health)
		}
	}
}

// TestShyAnimals flee from who walks up to them, not from who sneaks; the herd goes along.
func TestShyAnimals(t *testing.T) {
	for _, sneaks := range []bool{false, true} {
		a := flatArea(AreaConfig{Seed: 3})
		near, far := mobAt(a, Deer, 70, 10, 64), mobAt(a, Deer, 80, 10, 64)
		p := guest("a", 60, 10, 64)
		a.AddPlayer(p)
		fled := false
		for range 40 {
			p.Body.Sneaking = sneaks
			p.LastInput = a.tick + 1
			ticks(a, 1)
			fled = fled || near.Flees > 0 && far.Flees > 0
		}
		if fled == sneaks {
			t.Errorf("sneaking %v: fled %v", sneaks, fled)
		}
	}
}

// TestWolvesHuntTogether who strikes one of them, and nobody else.
func TestWolvesHuntTogether(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	a.SetTimeOffset(atNight)
	one, other := mobAt(a, Wolf, 66, 10, 64), mobAt(a, Wolf, 72, 10, 64)
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	if ticks(a, 100); one.Target != 0 || p.Health < MaxHealth {
		t.Fatal("a wolf hunts by itself")
	}
	p.Body.Pos = one.Body.Pos
	if got := a.doAct(t, p, Act{Kind: ActHit, A: int64(one.Entity)}); got != Done || one.Target != p.Entity || other.Target != p.Entity {
		t.Fatalf("%v; they hunt %x and %x", got, one.Target, other.Target)
	}
	if ticks(a, 200); p.Health > MaxHealth-6 {
		t.Errorf("health is %d after ten seconds", p.Health)
	}
}

// TestBurster hisses first: who runs is not hurt, who stays is, and it is gone.
func TestBurster(t *testing.T) {
	for _, runs := range []bool{false, true} {
		a := flatArea(AreaConfig{Seed: 3})
		a.SetTimeOffset(atNight)
		m := mobAt(a, Burster, 66, 10, 64)
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		died := false
		for range 120 {
			for _, g := range a.Tick(a.tick+1, nil).Gone {
				died = died || g.Died
			}
			if runs && m.NextHit > 0 {
				p.Body.Pos.X = fixed.Int(40)
			}
		}
		if hurt := p.Health < MaxHealth; hurt == runs || died == runs {
			t.Errorf("runs %v: health %d, burst %v", runs, p.Health, died)
		}
		if !runs && MaxHealth-p.Health != mobTable[Burster].Hunts.Damage {
			t.Errorf("takes %d", MaxHealth-p.Health)
		}
	}
}

// TestSlimesSplit when they die, also by a blow between two ticks, and not when they vanish.
func TestSlimesSplit(t *testing.T) {
	for _, between := range []bool{false, true} {
		a := flatArea(AreaConfig{Seed: 3})
		a.SetTimeOffset(atNight)
		m := mobAt(a, Slime, 66, 10, 64)
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		ticks(a, 1)
		m.Health = 1
		hit := []Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActHit, A: int64(m.Entity)}}}
		if between {
			a.Act(hit)
			hit = nil
		}
		a.Tick(a.tick+1, hit)
		if len(a.mobs) != 3 || a.mobs[0].Kind != Slimelet || len(a.changes.Spawned) != 3 {
			t.Errorf("between ticks %v: %d mobs, %d have come", between, len(a.mobs), len(a.changes.Spawned))
		}
		for len(a.players) > 0 {
			a.RemovePlayer(p.ID)
		}
		if ticks(a, 40); len(a.mobs) != 0 {
			t.Errorf("%d mobs with nobody there", len(a.mobs))
		}
	}
}

// TestWhereMobsCome: each kind of place has its own, and lamps keep monsters away.
func TestWhereMobsCome(t *testing.T) {
	for name, c := range map[string]struct {
		where pack.Where
		lamps bool
		want  bool
	}{
		"cave":           {pack.InCave, false, true},
		"cave with lamp": {pack.InCave, true, false},
		"water":          {pack.InWater, false, true},
	} {
		a := flatArea(AreaConfig{Seed: 2, Mobs: 30})
		a.SetTimeOffset(nightFrom)
		lake(a, 100, 120)
		for x := int32(30); x < 90; x++ { // a hall under a hill
			for z := int32(30); z < 90; z++ {
				for y := int32(10); y < 22; y++ {
					if y > 19 {
						put(a, Pos{x, y, z}, Stone)
					}
				}
				if c.lamps && x%6 == 0 && z%6 == 0 {
					put(a, Pos{x, 10, z}, Torch)
				}
			}
		}
		a.AddPlayer(guest("a", 20, 10, 64))
		found := false
		for range 8000 {
			a.players[0].Health = MaxHealth
			for _, m := range a.Tick(a.tick+1, nil).Spawned {
				found = found || m.info().Spawns.Where == c.where
			}
		}
		if found != c.want {
			t.Errorf("%s: came %v", name, found)
		}
	}
}

func TestDeathByMob(t *testing.T) {
	if got := ByMob(Husk).News("Anna"); got != "Anna was killed by a husk." || !ByMob(Husk).Known() || Cause(byMob).Known() || ByMob(mobKinds).Known() {
		t.Error(got)
	}
}

// TestSwords: a sword takes more than a hand, and blows that are felt wear it.
func TestSwords(t *testing.T) {
	for held, want := range map[Block]uint8{Air: 2, WoodenSword: 4, IronSword: 6, IronAxe: 2} {
		a := flatArea(AreaConfig{Seed: 3})
		m := mobAt(a, Cow, 66, 10, 64)
		p, q := guest("a", 64, 10, 64), guest("b", 64, 10, 66)
		p.Items = Inventory{{held, MaxStack}}
		a.AddPlayer(p)
		a.AddPlayer(q)
		for _, at := range []uint64{m.Entity, q.Entity, q.Entity} { // the last one is not felt
			ticks(a, hitEvery-2)
			if got := a.doAct(t, p, Act{Kind: ActHit, A: int64(at)}); got != Done {
				t.Fatal(got)
			}
			p.Body.Pos = guest("a", 64, 10, 64).Body.Pos
		}
		if m.info().Health-m.Health != want || MaxHealth-q.Health != want {
			t.Errorf("%v takes %d and %d", held, m.info().Health-m.Health, MaxHealth-q.Health)
		}
		if used := MaxStack - p.Items[0].Count; held == WoodenSword && (used < 2 || used > 4) {
			t.Errorf("worn by %d", used)
		}
	}
}
