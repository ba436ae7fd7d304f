package world

import "github.com/voxelpopuli/voxelpopuli/internal/game/pack"

// Stairs, signs and slabs are other blocks according to how they are placed
// (pack.Block.Facing, pack.Block.Upper). What is carried of them is always the first one.

// placedUpper is the bit of ActPlace's B that says that the upper half of a side is meant.
const placedUpper = 1

// carriedAs has for each block the one that is carried and stands for it.
var carriedAs = carriedBlocks()

func carriedBlocks() (t [BlockLimit]Block) {
	for b := range t {
		t[b] = Block(b) - Block(Info(Block(b)).Facing)
	}
	for b := range t {
		if upper := Info(Block(b)).Upper; upper != 0 {
			t[upper] = Block(b)
		}
	}
	return t
}

// Carried returns what is carried of a block that is placed in several ways.
func (b Block) Carried() Block {
	if b >= BlockLimit {
		return b
	}
	return carriedAs[b]
}

// awayFrom returns the side of a block that looks away from somebody whose feet are there.
func awayFrom(at Pos, feet Vec) Face {
	d := at.Centre().Sub(feet)
	switch {
	case d.X.Abs() > d.Z.Abs() && d.X > 0:
		return FaceEast
	case d.X.Abs() > d.Z.Abs():
		return FaceWest
	case d.Z <= 0:
		return FaceNorth
	}
	return FaceSouth
}

// placedAs returns what a block that is carried becomes at a place, against a face of
// another block.
func placedAs(b Block, at Pos, face Face, upper bool, feet Vec) Block {
	in := Info(b)
	upper = face == FaceDown || upper && face != FaceUp
	way := awayFrom(at, feet)
	switch {
	case in.Class == pack.Slab && in.Upper != 0 && upper:
		return Block(in.Upper)
	case in.Class == pack.Stairs && upper:
		return b + Block(way-FaceNorth) + pack.OnHead
	case in.Class == pack.Stairs:
		return b + Block(way-FaceNorth)
	case in.Class == pack.Sign && face >= FaceNorth:
		return b + Block(face-FaceNorth) + pack.OnWall
	case in.Class == pack.Sign:
		return b + Block((way^1)-FaceNorth)
	}
	return b
}

// IsSign reports whether b is a sign.
func (b Block) IsSign() bool { return Info(b).Class == pack.Sign }

// signBehind returns the block that a sign is at.
func signBehind(at Pos, b Block) Pos {
	is := Info(b).Facing
	if is&pack.OnWall == 0 {
		return at.Next(FaceDown)
	}
	return at.Next((FaceNorth + Face(is&3)) ^ 1)
}
