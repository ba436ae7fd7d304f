package world

import (
	"bytes"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// withFurnace returns an area at tick 1 with a player beside a furnace.
func withFurnace(cfg AreaConfig) (a *Area, p *Player, at Pos) {
	a, p, at = withChest(cfg)
	p.Items = Inventory{{IronOre, 30}, {CoalOre, 9}, {Stick, 20}, {Dirt, 5}, {IronAxe, 40}, {Sand, 9}}
	put(a, at, Furnace)
	a.Tick(1, nil)
	return a, p, at
}

const (
	inputSlot  = ContainerSlots + pack.FurnaceInput
	fuelSlot   = ContainerSlots + pack.FurnaceFuel
	outputSlot = ContainerSlots + pack.FurnaceOutput
)

// contents is what lies in a furnace: input, fuel, output.
func (a *Area) contents(at Pos) (in [3]Stack) {
	if c := a.Contents(at); c != nil {
		copy(in[:], c.Slots)
	}
	return in
}

// TestSmelt: a piece of coal smelts eight ores, each in ten seconds, whether the region
// runs or sleeps meanwhile.
func TestSmelt(t *testing.T) {
	for name, pass := range map[string]func(a *Area, to uint64){
		"every tick": func(a *Area, to uint64) {
			for a.Now() < to {
				a.Tick(a.Now()+1, nil)
			}
		},
		"asleep": func(a *Area, to uint64) { a.Tick(to, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			a, p, at := withFurnace(AreaConfig{})
			if a.stores(p, at, 0, AnySlot, 9) != Done || a.stores(p, at, 1, AnySlot, 1) != Done {
				t.Fatal("nothing was put in")
			}
			mustBe(t, a, at, FurnaceLit)
			for _, want := range []struct {
				ticks uint64 // since it was lit
				in    [3]Stack
				block Block
			}{
				{199, [3]Stack{{IronOre, 9}}, FurnaceLit},
				{200, [3]Stack{{IronOre, 8}, {}, {IronIngot, 1}}, FurnaceLit},
				{1599, [3]Stack{{IronOre, 2}, {}, {IronIngot, 7}}, FurnaceLit},
				{1600, [3]Stack{{IronOre, 1}, {}, {IronIngot, 8}}, Furnace},
				{90000, [3]Stack{{IronOre, 1}, {}, {IronIngot, 8}}, Furnace},
			} {
				pass(a, 1+want.ticks)
				if in := a.contents(at); in != want.in {
					t.Errorf("after %d ticks: %v, want %v", want.ticks, in, want.in)
				}
				mustBe(t, a, at, want.block)
			}
			if code := a.stores(p, at, outputSlot, AnySlot, 0); code != Done || p.Items.Count(IronIngot) != 8 {
				t.Errorf("%q, %d ingots were taken", code, p.Items.Count(IronIngot))
			}
		})
	}
}

// TestFurnaceSlots: in a furnace lies only what belongs there.
func TestFurnaceSlots(t *testing.T) {
	a, p, at := withFurnace(AreaConfig{})
	for _, c := range []struct {
		what     string
		from, to int64
		code     Refusal
	}{
		{"earth", 3, AnySlot, NoItem},
		{"earth as input", 3, inputSlot, NotAllowed},
		{"a tool as fuel", 4, fuelSlot, NotAllowed},
		{"ore as fuel", 0, fuelSlot, NotAllowed},
		{"coal as input", 1, inputSlot, NotAllowed},
		{"ore as output", 0, outputSlot, NotAllowed},
		{"sticks as fuel", 2, AnySlot, Done},
		{"coal for the sticks", 1, fuelSlot, Done},
		{"sand", 5, AnySlot, Done},
		{"fuel as input", fuelSlot, inputSlot, NotAllowed},
	} {
		before := p.Items
		code := a.stores(p, at, c.from, c.to, 0)
		if code != c.code || code != Done && p.Items != before {
			t.Errorf("%s: %q, want %q; carried %v, before %v", c.what, code, c.code, p.Items, before)
		}
	}
	a.Tick(201, nil)
	if code := a.stores(p, at, outputSlot, 3, 0); code != NotAllowed {
		t.Errorf("earth for what was made: %q", code)
	}
	if code := a.stores(p, at, inputSlot, 0, 0); code != Done || p.Items[0].Block != Sand {
		t.Errorf("ore for the sand: %q, %v", code, p.Items[0])
	}
	if c := a.Container(at); c.Work != 0 || c.Slots[0].Block != IronOre {
		t.Errorf("the ore begins with what was done of the sand: %+v", c)
	}
	p.Mode = Creative
	a.Act([]Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActDig, At: at}}})
	if len(a.Items()) != 3 || a.Container(at) != nil {
		t.Errorf("broken: %d stacks lie there, %v", len(a.Items()), a.Container(at))
	}
	mustBe(t, a, at, Air)
}

