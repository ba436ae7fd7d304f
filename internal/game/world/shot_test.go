package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// archer is a player with a bow and some arrows who looks along x.
func bowman(a *Area, arrows uint8) *Player {
	p := guest("archer", 20, 10, 20)
	p.Items = Inventory{{Bow, MaxStack}, {Arrow, arrows}}
	p.Body.Yaw = 16384
	a.AddPlayer(p)
	a.Tick(a.tick+1, nil)
	return p
}

// TestShooting: an arrow flies some twenty metres, costs the bow and an arrow, strikes who
// stands in its way, and lies where it stopped.
func TestShooting(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	p := bowman(a, 2)
	m := mobAt(a, Sheep, 30, 10, 20)
	if code := a.doAct(t, p, Act{Kind: ActUse}); code != Done {
		t.Fatal(code)
	}
	if code := a.doAct(t, p, Act{Kind: ActUse}); code != Cooldown {
		t.Errorf("at once again: %q", code)
	}
	m.Think = a.tick + 1000
	for range 20 {
		a.Tick(a.tick+1, nil)
	}
	if want := Info(Bow).Tool.Damage; m.Health != 8-want || len(a.items) != 0 {
		t.Errorf("the sheep has health %d, %d arrows are left", m.Health, len(a.items))
	}
	a.RemoveMob(m.Entity)
	if code := a.doAct(t, p, Act{Kind: ActUse}); code != Done {
		t.Fatal(code)
	}
	ticks(a, 40)
	if len(a.items) != 1 || a.items[0].Shot != (Shot{}) || a.items[0].Body.Pos.X < fixed.Int(35) {
		t.Fatalf("lies there: %+v", a.items)
	}
	ticks(a, shotEvery)
	if code := a.doAct(t, p, Act{Kind: ActUse}); code != NoItem {
		t.Errorf("without arrows: %q", code)
	}
}

// TestShotAtPlayers: arrows hurt players unless the world is at peace, and walls stop them.
func TestShotAtPlayers(t *testing.T) {
	for name, c := range map[string]struct {
		peace, wall bool
		health      uint8
	}{
		"hit": {false, false, MaxHealth - Info(Bow).Tool.Damage}, "peace": {true, false, MaxHealth}, "wall": {false, true, MaxHealth},
	} {
		a := flatArea(AreaConfig{Seed: 3, Peace: c.peace})
		p := bowman(a, 2)
		q := guest("other", 28, 10, 20)
		a.AddPlayer(q)
		for y := int32(10); c.wall && y < 14; y++ {
			put(a, Pos{24, y, 20}, Stone)
		}
		a.doAct(t, p, Act{Kind: ActUse})
		ticks(a, 12)
		if q.Health != c.health {
			t.Errorf("%s: health %d, want %d", name, q.Health, c.health)
		}
	}
}

// TestArchers: they shoot from afar, and their arrows are none to gather.
func TestArchers(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	a.SetTimeOffset(nightFrom)
	p := guest("prey", 40, 10, 40)
	a.AddPlayer(p)
	m := mobAt(a, Archer, 52, 10, 40)
	shots := 0
	for range 400 {
		p.Health = max(p.Health, 5)
		a.Tick(a.tick+1, nil)
		for _, it := range a.items {
			if it.Shot.By != m.Entity {
				t.Fatalf("an arrow lies: %+v", it)
			}
			shots = max(shots, 1)
		}
	}
	if shots == 0 || p.Health == MaxHealth {
		t.Errorf("health %d", p.Health)
	}
	if far := distance2(m.Body.Pos, p.Body.Pos); far < sq(fixed.Int(4)) {
		t.Errorf("it came within %v", far)
	}
}

// TestShotCrosses: what is on its way is saved and handed over with what it will do.
func TestShotCrosses(t *testing.T) {
	it := &Item{Entity: itemBit | 5, Stack: Stack{Arrow, 1}, Born: 7, Shot: Shot{4, mobBit | 9}}
	got, err := DecodeItem(it.AppendBinary(nil))
	if err != nil || *got != *it {
		t.Errorf("%+v, %v", got, err)
	}
	b := it.AppendBinary(nil)
	b[0] = itemLies
	if _, err := DecodeItem(b); err == nil {
		t.Error("the old layout with a shot was read")
	}
}
