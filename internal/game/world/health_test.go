package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

func TestFallDamage(t *testing.T) {
	for _, c := range []struct {
		metres int
		mode   Mode
		water  bool
		health uint8
	}{
		{3, Survival, false, 20}, {4, Survival, false, 19}, {13, Survival, false, 10}, {40, Survival, false, 0},
		{40, Creative, false, 20}, {40, Survival, true, 20},
	} {
		a := flatArea(AreaConfig{})
		if c.water {
			put(a, Pos{64, 10, 64}, Water)
			put(a, Pos{64, 11, 64}, Water)
		}
		p := guest("a", 64, 10+c.metres, 64)
		p.Mode = c.mode
		a.AddPlayer(p)
		ticks(a, silentFor+60)
		if p.Health != c.health || p.Dead() != (c.health == 0) {
			t.Errorf("fell %d m (mode %d, water %v): health %d, want %d", c.metres, c.mode, c.water, p.Health, c.health)
		}
	}
}

func TestDrowning(t *testing.T) {
	a := flatArea(AreaConfig{})
	for y := int32(4); y < 10; y++ {
		put(a, Pos{64, y, 64}, Water)
	}
	p := guest("a", 64, 4, 64)
	a.AddPlayer(p)
	ticks(a, silentFor+MaxAir-10)
	if p.Health != MaxHealth || p.Air > 30 {
		t.Errorf("health %d, air %d", p.Health, p.Air)
	}
	ticks(a, 20+drownEvery*10)
	if !p.Dead() {
		t.Errorf("health %d, air %d", p.Health, p.Air)
	}
	a.doAct(t, p, Act{Kind: ActRespawn})
	if p.Dead() || p.Air != MaxAir {
		t.Errorf("after the respawn: health %d, air %d", p.Health, p.Air)
	}
}

func TestCactusStings(t *testing.T) {
	a := flatArea(AreaConfig{})
	put(a, Pos{65, 9, 64}, Sand)
	put(a, Pos{65, 10, 64}, Cactus)
	p := guest("a", 64, 10, 64)
	p.Body.Pos.X = fixed.Int(65) - human.half
	a.AddPlayer(p)
	ticks(a, 3*stingEvery)
	if p.Health != MaxHealth-3 {
		t.Errorf("health %d", p.Health)
	}
}

func TestWoundsHeal(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	p.Health = 15
	a.AddPlayer(p)
	ticks(a, 6*healEvery)
	if p.Health != MaxHealth {
		t.Errorf("health %d", p.Health)
	}
}

func TestDeathKeepsItemsAndRespawnsAtTheSpawn(t *testing.T) {
	a := flatArea(AreaConfig{Spawn: Pos{20, 5, 20}}) // in the ground: room is found
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	c := a.Tick(1, []Command{{Player: p.ID, Kind: CmdOrder, Order: &Order{Kind: OrderHealth}}})
	if !p.Dead() || len(c.Notices) != 1 || len(c.Selves) != 1 {
		t.Fatalf("health %d, %+v", p.Health, c)
	}
	if got := a.doAct(t, p, Act{Kind: ActSelect, A: 1}); got != IsDead {
		t.Errorf("a dead player selects: %q", got)
	}
	if got := a.doAct(t, p, Act{Kind: ActRespawn}); got != Done {
		t.Errorf("respawn: %q", got)
	}
	if got := a.doAct(t, p, Act{Kind: ActRespawn}); got != NotAllowed {
		t.Errorf("respawn of the living: %q", got)
	}
	if at := p.Body.Pos.Block(); at != (Pos{20, 10, 20}) || p.Items != starterKit {
		t.Errorf("at %v with %v", at, p.Items[0])
	}
}

func TestEating(t *testing.T) {
	for _, c := range []struct {
		peaceful     bool
		food, health uint8
	}{{false, 14, 10}, {true, 10, 14}} {
		a := flatArea(AreaConfig{Peaceful: c.peaceful})
		p := guest("a", 64, 10, 64)
		p.Items[0], p.Health, p.Food, p.NextHeal = Stack{Pumpkin, 1}, 10, 10, 1000
		a.AddPlayer(p)
		if got := a.doAct(t, p, Act{Kind: ActUse}); got != Done || p.Health != c.health || p.Food != c.food || p.Held() != Air {
			t.Errorf("peaceful %v, %q: health %d, food %d, holds %v", c.peaceful, got, p.Health, p.Food, p.Held())
		}
		if got := a.doAct(t, p, Act{Kind: ActUse}); got != NotAllowed {
			t.Errorf("eats nothing: %q", got)
		}
	}
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	p.Items[0], p.Health = Stack{Pumpkin, 1}, 10
	a.AddPlayer(p)
	if got := a.doAct(t, p, Act{Kind: ActUse}); got != NotAllowed {
		t.Errorf("eats with a full stomach: %q", got)
	}
}

