package terrain

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// progress is what a player who began with nothing can have by now.
type progress struct {
	blocks map[world.Block]bool // that stand somewhere
	has    map[world.Block]bool
}

// step adds what can be had by one more thing that is done, and reports whether it was
// anything.
func (p *progress) step() (more bool) {
	note := func(set map[world.Block]bool, b world.Block) {
		if b != world.Air && !set[b] {
			set[b], more = true, true
		}
	}
	for b := range p.blocks {
		if world.Info(b).Hardness == pack.Unbreakable {
			continue
		}
		note(p.has, world.Harvest(b, world.Air))
		for held := range p.has {
			note(p.has, world.Harvest(b, held))
			if world.Info(held).Tool.Kind == pack.Hoe {
				note(p.blocks, world.Block(world.Info(b).Tills))
			}
		}
		grows := world.Info(b).Grows
		for _, id := range []uint16{grows.Into, grows.Log, grows.Leaves} {
			note(p.blocks, world.Block(id))
		}
	}
	for b := range p.has {
		if world.Info(b).Class != pack.Thing {
			note(p.blocks, b)
		}
	}
	for b := range world.BlockCount {
		if h := world.Info(b).Holds; p.blocks[world.Block(h.Fluid)] && p.has[world.Block(h.Empty)] {
			note(p.has, b)
		}
	}
	for _, r := range world.Recipes {
		can := r.Ticks == 0 || p.has[world.Furnace]
		for _, of := range r.In {
			can = can && p.has[of.Block]
		}
		if can {
			note(p.has, r.Out.Block)
		}
	}
	return more
}

// TestEverythingCanBeHad: who begins with nothing in the generated world can come to
// everything that can be carried and does not become something else when it is broken, the
// best tools among it, with the tools that the blocks need on the way.
func TestEverythingCanBeHad(t *testing.T) {
	p := progress{blocks: map[world.Block]bool{}, has: map[world.Block]bool{}}
	sample(func(_ *Generator, c *world.Column) {
		for y := range world.Height {
			for z := range world.ChunkSize {
				for x := range world.ChunkSize {
					p.blocks[c.At(x, y, z)] = true
				}
			}
		}
	})
	g := New(1)
	near := g.Spawn().Column()
	for i := range int32(144) { // what is rare stands on the ground
		c := g.Column(world.ColumnPos{X: near.X + i%12, Z: near.Z + i/12})
		for at := range world.ChunkSize * world.ChunkSize {
			x, z := at%world.ChunkSize, at/world.ChunkSize
			p.blocks[c.At(x, c.Top(x, z), z)] = true
		}
	}
	wild := len(p.blocks)
	for _, b := range world.MobDrops() {
		p.has[b] = true
	}
	steps := 0
	for p.step() {
		steps++
	}
	for b := range world.BlockCount {
		in := world.Info(b)
		kept := in.Class == pack.Thing || in.Hardness != pack.Unbreakable && in.Drop == b
		if in.Item && kept && !p.has[b] {
			t.Errorf("%v cannot be had", b)
		}
	}
	t.Logf("%d kinds of blocks in the wild, %d things after %d steps", wild, len(p.has), steps)
}
