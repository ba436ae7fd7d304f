package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Furnaces are containers that change by themselves. What a furnace does is computed from
// when it was kept last, not tick by tick: at the next moment at which something comes of
// it (a scheduled block tick), and whenever somebody uses it. So it goes on while its
// region sleeps.

// Fire is how far a furnace is; zero: nothing burns in it.
type Fire struct {
	Since uint64 // tick at which it was so
	Heat  uint16 // ticks that the fuel lasts
	Work  uint16 // ticks that it has worked on what lies in it
}

// smelting is what furnaces make, by what it is made of.
var smelting = smeltingOf(Recipes)

func smeltingOf(all []Recipe) map[Block]*Recipe {
	out := map[Block]*Recipe{}
	for i := range all {
		if all[i].Ticks > 0 {
			out[all[i].In[0].Block] = &all[i]
		}
	}
	return out
}

// smelted returns what a furnace of the region makes of a block, nil if that is nothing.
// A storage that counts what each player has won does not know what furnaces make.
func (cfg *AreaConfig) smelted(b Block) *Recipe {
	r := smelting[b]
	if r != nil && cfg.OwnItems && r.Out.Block.Placeable() {
		return nil
	}
	return r
}

// Contents returns what is in a container now: of a furnace with all that it has done
// since it was kept.
func (st *state) Contents(at Pos) *Container {
	c := st.containers[at]
	if c == nil || c.Heat == 0 {
		return c
	}
	next := *c
	next.Slots = slices.Clone(c.Slots)
	next.burn(st.tick, &st.cfg)
	return &next
}

// putContents puts other contents into a container. A furnace goes on with them.
func (st *state) putContents(at Pos, c *Container) {
	if b, _ := st.Block(at); c != nil && c.isFurnace(b) {
		c.burn(st.tick, &st.cfg)
		st.set(at, b.burning(c.Heat > 0))
	}
	if c != nil && c.empty() {
		c = nil
	}
	st.SetContainer(at, c)
	st.changes.Containers = append(st.changes.Containers, at)
}

// SetContainer puts something into the place of what is in a container; nil: nothing.
func (st *state) SetContainer(at Pos, c *Container) {
	st.countText(at, -1)
	st.containers.put(at, c)
	st.countText(at, 1)
	if c != nil && c.Heat > 0 {
		st.updates.add(at, c.due(&st.cfg))
	}
}

// isFurnace reports whether a container is one that smelts; b is its block.
func (c *Container) isFurnace(b Block) bool {
	return Info(b).Smelts > 0 && len(c.Slots) == pack.FurnaceSlots
}

// burning returns the block of a furnace that burns, or does not.
func (b Block) burning(lit bool) Block {
	switch is := Info(b).Smelts; {
	case is == pack.Cold && lit:
		return b + 1
	case is == pack.Lit && !lit:
		return b - 1
	}
	return b
}

// recipe returns what a furnace makes of what is in it, nil if it cannot.
func (c *Container) recipe(cfg *AreaConfig) *Recipe {
	r := cfg.smelted(c.Slots[pack.FurnaceInput].Block)
	if r == nil {
		return nil
	}
	if out := c.Slots[pack.FurnaceOutput]; out.Count > 0 && (out.Block != r.Out.Block || out.Count+r.Out.Count > MaxStack) {
		return nil
	}
	return r
}

// burn brings a furnace to a tick. Fuel is lit only if there is something to make, and
// burns to its end.
func (c *Container) burn(now uint64, cfg *AreaConfig) {
	if c.Since == 0 {
		c.Since = now
	}
	for {
		r := c.recipe(cfg)
		switch {
		case r == nil:
			c.Work = 0
		case c.Work >= r.Ticks:
			c.Slots[pack.FurnaceInput].take(1)
			c.Slots[pack.FurnaceOutput] = Stack{r.Out.Block, c.Slots[pack.FurnaceOutput].Count + r.Out.Count}
			c.Work = 0
			continue
		}
		if c.Heat == 0 && (r == nil || !c.light()) {
			c.Fire = Fire{}
			return
		}
		if now <= c.Since {
			return
		}
		step := uint16(min(now-c.Since, c.next(r)))
		c.Since += uint64(step)
		c.Heat -= step
		if r != nil {
			c.Work += step
		}
	}
}

// light takes the next piece of fuel, if there is one.
func (c *Container) light() bool {
	fuel := &c.Slots[pack.FurnaceFuel]
	c.Heat = Info(fuel.Block).Fuel
	return c.Heat > 0 && fuel.take(1) > 0
}

// next is in how many ticks something comes of a fire that makes a recipe, nil for none.
func (c *Container) next(r *Recipe) uint64 {
	if r == nil {
		return uint64(c.Heat)
	}
	return uint64(min(c.Heat, r.Ticks-c.Work))
}

// due is the tick at which something comes of a furnace that burns.
func (c *Container) due(cfg *AreaConfig) uint64 { return c.Since + c.next(c.recipe(cfg)) }

// accepts returns the slots of a furnace that take a block in.
func (c *Container) accepts(b Block, cfg *AreaConfig) []Stack {
	switch {
	case cfg.smelted(b) != nil:
		return c.Slots[pack.FurnaceInput:pack.FurnaceFuel]
	case Info(b).Fuel > 0:
		return c.Slots[pack.FurnaceFuel:pack.FurnaceOutput]
	}
	return nil
}

// fits reports whether what lies in a furnace may lie there: what was made is only taken.
func (c *Container) fits(made Stack, cfg *AreaConfig) bool {
	in, fuel, out := c.Slots[pack.FurnaceInput], c.Slots[pack.FurnaceFuel], c.Slots[pack.FurnaceOutput]
	return (in.Count == 0 || cfg.smelted(in.Block) != nil) && (fuel.Count == 0 || Info(fuel.Block).Fuel > 0) &&
		(out.Count == 0 || out.Block == made.Block && out.Count <= made.Count)
}