// TestHunger: who sprints gets hungry, who stands still does not; who has little food does
// not heal, and who has none starves, but not to death. Nobody does in a peaceful world.
func TestHunger(t *testing.T) {
	sprint := func(a *Area, p *Player, n int) {
		for range n {
			p.Body.Pos = guest("a", 64, 10, 64).Body.Pos
			in := Input{Buttons: ButtonForward | ButtonSprint}
			a.Tick(a.Now()+1, []Command{{Player: p.ID, Kind: CmdInput, Seq: p.LastSeq + 1, Input: in}})
		}
	}
	for _, peaceful := range []bool{false, true} {
		a := flatArea(AreaConfig{Peaceful: peaceful})
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		ticks(a, 2000)
		if p.Food != MaxFood || p.Effort != 0 {
			t.Errorf("who stands has %d food, effort %d", p.Food, p.Effort)
		}
		sprint(a, p, 2*effortPerFood/sprintEffort+20)
		if got := MaxFood - p.Food; peaceful && got != 0 || !peaceful && got != 2 {
			t.Errorf("peaceful %v: who sprints lost %d food", peaceful, got)
		}
		if peaceful {
			continue
		}
		p.Food, p.Health = healFood-1, 10
		ticks(a, 3*healEvery)
		if p.Health != 10 {
			t.Errorf("the hungry heal: health %d", p.Health)
		}
		p.Food = 1
		sprint(a, p, effortPerFood/sprintEffort+20)
		if p.Food != 0 {
			t.Fatalf("%d food", p.Food)
		}
		ticks(a, 12*starveEvery)
		if p.Health != starveTo {
			t.Errorf("who starves has a health of %d", p.Health)
		}
		if again, err := DecodePlayer(p.AppendBinary(nil)); err != nil || again.Food != 0 {
			t.Errorf("%v, %+v", err, again)
		}
		a.Tick(a.Now()+1, []Command{{Player: p.ID, Kind: CmdOrder, Order: &Order{Kind: OrderHealth}}})
		if a.doAct(t, p, Act{Kind: ActRespawn}); p.Food != MaxFood {
			t.Errorf("comes back to life with %d food", p.Food)
		}
	}
}

// TestNoMonstersInPeace: at night stalkers come, but not into a peaceful world.
func TestNoMonstersInPeace(t *testing.T) {
	for _, peaceful := range []bool{false, true} {
		a := flatArea(AreaConfig{Mobs: 8, Peaceful: peaceful})
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		a.SetTimeOffset(nightFrom)
		ticks(a, 4000)
		if n := a.countMobs(true); (n == 0) != peaceful {
			t.Errorf("peaceful %v: %d stalkers", peaceful, n)
		}
	}
}

func TestBlows(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  AreaConfig
		far  int
		wall bool
		mode Mode
		want Refusal
	}{
		"hit":       {far: 2},
		"too far":   {far: 7, want: TooFar},
		"peace":     {far: 2, cfg: AreaConfig{Peace: true}, want: NotAllowed},
		"protected": {far: 2, cfg: AreaConfig{Spawn: Pos{64, 10, 64}, Protect: 9}, want: NotAllowed},
		"walled":    {far: 2, wall: true, want: NotAllowed},
		"spectator": {far: 2, mode: Spectator, want: NotAllowed},
	} {
		a := flatArea(c.cfg)
		p, q := guest("a", 64, 10, 64), guest("b", 64+c.far, 10, 64)
		p.Mode = c.mode
		a.AddPlayer(p)
		a.AddPlayer(q)
		for y := int32(10); y < 13 && c.wall; y++ {
			put(a, Pos{65, y, 64}, Glass)
		}
		got := a.doAct(t, p, Act{Kind: ActHit, A: int64(q.Entity)})
		if got != c.want || (q.Health < MaxHealth) != (c.want == Done) {
			t.Errorf("%s: %q, health %d", name, got, q.Health)
		}
		if name == "hit" {
			if q.Body.Vel.X <= 0 || q.Body.Vel.Y <= 0 || len(a.changes.Corrections) != 1 {
				t.Errorf("%s: is not thrown back: %v", name, q.Body.Vel)
			}
			if again := a.doAct(t, p, Act{Kind: ActHit, A: int64(q.Entity)}); again != Cooldown {
				t.Errorf("at once again: %q", again)
			}
		}
	}
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	a.AddPlayer(p)
	for _, entity := range []int64{0, -1, int64(p.Entity), 1 << 47} {
		if got := a.doAct(t, p, Act{Kind: ActHit, A: entity}); got != NoSuchEntity && got != Cooldown {
			t.Errorf("hits %d: %q", entity, got)
		}
	}
}
