package world

import "testing"

// clearBox empties a box of blocks, both corners inside.
func (a *Area) clearBox(x0, y0, z0, x1, y1, z1 int32) {
	for y := y0; y <= y1; y++ {
		for z := z0; z <= z1; z++ {
			for x := x0; x <= x1; x++ {
				a.set(Pos{x, y, z}, Air)
			}
		}
	}
}

// TestRespawnAvoidsPits: players dig at the spawn; whoever comes back stands where
// one can walk away.
func TestRespawnAvoidsPits(t *testing.T) {
	for name, dug := range map[string]func(*Area){
		"a shaft":                 func(a *Area) { a.clearBox(20, 1, 20, 20, 9, 20) },
		"a pit of three by three": func(a *Area) { a.clearBox(19, 4, 19, 21, 9, 21) },
		"a pit with water":        func(a *Area) { a.clearBox(19, 8, 19, 21, 9, 21); a.set(Pos{20, 8, 20}, Water) },
		"a cell under ground":     func(a *Area) { a.clearBox(19, 5, 19, 21, 7, 21) },
	} {
		t.Run(name, func(t *testing.T) {
			a := flatArea(AreaConfig{Spawn: Pos{20, 10, 20}})
			dug(a)
			p := guest("a", 64, 10, 64)
			a.AddPlayer(p)
			a.Tick(1, []Command{{Player: p.ID, Kind: CmdOrder, Order: &Order{Kind: OrderHealth}}})
			a.doAct(t, p, Act{Kind: ActRespawn})
			ticks(a, 60) // long enough to fall to the bottom
			at := p.Body.Pos.Block()
			if at.Y != 10 || max(abs32(at.X-20), abs32(at.Z-20)) > spawnSearch || p.Health != MaxHealth {
				t.Errorf("stands at %v with health %d, not on the ground around the spawn", at, p.Health)
			}
		})
	}
}

// TestRespawnInTheOpen: where nobody has dug it is the spawn itself.
func TestRespawnInTheOpen(t *testing.T) {
	a := flatArea(AreaConfig{Spawn: Pos{20, 10, 20}})
	if at, ok := a.spawnPlace(); !ok || at != SpawnFeet(Pos{20, 10, 20}) {
		t.Errorf("%v, %t", at, ok)
	}
}

// TestRespawnInACrater: nothing better is found in bounded time, and the spawn stays.
func TestRespawnInACrater(t *testing.T) {
	a := flatArea(AreaConfig{Spawn: Pos{64, 10, 64}})
	a.clearBox(50, 0, 50, 80, 9, 80)
	if at, ok := a.spawnPlace(); ok {
		t.Errorf("stands in the air at %v", at)
	}
}

// TestProtectionMovesWithSpawn: what is protected around the spawn moves with it; where a
// storage replays the rules, which knows only the first spawn, that stays protected too.
func TestProtectionMovesWithSpawn(t *testing.T) {
	first, moved := Pos{20, 10, 20}, Pos{90, 10, 90}
	for _, static := range []bool{false, true} {
		a := flatArea(AreaConfig{Spawn: first, Protect: 4, Static: static})
		at := func(p Pos) bool { return a.Bars(p, guest("a", 1, 10, 1).ID, false) }
		if !at(first.Add(4, 3, -4)) || at(first.Add(5, 0, 0)) || at(moved) {
			t.Error("around the first spawn")
		}
		a.SetSpawn(moved)
		if !at(moved.Add(-4, 0, 4)) || at(moved.Add(0, 0, 5)) || at(first) != static {
			t.Errorf("around a spawn that was moved, static %v", static)
		}
	}
}
