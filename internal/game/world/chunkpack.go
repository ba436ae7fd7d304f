package world

import (
	"math/bits"
	"slices"
)

// Packing: chunks from and to dense arrays, and the canonical form: a palette
// in ascending order without unused entries, indices as narrow as it allows,
// no words for a uniform chunk.

// logFor returns log2 of the least index width (1, 2, 4, 8 or 16 bits) that
// tells n palette entries apart.
func logFor(n int) uint8 {
	return uint8(bits.Len(uint(bits.Len(uint(n-1)) - 1)))
}

// PackChunk returns the chunk of the dense blocks, in canonical form. Blocks
// must be in the block table.
func PackChunk(d *Dense) Chunk {
	var seen [BlockLimit]bool
	first, uniform := d[0], true
	for _, b := range d {
		seen[b] = true
		uniform = uniform && b == first
	}
	if uniform {
		return Chunk{fill: first}
	}
	var to [BlockLimit]uint16
	c := Chunk{}
	for b, ok := range seen {
		if ok {
			to[b] = uint16(len(c.palette))
			c.palette = append(c.palette, Block(b))
		}
	}
	c.log = logFor(len(c.palette))
	c.words = make([]uint64, ChunkVolume>>6<<c.log)
	width, per := uint(1)<<c.log, 64>>c.log
	for w := range c.words {
		var word uint64
		for i, b := range d[w*per : (w+1)*per] {
			word |= uint64(to[b]) << (uint(i) * width & 63)
		}
		c.words[w] = word
	}
	return c
}

// Unpack writes all blocks of c to d.
func (c *Chunk) Unpack(d *Dense) {
	if c.words == nil {
		for i := range d {
			d[i] = c.fill
		}
		return
	}
	width, per := uint(1)<<c.log, 64>>c.log
	mask := uint64(1)<<width - 1
	for w, word := range c.words {
		out := d[w*per : (w+1)*per]
		for i := range out {
			out[i] = c.palette[word&mask]
			word >>= width
		}
	}
}

// used reports for each palette entry whether some block has it.
func (c *Chunk) used() []bool {
	used := make([]bool, len(c.palette))
	missing := len(used)
	width, per := uint(1)<<c.log, 64>>c.log
	mask := uint64(1)<<width - 1
	last := ^c.words[0] // not the first word, so that it is looked at
	for _, word := range c.words {
		if word == last { // long runs of the same blocks are common
			continue
		}
		last = word
		for range per {
			if p := word & mask; !used[p] {
				used[p] = true
				if missing--; missing == 0 {
					return used
				}
			}
			word >>= width
		}
	}
	return used
}

// repack keeps the used palette entries, in their order, and packs the indices
// with 1<<log bits.
func (c *Chunk) repack(used []bool, log uint8) {
	order := make([]int, 0, len(used))
	for i, ok := range used {
		if ok {
			order = append(order, i)
		}
	}
	c.reorder(order, log)
}

// reorder makes palette entry order[i] the i-th; entries not in order must be
// unused. Palette and words are new afterwards, not shared.
func (c *Chunk) reorder(order []int, log uint8) {
	palette := make([]Block, len(order), len(order)+2)
	to := make([]uint64, len(c.palette))
	for i, p := range order {
		palette[i] = c.palette[p]
		to[p] = uint64(i)
	}
	words := make([]uint64, ChunkVolume>>6<<log)
	inWidth, inMask := uint(1)<<c.log, uint64(1)<<(1<<c.log)-1
	outWidth, per := uint(1)<<log, 64>>log
	var word uint64
	left := uint(0)
	from := c.words
	for w := range words {
		var out uint64
		for i := range per {
			if left == 0 {
				word, from, left = from[0], from[1:], 64
			}
			out |= to[word&inMask] << (uint(i) * outWidth & 63)
			word >>= inWidth
			left -= inWidth
		}
		words[w] = out
	}
	c.palette, c.words, c.log, c.shared = palette, words, log, false
}

// Compact brings c into the canonical form, which is also the smallest.
func (c *Chunk) Compact() {
	if c.words == nil {
		return
	}
	used := c.used()
	order := make([]int, 0, len(used))
	for i, ok := range used {
		if ok {
			order = append(order, i)
		}
	}
	if len(order) == 1 {
		*c = Chunk{fill: c.palette[order[0]]}
		return
	}
	sorted := slices.IsSorted(c.palette)
	log := logFor(len(order))
	if sorted && len(order) == len(used) && log == c.log {
		return
	}
	if !sorted {
		slices.SortFunc(order, func(a, b int) int { return int(c.palette[a]) - int(c.palette[b]) })
	}
	c.reorder(order, log)
}
