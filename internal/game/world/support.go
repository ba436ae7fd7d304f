package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// supported reports whether a block at p has what it needs underneath or beside
// it. What is not loaded supports everything.
func supported(w Blocks, p Pos, b Block) bool {
	need := Info(b).Support
	switch {
	case b.IsDoor():
		return doorStands(w, p, b)
	case b.IsBed():
		return bedStands(w, p, b)
	case b.IsSign():
		behind, ok := w.Block(signBehind(p, b))
		return !ok || fullSolid(behind)
	}
	switch need {
	case pack.SupportNone:
		return true
	case pack.SupportWall:
		return atWall(w, p)
	}
	under, ok := w.Block(p.Next(FaceDown))
	if !ok {
		return true
	}
	switch need {
	case pack.SupportGround:
		return fullSolid(under)
	case pack.SupportSoil:
		return under == Grass || under == SnowyGrass || under == Dirt
	case pack.SupportSand:
		return under == Sand || under == b
	case pack.SupportShore:
		return under == Grass || under == Dirt || under == Sand || under == Clay || under == b
	case pack.SupportDark:
		return under.Opaque()
	case pack.SupportField:
		return Info(under).Fertile
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
	return in.Solid && in.Tall == fixed.One && (in.Octants == 0 || in.Octants&pack.OctantsUpper == pack.OctantsUpper) && in.Class != pack.Cactus && in.Class != pack.Fence && !in.Class.Opens()
}
