package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Lines of sight. A client lets a player do something to the first block or body
// on the ray from its eye (web/src/game/raycast.ts). These rules ask whether any
// such ray exists, and allow for what a client knows otherwise: its eye is drawn
// between two steps, and plants, torches and ladders hide nothing here.

const (
	sightPoints = 6              // on each edge of what is looked at
	sightIn     = fixed.One / 32 // they lie so far inside
)

// hides returns how much of its cell a block hides, from the bottom up.
func hides(b Block) fixed.Num {
	if !b.Known() {
		return fixed.One
	}
	switch Info(b).Class {
	case pack.Cube, pack.Cutout, pack.Glass, pack.Cactus:
		return fixed.One
	case pack.Slab:
		return fixed.One / 2
	case pack.Door, pack.Trapdoor:
		return Info(b).Tall
	case pack.Stairs:
		if Info(b).Facing&pack.OnHead == 0 {
			return fixed.One / 2
		}
	}
	return 0
}

// eyes are where a player's client may have its eye: where it is, where it was a
// step ago, and as high as before the player began or ceased to sneak. Only
// places that the eye sees itself count.
func (rb *regionBlocks) eyes(p *Player) []Vec {
	eye := p.Body.Eye()
	out := []Vec{eye}
	other := p.Body
	other.Sneaking = !other.Sneaking
	for _, v := range [...]Vec{eye.Sub(p.Body.Vel), other.Eye()} {
		if v != eye && clearTo(rb, eye, v, v.Block()) && !hidden(rb, v) {
			out = append(out, v)
		}
	}
	return out
}

// hidden reports whether a point is inside of what hides.
func hidden(w Blocks, v Vec) bool {
	b, ok := w.Block(v.Block())
	return !ok || v.Y.Frac() < hides(b)
}

// sees reports whether a player sees some part of a block.
func (rb *regionBlocks) sees(p *Player, at Pos) bool {
	return slices.ContainsFunc(rb.eyes(p), func(eye Vec) bool { return Sees(rb, eye, at) })
}

// Sees reports whether an eye sees some part of a block.
func Sees(w Blocks, eye Vec, at Pos) bool {
	for f := range faceCount {
		if eye.Block() == at || faces(eye, at, f) && seesFace(w, eye, at, f) {
			return true
		}
	}
	return false
}

// faces reports whether an eye is on the outer side of a face.
func faces(eye Vec, at Pos, f Face) bool {
	x, y, z := fixed.Int(int(at.X)), fixed.Int(int(at.Y)), fixed.Int(int(at.Z))
	switch f {
	case FaceDown:
		return eye.Y < y
	case FaceUp:
		return eye.Y >= y+fixed.One
	case FaceNorth:
		return eye.Z < z
	case FaceSouth:
		return eye.Z >= z+fixed.One
	case FaceWest:
		return eye.X < x
	}
	return eye.X >= x+fixed.One
}

// seesFace reports whether an eye sees a point a little behind a block's face.
func seesFace(w Blocks, eye Vec, at Pos, f Face) bool {
	low := Vec{fixed.Int(int(at.X)), fixed.Int(int(at.Y)), fixed.Int(int(at.Z))}
	for i := range fixed.Num(sightPoints) {
		for j := range fixed.Num(sightPoints) {
			u := sightIn + (fixed.One-2*sightIn)*i/(sightPoints-1)
			v := sightIn + (fixed.One-2*sightIn)*j/(sightPoints-1)
			if clearTo(w, eye, low.Add(onFace(f, u, v)), at) {
				return true
			}
		}
	}
	return false
}

// onFace returns a point a little behind a face, from the block's lowest corner.
func onFace(f Face, u, v fixed.Num) Vec {
	switch f {
	case FaceDown:
		return Vec{u, sightIn, v}
	case FaceUp:
		return Vec{u, fixed.One - sightIn, v}
	case FaceNorth:
		return Vec{u, v, sightIn}
	case FaceSouth:
		return Vec{u, v, fixed.One - sightIn}
	case FaceWest:
		return Vec{sightIn, u, v}
	}
	return Vec{fixed.One - sightIn, u, v}
}

// canStrike reports whether a blow from an eye can land on a body: some part of it
// can be seen.
func canStrike(w Blocks, eye Vec, c box) bool {
	const points = 3
	at := func(low, high, i fixed.Num) fixed.Num { return low + sightIn + (high-low-2*sightIn)*i/(points-1) }
	for y := range fixed.Num(points) {
		for z := range fixed.Num(points) {
			for x := range fixed.Num(points) {
				to := Vec{at(c.x0, c.x1, x), at(c.y0, c.y1, y), at(c.z0, c.z1, z)}
				if clearTo(w, eye, to, to.Block()) {
					return true
				}
			}
		}
	}
	return false
}

// clearTo reports whether nothing hides the way from an eye to where it comes into
// the cell of a point. It goes from cell to cell: the line leaves each across
// the side that it meets first, after num/den of the way.
func clearTo(w Blocks, eye, to Vec, cell Pos) bool {
	d := to.Sub(eye)
	var step [3]int32
	var num, den [3]fixed.Num
	for i, way := range [3]fixed.Num{d.X, d.Y, d.Z} {
		from := [3]fixed.Num{eye.X, eye.Y, eye.Z}[i]
		switch {
		case way > 0:
			step[i], num[i], den[i] = 1, fixed.One-from.Frac(), way
		case way < 0:
			step[i], num[i], den[i] = -1, from.Frac(), -way
		default:
			num[i] = 1 // never: 1/0
		}
	}
	at := eye.Block()
	in, inOf := fixed.Num(0), fixed.Num(1) // how much of the way it is to this cell
	for first := true; at != cell; first = false {
		k := 0
		for i := 1; i < 3; i++ {
			if num[i]*den[k] < num[k]*den[i] {
				k = i
			}
		}
		if num[k] > den[k] {
			return true // the point is in this cell
		}
		if !first && blocked(w, at, min(eye.Y+d.Y*in/inOf, eye.Y+d.Y*num[k]/den[k])) {
			return false
		}
		in, inOf = num[k], den[k]
		num[k] += fixed.One
		switch k {
		case 0:
			at.X += step[0]
		case 1:
			at.Y += step[1]
		default:
			at.Z += step[2]
		}
	}
	return true
}

// blocked reports whether a block hides what lies on a line through its cell that
// comes no lower than y.
func blocked(w Blocks, at Pos, y fixed.Num) bool {
	b, ok := w.Block(at)
	return !ok || y < fixed.Int(int(at.Y))+hides(b)
}
