// Package clipboard holds boxes of blocks that were copied: turned, mirrored, and encoded
// for the way between lobby and regions. What lies in containers is not a part of them.
//
// Pure. Start with Box.
package clipboard

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Nothing is in a box where a block is to stay what it is.
const Nothing = world.BlockLimit

// MaxBlocks bounds the blocks of a box, MaxSize its encoding.
const (
	MaxBlocks = 1 << 18
	MaxSize   = 3 * MaxBlocks
)

// ErrFormat: bytes are no encoding of so many blocks.
var ErrFormat = errors.New("malformed copy of blocks")

// Box is a box of blocks: the east fastest, then the south, then upwards.
type Box struct {
	X, Y, Z int // sides
	Blocks  []world.Block
}

// New returns a box with nothing in it.
func New(x, y, z int) *Box {
	b := &Box{X: x, Y: y, Z: z, Blocks: make([]world.Block, x*y*z)}
	for i := range b.Blocks {
		b.Blocks[i] = Nothing
	}
	return b
}

// Of returns a box of the size of a zone with nothing in it.
func Of(z world.Zone) *Box {
	return New(int(z.Max.X-z.Min.X)+1, int(z.Max.Y-z.Min.Y)+1, int(z.Max.Z-z.Min.Z)+1)
}

// Volume is how many blocks a zone has.
func Volume(z world.Zone) int {
	return (int(z.Max.X-z.Min.X) + 1) * (int(z.Max.Y-z.Min.Y) + 1) * (int(z.Max.Z-z.Min.Z) + 1)
}

// Index is where a block stands in Blocks.
func (b *Box) Index(x, y, z int) int { return (y*b.Z+z)*b.X + x }

// Count is how many blocks are in the box, without those that stay what they are.
func (b *Box) Count() (n int) {
	for _, x := range b.Blocks {
		if x != Nothing {
			n++
		}
	}
	return n
}

// Right turns the box clockwise by a quarter, seen from above.
func (b *Box) Right() *Box {
	return b.moved(New(b.Z, b.Y, b.X), func(x, y, z int) (int, int, int) { return b.Z - 1 - z, y, x }, world.Block.TurnedRight)
}

// Mirror exchanges the sides of an axis: 'x' east and west, 'y' top and bottom, 'z' north and south.
func (b *Box) Mirror(axis byte) *Box {
	turn := func(x world.Block) world.Block { return x }
	switch axis {
	case 'x':
		turn = world.Block.MirroredX
	case 'y':
		turn = world.Block.MirroredY
	case 'z':
		turn = world.Block.MirroredZ
	}
	return b.moved(New(b.X, b.Y, b.Z), func(x, y, z int) (int, int, int) {
		switch axis {
		case 'x':
			x = b.X - 1 - x
		case 'y':
			y = b.Y - 1 - y
		case 'z':
			z = b.Z - 1 - z
		}
		return x, y, z
	}, turn)
}

// moved puts each block into another box.
func (b *Box) moved(out *Box, to func(x, y, z int) (int, int, int), turn func(world.Block) world.Block) *Box {
	i := 0
	for y := range b.Y {
		for z := range b.Z {
			for x := range b.X {
				if k := b.Blocks[i]; k != Nothing {
					out.Blocks[out.Index(to(x, y, z))] = turn(k)
				}
				i++
			}
		}
	}
	return out
}

// Cut returns what of the box, which lies with its corner at a place, is in a part of the
// world; Put puts that in again.
func (b *Box) Cut(at world.Pos, part world.Zone) []world.Block {
	var out []world.Block
	b.each(at, part, func(i int) { out = append(out, b.Blocks[i]) })
	return out
}

// Put is the counterpart of Cut. It reports whether there were as many blocks as in the part.
func (b *Box) Put(at world.Pos, part world.Zone, blocks []world.Block) bool {
	b.each(at, part, func(i int) {
		if len(blocks) > 0 {
			b.Blocks[i], blocks = blocks[0], blocks[1:]
		}
	})
	return len(blocks) == 0
}

func (b *Box) each(at world.Pos, part world.Zone, do func(i int)) {
	for y := part.Min.Y; y <= part.Max.Y; y++ {
		for z := part.Min.Z; z <= part.Max.Z; z++ {
			for x := part.Min.X; x <= part.Max.X; x++ {
				do(b.Index(int(x-at.X), int(y-at.Y), int(z-at.Z)))
			}
		}
	}
}

// Encode encodes blocks as runs: how many, and which.
func Encode(blocks []world.Block) (out []byte) {
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && blocks[n] == blocks[0] {
			n++
		}
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(n)), uint64(blocks[0]))
		blocks = blocks[n:]
	}
	return out
}

// DecodeBox reads a box of a size whose blocks were encoded.
func DecodeBox(size [3]int, b []byte) (*Box, error) {
	n := 1
	for _, side := range size {
		if side < 1 || side > MaxBlocks || n*side > MaxBlocks {
			return nil, ErrFormat
		}
		n *= side
	}
	blocks, err := Decode(b, n)
	if err != nil {
		return nil, err
	}
	return &Box{X: size[0], Y: size[1], Z: size[2], Blocks: blocks}, nil
}

// Decode reads n blocks: those that can be copied, and Nothing.
func Decode(b []byte, n int) ([]world.Block, error) {
	if n < 0 || n > MaxBlocks || len(b) > MaxSize {
		return nil, ErrFormat
	}
	r := bin.NewReader(b)
	out := make([]world.Block, 0, n)
	for len(out) < n {
		run, block := int(r.Uint(uint64(n-len(out)))), world.Block(r.Uint(uint64(Nothing)))
		if same, ok := world.Copied(block); r.Bad() || run == 0 || block != Nothing && (!ok || same != block) {
			return nil, ErrFormat
		}
		out = append(out, slices.Repeat([]world.Block{block}, run)...)
	}
	if !r.End() {
		return nil, ErrFormat
	}
	return out, nil
}
