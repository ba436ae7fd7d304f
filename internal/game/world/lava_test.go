package world

import "testing"

// TestLavaFlows: lava comes four blocks far, slower than water, and dries without its source.
func TestLavaFlows(t *testing.T) {
	a := flatArea(AreaConfig{})
	at := Pos{64, 10, 64}
	put(a, at, Lava)
	ticks(a, 50)
	mustBe(t, a, at.Add(1, 0, 0), Lava6)
	mustBe(t, a, at.Add(2, 0, 0), Air)
	ticks(a, 90)
	mustBe(t, a, at.Add(3, 0, 0), Lava2)
	mustBe(t, a, at.Add(4, 0, 0), Air)
	put(a, at, Air)
	ticks(a, 400)
	mustBe(t, a, at.Add(1, 0, 0), Air)
	mustBe(t, a, at.Add(3, 0, 0), Air)
	if n := len(a.updates.due); n != 0 {
		t.Errorf("%d block ticks never end", n)
	}
}

// TestLavaMeetsWater: a source becomes obsidian, what flows cobblestone.
func TestLavaMeetsWater(t *testing.T) {
	a := flatArea(AreaConfig{})
	lava, water := Pos{64, 10, 64}, Pos{72, 10, 64}
	put(a, lava, Lava)
	ticks(a, 200)
	put(a, water, Water)
	ticks(a, 200)
	mustBe(t, a, lava, Lava)
	stones := 0
	for x := int32(64); x < 73; x++ {
		if b, _ := a.Block(Pos{x, 10, 64}); b == Cobblestone {
			stones++
		}
	}
	if stones == 0 {
		t.Error("nothing hardened where both met")
	}
	put(a, lava.Next(FaceUp), Water)
	ticks(a, 5)
	mustBe(t, a, lava, Obsidian)
}

// TestFire: lava burns who is in it, and for a while who has got out; water ends that.
func TestFire(t *testing.T) {
	for name, c := range map[string]struct {
		then        Block
		least, most uint8 // health lost after the lava
	}{"air": {Air, 4, 5}, "water": {Water, 0, 0}} {
		a := flatArea(AreaConfig{})
		at := Pos{64, 9, 64}
		for _, d := range []Pos{{63, 9, 64}, {65, 9, 64}, {64, 9, 63}, {64, 9, 65}} {
			put(a, d, Stone)
		}
		put(a, at, Lava)
		p := guest("a", 64, 9, 64)
		a.AddPlayer(p)
		ticks(a, silentFor+3*heatEvery)
		if p.Fire == 0 || p.Health > MaxHealth-8 {
			t.Fatalf("%s: burns for %d, health %d", name, p.Fire, p.Health)
		}
		q, err := DecodePlayer(p.AppendBinary(nil))
		if err != nil || q.Fire != p.Fire {
			t.Errorf("saved: %v, %v", q, err)
		}
		put(a, at, c.then)
		p.Health = 15
		p.NextHeal = a.tick + 1000
		was := p.Health
		ticks(a, fireLasts+10)
		if lost := was - p.Health; lost < c.least || lost > c.most || p.Fire != 0 {
			t.Errorf("%s: lost %d, burns for %d", name, lost, p.Fire)
		}
	}
}

// TestBuckets: a source goes into a bucket and comes out elsewhere; nothing else does.
func TestBuckets(t *testing.T) {
	a := flatArea(AreaConfig{})
	p := guest("a", 64, 10, 64)
	p.Items = Inventory{{Bucket, 2}}
	a.AddPlayer(p)
	a.Tick(a.tick+1, nil)
	put(a, Pos{66, 9, 64}, Water)
	use := func(slot int64, at Pos, face Face) Refusal {
		ticks(a, placeEvery)
		return a.doAct(t, p, Act{Kind: ActPlace, At: at, Face: face, A: slot})
	}
	if code := use(0, Pos{65, 9, 64}, FaceUp); code != NoSuchBlock {
		t.Errorf("from stone: %q", code)
	}
	if code := use(0, Pos{66, 9, 64}, FaceUp); code != Done {
		t.Fatal(code)
	}
	mustBe(t, a, Pos{66, 9, 64}, Air)
	if p.Items[0] != (Stack{Bucket, 1}) || p.Items[1] != (Stack{WaterBucket, 1}) {
		t.Errorf("has %v", p.Items[:3])
	}
	if code := use(1, Pos{64, 9, 66}, FaceUp); code != Done {
		t.Fatal(code)
	}
	mustBe(t, a, Pos{64, 10, 66}, Water)
	if p.Items[1] != (Stack{Bucket, 1}) {
		t.Errorf("has %v", p.Items[:3])
	}
	if code := use(2, Pos{64, 9, 66}, FaceUp); code != NoItem {
		t.Errorf("with nothing: %q", code)
	}
}

// TestLoot: a chest of a ruin is filled by the world's seed, once, whether it is opened or
// broken.
func TestLoot(t *testing.T) {
	at := Pos{66, 10, 64}
	open := func(seed uint64) *Container {
		a := flatArea(AreaConfig{Seed: seed})
		p := guest("a", 64, 10, 64)
		a.AddPlayer(p)
		a.Tick(a.tick+1, nil)
		put(a, at, OldChest)
		if code := a.doAct(t, p, Act{Kind: ActOpen, At: at}); code != Done {
			t.Fatal(code)
		}
		mustBe(t, a, at, Chest)
		c := a.Contents(at)
		if c == nil {
			t.Fatal("nothing in it")
		}
		for _, s := range c.Slots {
			if s.Count > 0 && !Info(s.Block).Item {
				t.Errorf("%v in a chest", s)
			}
		}
		return c
	}
	if one, again, other := open(1), open(1), open(2); string(one.AppendBinary(nil)) != string(again.AppendBinary(nil)) || string(one.AppendBinary(nil)) == string(other.AppendBinary(nil)) {
		t.Error("not by the seed alone")
	}
	a := flatArea(AreaConfig{Seed: 1})
	p := guest("a", 64, 10, 64)
	p.Mode = Creative
	a.AddPlayer(p)
	put(a, at, OldChest)
	a.Tick(a.tick+1, []Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActDig, At: at, Face: FaceUp}}})
	if len(a.items) == 0 {
		t.Error("nothing fell out of it")
	}
}
