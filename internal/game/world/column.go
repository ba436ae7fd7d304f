package world

// Column is eight chunks on top of each other.
type Column struct {
	Pos    ColumnPos
	Chunks [ColumnLen]Chunk
}

// At returns the block at column-local x and z (0 to 31) and world y.
func (c *Column) At(x, y, z int) Block {
	return c.Chunks[y>>ChunkBits].At(x, y&(ChunkSize-1), z)
}

// Set writes the block at column-local x and z (0 to 31) and world y.
func (c *Column) Set(x, y, z int, b Block) {
	c.Chunks[y>>ChunkBits].Set(x, y&(ChunkSize-1), z, b)
}

// Clone returns a column that can be changed without changing c. It costs eight
// small copies; a chunk's blocks are copied when either side first writes to it.
// See Chunk.Clone for what concurrent callers may do.
func (c *Column) Clone() *Column {
	out := &Column{Pos: c.Pos}
	for i := range c.Chunks {
		out.Chunks[i] = c.Chunks[i].Clone()
	}
	return out
}

// Equal reports whether c and d are at the same place and hold the same blocks.
func (c *Column) Equal(d *Column) bool {
	if c.Pos != d.Pos {
		return false
	}
	for i := range c.Chunks {
		if !c.Chunks[i].Equal(&d.Chunks[i]) {
			return false
		}
	}
	return true
}

// Compact brings every chunk into its smallest form.
func (c *Column) Compact() {
	for i := range c.Chunks {
		c.Chunks[i].Compact()
	}
}

// Top returns the y of the highest block that is not air at column-local x and
// z, or −1.
func (c *Column) Top(x, z int) int {
	for n := ColumnLen - 1; n >= 0; n-- {
		ch := &c.Chunks[n]
		if b, ok := ch.Uniform(); ok && b == Air {
			continue
		}
		for y := ChunkSize - 1; y >= 0; y-- {
			if ch.At(x, y, z) != Air {
				return n<<ChunkBits | y
			}
		}
	}
	return -1
}
