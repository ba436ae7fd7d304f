package world

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// The binary form of chunks and columns (docs/protocols/client.md, "Column").
// It is canonical: the same blocks have exactly one encoding, and a decoder
// takes no other, so that bytes can be hashed and compared.

// ErrMalformed is wrapped by every error of the decoders.
var ErrMalformed = errors.New("malformed world data")

// MaxColumnPayload bounds the payload of a column: palettes of all blocks with
// 16-bit indices in every chunk would not be longer.
const MaxColumnPayload = ColumnLen * (3 + 3*int(BlockLimit) + 2*ChunkVolume)

// AppendBinary appends the canonical form of c to dst.
func (c *Chunk) AppendBinary(dst []byte) []byte {
	k := *c // Compact never writes to memory that it shares
	k.Compact()
	if k.words == nil {
		return binary.AppendUvarint(append(dst, 1), uint64(k.fill))
	}
	dst = binary.AppendUvarint(dst, uint64(len(k.palette)))
	for _, b := range k.palette {
		dst = binary.AppendUvarint(dst, uint64(b))
	}
	dst = slices.Grow(dst, 8*len(k.words))
	for _, w := range k.words {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// DecodeChunk reads a chunk in canonical form from the front of b and returns
// what follows it.
func DecodeChunk(b []byte) (c Chunk, rest []byte, err error) {
	n, b, err := uvarint(b, uint64(BlockLimit))
	if err != nil {
		return Chunk{}, nil, fmt.Errorf("palette length: %w", err)
	}
	if n == 0 {
		return Chunk{}, nil, fmt.Errorf("%w: a palette without blocks", ErrMalformed)
	}
	palette := make([]Block, n)
	for i := range palette {
		var v uint64
		if v, b, err = uvarint(b, uint64(BlockLimit)-1); err != nil {
			return Chunk{}, nil, fmt.Errorf("palette: %w", err)
		}
		if !Block(v).Known() {
			return Chunk{}, nil, fmt.Errorf("%w: there is no block %d", ErrMalformed, v)
		}
		if palette[i] = Block(v); i > 0 && palette[i] <= palette[i-1] {
			return Chunk{}, nil, fmt.Errorf("%w: palette out of order", ErrMalformed)
		}
	}
	if n == 1 {
		return Chunk{fill: palette[0]}, b, nil
	}
	c = Chunk{palette: palette, log: logFor(len(palette))}
	if b, err = c.decodeWords(b); err != nil {
		return Chunk{}, nil, err
	}
	return c, b, nil
}

// decodeWords reads the indices; each must be in the palette, and each palette
// entry used.
func (c *Chunk) decodeWords(b []byte) ([]byte, error) {
	count := ChunkVolume >> 6 << c.log
	if len(b) < 8*count {
		return nil, fmt.Errorf("%w: chunk ends early", ErrMalformed)
	}
	c.words = make([]uint64, count)
	width, per := uint(1)<<c.log, 64>>c.log
	mask := uint64(1)<<width - 1
	var seen [BlockLimit]bool
	missing := len(c.palette)
	for w := range c.words {
		word := binary.LittleEndian.Uint64(b[8*w:])
		c.words[w] = word
		if w > 0 && word == c.words[w-1] {
			continue
		}
		for range per {
			p := word & mask
			if p >= uint64(len(c.palette)) {
				return nil, fmt.Errorf("%w: index %d in a palette of %d", ErrMalformed, p, len(c.palette))
			}
			if !seen[p] {
				seen[p] = true
				missing--
			}
			word >>= width
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("%w: %d unused palette entries", ErrMalformed, missing)
	}
	return b[8*count:], nil
}

// AppendPayload appends c's mask-and-chunks form to dst, before deflate, and
// returns it with the mask: bit n stands for chunk n, counted from the bottom;
// chunks of air are left out.
func (c *Column) AppendPayload(dst []byte) (mask uint8, out []byte) {
	for i := range c.Chunks {
		ch := c.Chunks[i]
		ch.Compact()
		if b, ok := ch.Uniform(); ok && b == Air {
			continue
		}
		mask |= 1 << i
		dst = ch.AppendBinary(dst)
	}
	return mask, dst
}

// DecodeColumn reads what AppendPayload wrote.
func DecodeColumn(pos ColumnPos, mask uint8, payload []byte) (*Column, error) {
	c := &Column{Pos: pos}
	var err error
	for i := range c.Chunks {
		if mask>>i&1 == 0 {
			continue
		}
		if c.Chunks[i], payload, err = DecodeChunk(payload); err != nil {
			return nil, fmt.Errorf("%v, chunk %d: %w", pos, i, err)
		}
		if b, ok := c.Chunks[i].Uniform(); ok && b == Air {
			return nil, fmt.Errorf("%v, chunk %d: %w: air belongs outside the mask", pos, i, ErrMalformed)
		}
	}
	if len(payload) > 0 {
		return nil, fmt.Errorf("%v: %w: %d bytes too many", pos, ErrMalformed, len(payload))
	}
	return c, nil
}

// uvarint reads a LEB128 number of at most limit in its shortest form.
func uvarint(b []byte, limit uint64) (v uint64, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	switch {
	case n <= 0:
		return 0, nil, fmt.Errorf("%w: not a number", ErrMalformed)
	case n > 1 && b[n-1] == 0:
		return 0, nil, fmt.Errorf("%w: a number not in its shortest form", ErrMalformed)
	case v > limit:
		return 0, nil, fmt.Errorf("%w: %d, want at most %d", ErrMalformed, v, limit)
	}
	return v, b[n:], nil
}
