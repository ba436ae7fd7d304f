package world

import "testing"

// digWith breaks a block on the floor with something in the hand. It returns the player,
// with what it has now, and how many body steps it took.
func digWith(t *testing.T, a *Area, block Block, hand Stack) (p *Player, steps uint32) {
	t.Helper()
	p = guest("miner", 20, 10, 20)
	p.Items = Inventory{hand}
	a.AddPlayer(p)
	at := Pos{21, 10, 20}
	put(a, at, block)
	a.Tick(a.tick+1, []Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActDig, At: at, Face: FaceUp}}})
	for {
		if b, _ := a.Block(at); b == Air {
			return p, steps
		}
		if steps++; steps > 200 {
			t.Fatalf("%v is still there after %d steps", block, steps)
		}
		a.walkOn(p, 1)
	}
}

// TestTools: a tool for a block makes breaking it faster, and an ore leaves something
// only with a tool that is good enough.
func TestTools(t *testing.T) {
	for name, c := range map[string]struct {
		block, tool, left Block
		steps             uint32
	}{
		"by hand":             {Stone, Air, Cobblestone, 24},
		"wood":                {Stone, WoodenPickaxe, Cobblestone, 12},
		"iron":                {Stone, IronPickaxe, Cobblestone, 5},
		"of another kind":     {Stone, IronShovel, Cobblestone, 24},
		"ore by hand":         {CoalOre, Air, Air, 30},
		"ore with an axe":     {CoalOre, IronAxe, Air, 30},
		"ore with wood":       {CoalOre, WoodenPickaxe, CoalOre, 15},
		"an ore too hard":     {IronOre, WoodenPickaxe, Air, 17},
		"hard ore":            {IronOre, StonePickaxe, IronOre, 12},
		"gold wants iron":     {GoldOre, StonePickaxe, Air, 13},
		"gold":                {GoldOre, IronPickaxe, GoldOre, 8},
		"wood with an axe":    {OakLog, StoneAxe, OakLog, 8},
		"earth with a shovel": {Dirt, WoodenShovel, Dirt, 5},
	} {
		hand := Stack{}
		if c.tool != Air {
			hand = Stack{c.tool, MaxStack}
		}
		p, steps := digWith(t, flatArea(AreaConfig{Seed: 3}), c.block, hand)
		if steps != c.steps {
			t.Errorf("%s: %d steps, want %d", name, steps, c.steps)
		}
		for b := Air + 1; b < BlockCount; b++ {
			want := 0
			if b == c.left {
				want = 1
			}
			if got := p.Items.Count(b); b != c.tool && got != want {
				t.Errorf("%s: has %d of %v, want %d", name, got, b, want)
			}
		}
	}
}

// TestWear: a tool lasts about as many blocks as its pack says, and creative players'
// tools and what breaks at once wear nothing.
func TestWear(t *testing.T) {
	for tool := range BlockCount {
		uses := int(Info(tool).Tool.Uses)
		if uses == 0 {
			continue
		}
		a := flatArea(AreaConfig{Seed: 5})
		p := guest("miner", 20, 10, 20)
		p.Items = Inventory{{tool, MaxStack}}
		a.AddPlayer(p)
		n := 0
		for ; p.Items[0].Count > 0 && n < 2*uses; n++ {
			a.wear(p, Pos{X: int32(n)})
		}
		if n < uses*3/4 || n > uses*5/4 {
			t.Errorf("%v lasts %d blocks, want about %d", tool, n, uses)
		}
	}
}

// TestToolsAreWhole: nobody makes a tool that lasts longer by moving, dropping or making it.
func TestToolsAreWhole(t *testing.T) {
	v := Inventory{{IronAxe, 40}, {IronAxe, 30}, {}, {IronAxe, 99}}
	if !v.Move(0, 2, 1) || v[2] != (Stack{IronAxe, 40}) || v[0] != (Stack{}) {
		t.Errorf("a tool is split: %v", v[:4])
	}
	if !v.Move(2, 1, 0) || v[1] != (Stack{IronAxe, 70}) || v.Move(1, 3, 0) && v.Count(IronAxe) != 169 {
		t.Errorf("worn tools put together: %v", v[:4])
	}

	a := flatArea(AreaConfig{})
	p := guest("a", 20, 10, 20)
	p.Items = Inventory{{IronAxe, 40}}
	a.AddPlayer(p)
	if code := a.doAct(t, p, Act{Kind: ActDrop, A: 0, B: 1}); code != Done || len(a.Items()) != 1 || a.Items()[0].Stack != (Stack{IronAxe, 40}) || p.Items[0] != (Stack{}) {
		t.Errorf("dropping a tool: %v, in hand %v", code, p.Items[0])
	}
	p.Items[0] = Stack{IronAxe, 40}
	if code := a.doAct(t, p, Act{Kind: ActPlace, At: Pos{22, 9, 20}, Face: FaceUp}); code != NotAllowed {
		t.Errorf("placing a tool: %v", code)
	}

	v = Inventory{{OakPlanks, 6}, {Stick, 4}, {WoodenPickaxe, 5}}
	for i := range Recipes {
		if r := &Recipes[i]; r.Out.Block == WoodenPickaxe && r.In[0].Block == OakPlanks {
			if _, ok := v.Craft(r, 2); !ok || v.Count(WoodenPickaxe) != 2*MaxStack+5 || v.Count(OakPlanks) != 0 {
				t.Errorf("two pickaxes made: %v", v[:4])
			}
		}
	}
}
