package world

// Fluids flow by pulling: a cell computes its own level from its neighbours,
// and nothing is ever pushed into another cell. So the regions on both sides of
// a border need only see each other's blocks.

// fluid is what flows: a source, and behind it in the table a block for each level.
type fluid struct {
	source Block
	last   Block
	step   int    // levels that it loses on the way to the next block
	delay  uint64 // ticks to flow by one block
	wells  bool   // between two sources there is another
}

var fluids = [...]fluid{
	{source: Water, last: Water1, step: 1, delay: 5, wells: true},
	{source: Lava, last: Lava2, step: 2, delay: 30},
}

// fluidOf returns what b is of, nil for what is no fluid.
func fluidOf(b Block) *fluid {
	for i := range fluids {
		if f := &fluids[i]; f.has(b) {
			return f
		}
	}
	return nil
}

func (f *fluid) has(b Block) bool { return b >= f.source && b <= f.last }

// of returns the block of a level; 0 and below is Air.
func (f *fluid) of(level int) Block {
	if level <= 0 {
		return Air
	}
	return f.source + Block((FluidFull-min(level, FluidFull))/f.step)
}

// flowsInto returns what a replaceable block at p becomes: the fluid that flows there, or
// what it is, and after how many ticks. Air and plants that yield are dry cells. Lava that
// touches water hardens.
func (rb *regionBlocks) flowsInto(p Pos, b Block) (now Block, delay uint64) {
	if b.IsLava() && rb.touchesWater(p) {
		if b == Lava {
			return Obsidian, 1
		}
		return Cobblestone, 1
	}
	own := fluidOf(b)
	for i := range fluids {
		f := &fluids[i]
		if own != nil && own != f {
			continue
		}
		if b == f.source {
			return b, 0
		}
		if level := rb.levelFor(f, p); level > 0 {
			return f.of(level), f.delay
		}
	}
	if own != nil {
		return Air, own.delay
	}
	return b, 0
}

// touchesWater reports whether water is beside a place, above or below it.
func (rb *regionBlocks) touchesWater(p Pos) bool {
	for f := range faceCount {
		if b, _ := rb.Block(p.Next(f)); b.IsWater() {
			return true
		}
	}
	return false
}

// levelFor returns the level of a flowing fluid at p: one step less than a source under the
// fluid, otherwise one step less than the highest neighbour that flows sideways; 8 (a new
// source) between two sources of water that cannot run off.
func (rb *regionBlocks) levelFor(f *fluid, p Pos) int {
	if above, _ := rb.Block(p.Next(FaceUp)); f.has(above) {
		return FluidFull - f.step
	}
	level, sources := 0, 0
	for face := FaceNorth; face < faceCount; face++ {
		side := p.Next(face)
		b, _ := rb.Block(side)
		if !f.has(b) || !rb.flowsSideways(f, side, b) {
			continue
		}
		if b == f.source {
			sources++
		}
		level = max(level, b.FluidLevel()-f.step)
	}
	if f.wells && sources >= 2 {
		if under, ok := rb.Block(p.Next(FaceDown)); ok && (under == f.source || !under.Replaceable()) {
			return FluidFull
		}
	}
	return level
}

// flowsSideways reports whether a fluid at p spreads: a source always, what flows
// where it has something under it.
func (rb *regionBlocks) flowsSideways(f *fluid, p Pos, b Block) bool {
	if b == f.source {
		return true
	}
	under, ok := rb.Block(p.Next(FaceDown))
	return ok && !under.Replaceable()
}
