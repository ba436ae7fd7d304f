package world

// Water flows by pulling: a cell computes its own level from its neighbours,
// and nothing is ever pushed into another cell. So the regions on both sides of
// a border need only see each other's blocks.

// waterFor returns what a replaceable block at p becomes: the water that flows
// there, or what it is. Air and plants that yield are dry cells.
func (rb *regionBlocks) waterFor(p Pos, b Block) Block {
	if b == Water {
		return Water
	}
	level := rb.levelFor(p)
	switch {
	case level > 0:
		return WaterOf(level)
	case b.IsWater():
		return Air
	}
	return b
}

// levelFor returns the level of flowing water at p: 7 under water, otherwise one
// less than the highest neighbour that flows sideways; 8 (a new source) between
// two sources that cannot run off.
func (rb *regionBlocks) levelFor(p Pos) int {
	if above, _ := rb.Block(p.Next(FaceUp)); above.IsWater() {
		return FluidFull - 1
	}
	level, sources := 0, 0
	for f := FaceNorth; f < faceCount; f++ {
		side := p.Next(f)
		b, _ := rb.Block(side)
		if !b.IsWater() || !rb.flowsSideways(side, b) {
			continue
		}
		if b == Water {
			sources++
		}
		level = max(level, b.FluidLevel()-1)
	}
	if sources >= 2 {
		if under, ok := rb.Block(p.Next(FaceDown)); ok && (under == Water || !under.Replaceable()) {
			return FluidFull
		}
	}
	return level
}

// flowsSideways reports whether water at p spreads: a source always, flowing
// water where it has something under it.
func (rb *regionBlocks) flowsSideways(p Pos, b Block) bool {
	if b == Water {
		return true
	}
	under, ok := rb.Block(p.Next(FaceDown))
	return ok && !under.Replaceable()
}