// TestNoHandSmelts: what a furnace makes nobody makes by hand.
func TestNoHandSmelts(t *testing.T) {
	a, p, _ := withFurnace(AreaConfig{})
	for i, r := range Recipes {
		if r.Ticks == 0 {
			continue
		}
		c := a.Act([]Command{{Player: p.ID, Kind: CmdAct, Seq: 1, Act: Act{Kind: ActCraft, A: int64(i), B: 1}}})
		if c.Results[0].Code != NotAllowed {
			t.Errorf("%v: %q", r.Out.Block, c.Results[0].Code)
		}
	}
}

// TestOwnItemsInFurnaces: a storage that counts what was won does not know what furnaces
// make, so they make only what cannot be placed.
func TestOwnItemsInFurnaces(t *testing.T) {
	a, p, at := withFurnace(AreaConfig{OwnItems: true})
	if code := a.stores(p, at, 5, AnySlot, 0); code != NoItem {
		t.Errorf("sand: %q", code)
	}
	if code := a.stores(p, at, 0, AnySlot, 0); code != Done {
		t.Errorf("ore: %q", code)
	}
}

// TestFurnacesLoseNothing: whatever players do with a furnace, at whatever times, ores and
// ingots stay as many together, and each eight ingots took a piece of coal. An area that
// is looked at in every tick has the same state as one that sleeps in between, and as one
// that was read back.
func TestFurnacesLoseNothing(t *testing.T) {
	for seed := range uint64(20) {
		g := rng.New(seed+1, 5)
		a, p, at := withFurnace(AreaConfig{})
		b, q, _ := withFurnace(AreaConfig{})
		all := func() (ores, ingots, coal int) {
			in := a.contents(at)
			for _, s := range append(in[:], p.Items[:]...) {
				switch s.Block {
				case IronOre:
					ores += int(s.Count)
				case IronIngot:
					ingots += int(s.Count)
				case CoalOre:
					coal += int(s.Count)
				}
			}
			return ores, ingots, coal
		}
		for range 60 {
			slot := func() int64 { return int64(g.Intn(3)) + int64(g.Intn(2))*ContainerSlots }
			from, to, count := slot(), slot(), int64(g.Intn(4))
			if g.OneIn(3) {
				to = AnySlot
			}
			if x, y := a.stores(p, at, from, to, count), b.stores(q, at, from, to, count); x != y {
				t.Fatalf("seed %d: %q and %q", seed, x, y)
			}
			end := a.Now() + uint64(g.Intn(900))
			for b.Now() < end {
				b.Tick(b.Now()+1, nil)
			}
			if end > a.Now() {
				a.Tick(end, nil)
			}
			if g.OneIn(4) {
				c, err := DecodeContainer(func() []byte {
					if c := a.Container(at); c != nil {
						return c.AppendBinary(nil)
					}
					return nil
				}())
				if err == nil {
					a.SetContainer(at, c)
				}
			}
			if x, y := a.contents(at), b.contents(at); x != y {
				t.Fatalf("seed %d, tick %d: asleep %v, awake %v", seed, end, x, y)
			}
			ores, ingots, coal := all()
			if ores+ingots != 30 || ingots > 8*(9-coal)+10 {
				t.Fatalf("seed %d: %d ores, %d ingots, %d pieces of coal", seed, ores, ingots, coal)
			}
		}
		if _, ingots, _ := all(); ingots == 0 {
			t.Logf("seed %d made nothing", seed)
		}
	}
}

func TestFurnaceBytes(t *testing.T) {
	c := &Container{At: Pos{-5, 70, 99}, Slots: []Stack{{}, {}, {}}, Fire: Fire{Since: 1 << 40, Heat: 1600, Work: 7}}
	b := c.AppendBinary(nil)
	again, err := DecodeContainer(b)
	if err != nil || !bytes.Equal(again.AppendBinary(nil), b) || again.Fire != c.Fire {
		t.Fatalf("%v, %+v", err, again)
	}
	for i := range b {
		if _, err := DecodeContainer(b[:i]); err == nil {
			t.Errorf("%d of %d bytes are taken", i, len(b))
		}
	}
	c.Slots = append(c.Slots, Stack{})
	if _, err := DecodeContainer(c.AppendBinary(nil)); err == nil {
		t.Error("a fire in a chest is taken")
	}
}
