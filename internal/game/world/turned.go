package world

import "github.com/voxelpopuli/voxelpopuli/internal/game/pack"

// What is copied can be turned and mirrored, and with it the blocks that have a direction.

// TurnedRight is a block after a quarter turn clockwise, seen from above.
func (b Block) TurnedRight() Block {
	switch {
	case b.Opens():
		return b.with(pack.Turned)
	}
	return b.facing([4]uint8{3, 2, 0, 1}) // −z, +z, −x, +x become +x, −x, −z, +z
}

// MirroredX and MirroredZ are a block whose east is west, or whose north is south.
func (b Block) MirroredX() Block { return b.facing([4]uint8{0, 1, 3, 2}) }
func (b Block) MirroredZ() Block { return b.facing([4]uint8{1, 0, 2, 3}) }

// MirroredY is a block whose top is its bottom: of stairs and slabs.
func (b Block) MirroredY() Block {
	switch in := Info(b); in.Class {
	case pack.Stairs:
		return b - Block(in.Facing) + Block(in.Facing^pack.OnHead)
	case pack.Slab:
		if in.Upper != 0 {
			return Block(in.Upper)
		}
	case pack.UpperSlab:
		return b.Carried()
	}
	return b
}

// facing is a half of a bed, stairs, or a sign with another direction, other blocks as they
// are.
func (b Block) facing(to [4]uint8) Block {
	in := Info(b)
	switch {
	case b.IsBed():
		return b.bedHalf(in.Bed&pack.BedHead | to[in.Bed>>pack.BedFacing]<<pack.BedFacing)
	case in.Class == pack.Stairs || in.Class == pack.Sign:
		return b - Block(in.Facing&3) + Block(to[in.Facing&3])
	}
	return b
}

// Copied is what a copy of a block is: a furnace without fire, nothing where it burns, a
// chest in which nothing is found; false: it is not copied.
func Copied(b Block) (Block, bool) {
	in := Info(b)
	switch {
	case !b.Known() || b == Bedrock || in.Class == pack.Thing:
		return Air, false
	case in.Loot.Into != 0:
		return Block(in.Loot.Into), true
	case in.Smelts == pack.Lit:
		return b - 1, true
	case in.Fire > 0: // it would burn what it is pasted beside
		return Air, true
	}
	return b, true
}

// OtherHalf is where the other half of a door or a bed is.
func OtherHalf(at Pos, b Block) (Pos, bool) {
	switch {
	case b.IsDoor():
		return otherHalf(at, b), true
	case b.IsBed():
		p, _ := otherBed(at, b)
		return p, true
	}
	return at, false
}

// Stands reports whether a block stands by itself: not what is fixed to others, or grows or
// flows.
func (b Block) Stands() bool { return fullSolid(b) && !b.IsBed() }

// Common is the box that two boxes have in common; it holds nothing if they do not meet.
func (z Zone) Common(o Zone) Zone {
	return Zone{
		Min: Pos{X: max(z.Min.X, o.Min.X), Y: max(z.Min.Y, o.Min.Y), Z: max(z.Min.Z, o.Min.Z)},
		Max: Pos{X: min(z.Max.X, o.Max.X), Y: min(z.Max.Y, o.Max.Y), Z: min(z.Max.Z, o.Max.Z)},
	}
}
