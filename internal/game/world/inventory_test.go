package world

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

func TestRecipesAreSound(t *testing.T) {
	for i, r := range Recipes {
		for _, s := range append([]Stack{r.Out}, r.In...) {
			if !s.Block.Known() || !Info(s.Block).Item || s.Count == 0 || s.Count > MaxStack {
				t.Errorf("recipe %d: %+v", i, s)
			}
		}
		var v Inventory
		for _, in := range r.In {
			v.Add(in.Block, int(in.Count)*3)
		}
		if _, ok := v.Craft(&r, 4); ok {
			t.Errorf("recipe %d: four times out of three", i)
		}
		if _, ok := v.Craft(&r, 3); !ok || v.Count(r.Out.Block) != 3*int(r.Out.Count) {
			t.Errorf("recipe %d: made %d", i, v.Count(r.Out.Block))
		}
		for _, in := range r.In {
			if in.Block != r.Out.Block && v.Count(in.Block) != 0 {
				t.Errorf("recipe %d: %d %v left", i, v.Count(in.Block), in.Block)
			}
		}
	}
}

func TestCraftingWithoutRoomChangesNothing(t *testing.T) {
	var v Inventory
	for i := range v {
		v[i] = Stack{Stone, MaxStack}
	}
	v[3] = Stack{OakLog, 2}
	was := v
	if _, ok := v.Craft(&Recipes[0], 1); ok || v != was {
		t.Error("crafted into a full inventory")
	}
}

// However things are moved about, nothing is lost or made.
func TestMovingKeepsItems(t *testing.T) {
	r := rng.New(1)
	for range 200 {
		var v Inventory
		for range 10 {
			v[r.Intn(Carried)] = Stack{Stone + Block(r.Intn(3)), uint8(1 + r.Intn(MaxStack))}
		}
		count := func() (n [4]int) {
			for b := range n {
				n[b] = v.Count(Block(b))
			}
			return n
		}
		want := count()
		for range 100 {
			v.Move(r.Intn(Slots), r.Intn(Slots), r.Intn(120)-5)
			if got := count(); got != want {
				t.Fatalf("there are %v, want %v", got, want)
			}
		}
		for i, s := range v {
			if s.Count > MaxStack || s.Count == 0 && s.Block != Air {
				t.Fatalf("slot %d: %+v", i, s)
			}
		}
	}
}

func TestInventoryActs(t *testing.T) {
	for name, c := range map[string]struct {
		act  Act
		mode Mode
		want Refusal
	}{
		"select":             {act: Act{Kind: ActSelect, A: 8}},
		"select outside":     {act: Act{Kind: ActSelect, A: 9}, want: NotAllowed},
		"move":               {act: Act{Kind: ActMoveItem, A: 0, B: 35}},
		"move nothing":       {act: Act{Kind: ActMoveItem, A: 20, B: 35}, want: NotAllowed},
		"move outside":       {act: Act{Kind: ActMoveItem, A: 0, B: 36}, want: NotAllowed},
		"move from negative": {act: Act{Kind: ActMoveItem, A: -1, B: 3}, want: NotAllowed},
		"drop":               {act: Act{Kind: ActDrop, A: 0, B: 1}},
		"drop many":          {act: Act{Kind: ActDrop, A: 0, B: 1 << 40}},
		"drop nothing":       {act: Act{Kind: ActDrop, A: 30, B: 1}, want: NoItem},
		"drop less":          {act: Act{Kind: ActDrop, A: 0, B: -1}, want: NotAllowed},
		"pick in survival":   {act: Act{Kind: ActPick, A: int64(Stone), B: 0}, want: NotAllowed},
		"pick":               {act: Act{Kind: ActPick, A: int64(Stone), B: 0}, mode: Creative},
		"pick nonsense":      {act: Act{Kind: ActPick, A: 1 << 30, B: 0}, mode: Creative, want: NoSuchBlock},
		"pick flowing water": {act: Act{Kind: ActPick, A: int64(Water3), B: 0}, mode: Creative, want: NoSuchBlock},
		"craft":              {act: Act{Kind: ActCraft, A: 5, B: 1}, want: NoItem},
		"craft nonsense":     {act: Act{Kind: ActCraft, A: 1 << 40, B: 1}, want: NotAllowed},
		"craft ladders":      {act: Act{Kind: ActCraft, A: 4, B: 16}},
		"craft never":        {act: Act{Kind: ActCraft, A: 4, B: 0}, want: NotAllowed},
		"no such act":        {act: Act{Kind: 200}, want: NotAllowed},
	} {
		a := flatArea(AreaConfig{})
		p := guest("a", 64, 10, 64)
		p.Mode = c.mode
		a.AddPlayer(p)
		if got := a.doAct(t, p, c.act); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
