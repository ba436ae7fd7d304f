package world

import "github.com/voxelpopuli/voxelpopuli/internal/game/pack"

// Recipe makes Out of In. Its number is its place in Recipes.
type Recipe struct {
	Out Stack
	In  []Stack

	Ticks uint16 // that a furnace takes for it; 0: players make it by hand
}

// Recipes are those of the packs. What no furnace is needed for players make anywhere
// and at once.
var Recipes = recipesOf(pack.Base())

func recipesOf(c *pack.Content) (out []Recipe) {
	stack := func(s pack.Stack) Stack { return Stack{Block(s.Kind), s.Count} }
	for _, r := range c.Recipes {
		made := Recipe{Out: stack(r.Makes), Ticks: r.Ticks}
		if Block(r.Makes.Kind).Lasts() {
			made.Out.Count = MaxStack // one, and whole
		}
		for _, of := range r.Of {
			made.In = append(made.In, stack(of))
		}
		out = append(out, made)
	}
	return out
}

// maxCraft bounds how many times a recipe is made at once.
const maxCraft = 64

// Craft makes a recipe a number of times, all or nothing. It returns a bit for
// each slot that changed; ok is false if something is missing or finds no room.
func (v *Inventory) Craft(r *Recipe, times int) (changed uint64, ok bool) {
	next := *v
	for _, in := range r.In {
		bits, enough := next.Take(in.Block, int(in.Count)*times)
		if !enough {
			return 0, false
		}
		changed |= bits
	}
	left, bits := next.Add(r.Out.Block, int(r.Out.Count)*times)
	if left > 0 {
		return 0, false
	}
	*v = next
	return changed | bits, true
}
