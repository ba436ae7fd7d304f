package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// supported reports whether a block at p has what it needs underneath or beside
// it. What is not loaded supports everything.
func supported(w Blocks, p Pos, b Block) bool {
	need := Info(b).Support
	switch need {
	case SupportNone:
		return true
	case SupportWall:
		return atWall(w, p)
	}
	under, ok := w.Block(p.Next(FaceDown))
	if !ok {
		return true
	}
	switch need {
	case SupportGround:
		return fullSolid(under)
	case SupportSoil:
		return under == Grass || under == SnowyGrass || under == Dirt
	case SupportSand:
		return under == Sand || under == b
	case SupportShore:
		return under == Grass || under == Dirt || under == Sand || under == Clay || under == b
	case SupportDark:
		return under.Opaque()
	}
	return true
}

// atWall reports whether a solid cube stands at one of the four sides of p.
func atWall(w Blocks, p Pos) bool {
	for f := FaceNorth; f < faceCount; f++ {
		if b, ok := w.Block(p.Next(f)); !ok || fullSolid(b) {
			return true
		}
	}
	return false
}

func fullSolid(b Block) bool {
	in := Info(b)
	return in.Solid && in.Tall == fixed.One && in.Class != ClassCactus
}
