package world

import "github.com/voxelpopuli/voxelpopuli/internal/fixed"

// sees reports whether some part of a block can be seen from an eye: one of 27
// points spread over it, a little inside. Only opaque whole blocks hide it.
func sees(w Blocks, eye Vec, at Pos) bool {
	const in = fixed.One / 16
	lo := Vec{fixed.Int(int(at.X)) + in, fixed.Int(int(at.Y)) + in, fixed.Int(int(at.Z)) + in}
	const mid, high = fixed.One/2 - in, fixed.One - 2*in
	steps := [3]fixed.Num{mid, 0, high}
	for _, y := range steps {
		for _, z := range steps {
			for _, x := range steps {
				if clearTo(w, eye, lo.Add(Vec{x, y, z}), at, Block.Opaque) {
					return true
				}
			}
		}
	}
	return false
}

// canStrike reports whether a blow from an eye can land on a body: no solid block
// is before its middle or its head.
func canStrike(w Blocks, eye Vec, c box) bool {
	to := Vec{(c.x0 + c.x1) / 2, (c.y0 + c.y1) / 2, (c.z0 + c.z1) / 2}
	head := Vec{to.X, c.y1 - fixed.One/8, to.Z}
	return clearTo(w, eye, to, to.Block(), Block.Solid) || clearTo(w, eye, head, head.Block(), Block.Solid)
}

// clearTo reports whether nothing is in the way from an eye to a point of a
// block, looking every 1/8 m.
func clearTo(w Blocks, eye, to Vec, at Pos, hides func(Block) bool) bool {
	d := to.Sub(eye)
	n := max(d.X.Abs(), d.Y.Abs(), d.Z.Abs())/(fixed.One/8) + 1
	last := eye.Block()
	for i := fixed.Num(1); i < n; i++ {
		p := eye.Add(Vec{d.X * i / n, d.Y * i / n, d.Z * i / n}).Block()
		if p == at {
			return true
		}
		if p == last {
			continue
		}
		last = p
		if b, ok := w.Block(p); !ok || hides(b) {
			return false
		}
	}
	return true
}
