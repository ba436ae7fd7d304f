package world

import "slices"

// Chunk is 32×32×32 blocks, palette-compressed. The zero Chunk is all air.
// A uniform chunk holds no memory besides the struct.
//
// A Chunk is copied with Clone; after that both share their memory until one
// of them is written to.
type Chunk struct {
	fill    Block    // the block of a uniform chunk (words is nil)
	log     uint8    // log2 of the bits an index: 0 to 4
	shared  bool     // palette and words belong to a clone too
	palette []Block  // without repetition; entries may be unused
	words   []uint64 // packed indices, order x fastest, then z, then y
}

// ChunkVolume is the number of blocks in a chunk.
const ChunkVolume = ChunkSize * ChunkSize * ChunkSize

// Dense is a chunk's blocks unpacked, in the order of chunkIndex.
type Dense = [ChunkVolume]Block

func chunkIndex(x, y, z int) int { return y<<(2*ChunkBits) | z<<ChunkBits | x }

// Uniform reports whether all blocks of c are known to be the same without
// looking at them, and which that is.
func (c *Chunk) Uniform() (Block, bool) { return c.fill, c.words == nil }

// At returns the block at chunk-local coordinates, each 0 to 31.
func (c *Chunk) At(x, y, z int) Block {
	if c.words == nil {
		return c.fill
	}
	return c.palette[c.index(chunkIndex(x, y, z))]
}

// index unpacks the i-th index. 1<<log bits never straddle two words.
func (c *Chunk) index(i int) int {
	at := uint(i) << c.log
	return int(c.words[at>>6] >> (at & 63) & (1<<(1<<c.log) - 1))
}

// Set writes the block at chunk-local coordinates.
func (c *Chunk) Set(x, y, z int, b Block) {
	if c.At(x, y, z) == b {
		return
	}
	c.own()
	p := uint64(c.paletteIndex(b))
	at := uint(chunkIndex(x, y, z)) << c.log
	mask := uint64(1<<(1<<c.log)-1) << (at & 63)
	w := &c.words[at>>6]
	*w = *w&^mask | p<<(at&63)
}

// own makes palette and words ready to be written: copied if they are shared,
// unpacked from a uniform chunk if there are none.
func (c *Chunk) own() {
	switch {
	case c.words == nil:
		c.palette = append(make([]Block, 0, 4), c.fill)
		c.words = make([]uint64, ChunkVolume/64)
		c.log = 0
	case c.shared:
		c.palette = slices.Clone(c.palette)
		c.words = slices.Clone(c.words)
	}
	c.shared = false
}

// paletteIndex returns b's index in the palette, widening the indices if b is
// new and they are full.
func (c *Chunk) paletteIndex(b Block) int {
	if i := slices.Index(c.palette, b); i >= 0 {
		return i
	}
	if len(c.palette) == 1<<(1<<c.log) {
		c.makeRoom()
	}
	c.palette = append(c.palette, b)
	return len(c.palette) - 1
}

// makeRoom drops unused palette entries, and widens the indices if there are
// none.
func (c *Chunk) makeRoom() {
	used := c.used()
	if slices.Contains(used, false) {
		c.repack(used, c.log)
		return
	}
	c.repack(used, c.log+1)
}

// Clone returns a chunk of the same blocks in constant time. It notes in c that
// its memory is shared, unless that is known already: a chunk that came from
// Clone and was not written since can be cloned by several goroutines at once.
func (c *Chunk) Clone() Chunk {
	if c.words != nil && !c.shared {
		c.shared = true
	}
	return *c
}

// Equal reports whether c and d hold the same blocks.
func (c *Chunk) Equal(d *Chunk) bool {
	if c.words == nil && d.words == nil {
		return c.fill == d.fill
	}
	if c.log == d.log && len(c.words) == len(d.words) && slices.Equal(c.palette, d.palette) {
		return slices.Equal(c.words, d.words)
	}
	for i := range ChunkVolume {
		x, z, y := i&(ChunkSize-1), i>>ChunkBits&(ChunkSize-1), i>>(2*ChunkBits)
		if c.At(x, y, z) != d.At(x, y, z) {
			return false
		}
	}
	return true
}

// Blocks is anything that blocks can be read from. A place that is not known
// (not loaded) reads as ok = false; below the world is Bedrock, above is Air.
type Blocks interface {
	Block(p Pos) (b Block, ok bool)
}
