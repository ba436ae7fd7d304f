package world

import "testing"

// TestTilling: a hoe makes a field of grass and dirt, and is worn; nothing else does.
func TestTilling(t *testing.T) {
	for name, c := range map[string]struct {
		ground, above, held Block
		mode                Mode
		want                Refusal
	}{
		"grass":          {ground: Grass, held: WoodenHoe},
		"dirt":           {ground: Dirt, held: WoodenHoe},
		"under flowers":  {ground: Dirt, above: TallGrass, held: WoodenHoe},
		"stone":          {ground: Stone, held: WoodenHoe, want: NotAllowed},
		"under a stone":  {ground: Dirt, above: Stone, held: WoodenHoe, want: NotAllowed},
		"with a shovel":  {ground: Dirt, held: IronShovel, want: NotAllowed},
		"as a spectator": {ground: Dirt, held: WoodenHoe, mode: Spectator, want: NotAllowed},
	} {
		a := flatArea(AreaConfig{Seed: 2})
		p := guest("farmer", 20, 10, 20)
		p.Mode = c.mode
		p.Items = Inventory{{c.held, MaxStack}}
		a.AddPlayer(p)
		at := Pos{22, 10, 20}
		put(a, at, c.ground)
		put(a, at.Next(FaceUp), c.above)
		got := a.doAct(t, p, Act{Kind: ActPlace, At: at, Face: FaceWest})
		field, _ := a.Block(at)
		if got != c.want || (field == Farmland) != (c.want == Done) || (p.Items[0].Count < MaxStack) != (c.want == Done) {
			t.Errorf("%s: %q, %v, the tool is at %d", name, got, field, p.Items[0].Count)
		}
	}
}

// TestTillingAcross: the region of the block tills, and only what the player saw.
func TestTillingAcross(t *testing.T) {
	for name, c := range map[string]struct {
		seen, there Block
		want        Refusal
	}{"as seen": {Dirt, Dirt, Done}, "changed since": {Dirt, Grass, NoSuchBlock}, "no field": {Stone, Stone, NoSuchBlock}} {
		a := flatArea(AreaConfig{})
		put(a, Pos{0, 10, 5}, c.there)
		r := Remote{Kind: RemoteTill, From: RegionPos{X: -1}, At: Pos{0, 10, 5}, Block: c.seen}
		a.Tick(1, []Command{{Kind: CmdRemote, Remote: &r}})
		if now, _ := a.Block(r.At); a.changes.Answers[0].Code != c.want || (now == Farmland) != (c.want == Done) {
			t.Errorf("%s: %q, %v", name, a.changes.Answers[0].Code, now)
		}
	}
}

// TestWheatGrows on a field only, through its stages, sooner near water, and not where a
// storage replays the world.
func TestWheatGrows(t *testing.T) {
	ripe := map[string]uint64{}
	for name, cfg := range map[string]AreaConfig{"dry": {}, "wet": {}, "static": {Static: true}} {
		a := flatArea(cfg)
		at := Pos{20, 10, 20}
		put(a, at.Next(FaceDown), Farmland)
		if name == "wet" {
			put(a, Pos{23, 9, 20}, Water)
		}
		put(a, at, WheatSeeds)
		stages := map[Block]bool{}
		for range 40000 {
			ticks(a, 1)
			b, _ := a.Block(at)
			if stages[b] = true; b == WheatRipe {
				ripe[name] = a.tick
				break
			}
		}
		if grows := name != "static"; grows != stages[WheatRipe] || grows != stages[WheatYoung] || grows != stages[WheatTall] {
			t.Errorf("%s: %v", name, stages)
		}
	}
	if ripe["wet"]*4 > ripe["dry"]*3 {
		t.Errorf("ripe after %v", ripe)
	}
	a := flatArea(AreaConfig{})
	p := guest("farmer", 20, 10, 20)
	p.Items = Inventory{{WheatSeeds, 2}}
	a.AddPlayer(p)
	put(a, Pos{22, 10, 20}, Dirt)
	if got := a.doAct(t, p, Act{Kind: ActPlace, At: Pos{22, 10, 20}, Face: FaceUp}); got != NotAllowed {
		t.Errorf("sown on dirt: %q", got)
	}
	put(a, Pos{22, 10, 20}, Farmland)
	if got := a.doAct(t, p, Act{Kind: ActPlace, At: Pos{22, 10, 20}, Face: FaceUp}); got != Done {
		t.Errorf("sown on a field: %q", got)
	}
}

// TestBreeding: two that are fed have one young, which grows up; each costs one of the
// food, and nobody can feed on and on.
func TestBreeding(t *testing.T) {
	a := flatArea(AreaConfig{Seed: 3})
	one, other := mobAt(a, Cow, 63, 10, 64), mobAt(a, Cow, 65, 10, 64)
	p := guest("farmer", 64, 10, 64)
	p.Items = Inventory{{Wheat, 5}}
	a.AddPlayer(p)
	feed := func(m *Mob) Refusal {
		p.Body.Pos = m.Body.Pos
		ticks(a, hitEvery)
		return a.doAct(t, p, Act{Kind: ActUse, A: int64(m.Entity)})
	}
	for i, c := range []struct {
		m    *Mob
		want Refusal
	}{{one, Done}, {one, NotAllowed}, {other, Done}} {
		if got := feed(c.m); got != c.want {
			t.Errorf("%d: %q", i, got)
		}
	}
	ticks(a, 300)
	if len(a.mobs) != 3 || p.Items.Count(Wheat) != 3 {
		t.Fatalf("%d cows, %d wheat", len(a.mobs), p.Items.Count(Wheat))
	}
	var young *Mob
	for _, m := range a.mobs {
		if m != one && m != other {
			young = m
		}
	}
	grown := young.Grown
	if got := feed(young); got != Done || !young.Young(a.tick) || young.Grown != grown-growFaster {
		t.Errorf("young: %q, grown at %d", got, young.Grown)
	}
	if got := feed(one); got != NotAllowed {
		t.Errorf("again at once: %q", got)
	}
	if again, err := DecodeMob(young.AppendBinary(nil)); err != nil || again.Grown != young.Grown {
		t.Errorf("%+v, %v", again, err)
	}
	young.Health = 1
	p.Body.Pos = young.Body.Pos
	had := p.Items
	ticks(a, hitEvery)
	if got := a.doAct(t, p, Act{Kind: ActHit, A: int64(young.Entity)}); got != Done || p.Items != had {
		t.Errorf("%q: a young one leaves %v", got, p.Items)
	}
}

// TestMobsOfBefore: what was written before animals could be fed is still read.
func TestMobsOfBefore(t *testing.T) {
	m := NewMob(5, Sheep, standing(1, 2, 3).Pos)
	b := m.AppendBinary(nil)
	b[0] = mobUnfed
	if again, err := DecodeMob(b[:len(b)-3]); err != nil || again.Health != m.Health {
		t.Errorf("%v", err)
	}
	if _, err := DecodeMob(b); err == nil {
		t.Error("bytes after the end are read")
	}
}
