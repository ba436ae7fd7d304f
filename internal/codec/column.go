package codec

import (
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Columns travel as the chunks of world.Column in canonical form, deflated, as
// they do to clients (package wire). Packing one takes part of a millisecond and
// the same frozen column goes to many, so the last ones are kept.

// keepColumns is how many packed columns are kept: those of a few regions, some
// megabytes at most with their blocks.
const keepColumns = 128

// columnCache holds the encodings of frozen columns by their pointers.
type columnCache struct {
	mu       sync.Mutex
	packer   wire.Packer
	unpacker wire.Unpacker
	packed   map[*world.Column]*wire.Column
	ring     [keepColumns]*world.Column // in the order in which they came
	next     int
}

// pack returns the encoding of a frozen column.
func (c *columnCache) pack(col *world.Column) *wire.Column {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.packed[col]; p != nil {
		return p
	}
	p := c.packer.Column(col)
	if c.packed == nil {
		c.packed = make(map[*world.Column]*wire.Column, keepColumns)
	}
	delete(c.packed, c.ring[c.next])
	c.ring[c.next], c.packed[col] = col, p
	c.next = (c.next + 1) % keepColumns
	return p
}

func (c *columnCache) unpack(m *wire.Column) (*world.Column, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unpacker.Column(m)
}

// column is a column of blocks, or nil.
func (f *form) column(v **world.Column) {
	var m wire.Column
	has := *v != nil
	f.bool(&has)
	if !has {
		return
	}
	if !f.reading {
		m = *f.codec.columns.pack(*v)
	}
	signed(f, &m.Pos.X)
	signed(f, &m.Pos.Z)
	num(f, &m.Mask)
	f.bytes(&m.Deflated, wire.MaxColumn)
	if f.reading && f.err == nil {
		c, err := f.codec.columns.unpack(&m)
		if err != nil {
			f.fail("column: %v", err)
			return
		}
		*v = c
	}
}
