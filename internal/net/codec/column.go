package codec

import (
	"bytes"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Columns travel as the chunks of world.Column in canonical form, deflated, as
// they do to clients (package wire). Packing or unpacking one takes part of a
// millisecond, and the same frozen column goes to many, and comes for many: the
// last ones are kept with their bytes.

// keepColumns is how many packed columns are kept: those of some regions, a few
// megabytes with their blocks.
const keepColumns = 256

// columnCache holds frozen columns with their encodings.
type columnCache struct {
	packers, unpackers sync.Pool

	mu     sync.Mutex
	packed map[*world.Column]*wire.Column
	came   map[world.ColumnPos]*world.Column // the last one that was unpacked of each place
	ring   [keepColumns]*world.Column        // in the order in which they came
	next   int
}

func (c *columnCache) init() {
	c.packers.New = func() any { return new(wire.Packer) }
	c.unpackers.New = func() any { return new(wire.Unpacker) }
	c.packed, c.came = map[*world.Column]*wire.Column{}, map[world.ColumnPos]*world.Column{}
}

// pack returns the encoding of a frozen column.
func (c *columnCache) pack(col *world.Column) *wire.Column {
	c.mu.Lock()
	p := c.packed[col]
	c.mu.Unlock()
	if p != nil {
		return p
	}
	packer := c.packers.Get().(*wire.Packer)
	p = packer.Column(col)
	c.packers.Put(packer)
	return c.keep(col, p, false)
}

// unpack returns the column of an encoding, which is frozen: one that came
// before with the same bytes is the same.
func (c *columnCache) unpack(m *wire.Column) (*world.Column, error) {
	c.mu.Lock()
	if col := c.came[m.Pos]; col != nil {
		if p := c.packed[col]; p.Mask == m.Mask && bytes.Equal(p.Deflated, m.Deflated) {
			c.mu.Unlock()
			return col, nil
		}
	}
	c.mu.Unlock()
	unpacker := c.unpackers.Get().(*wire.Unpacker)
	col, err := unpacker.Column(m)
	c.unpackers.Put(unpacker)
	if err != nil {
		return nil, err
	}
	col = col.Clone() // whoever has it may clone it at any time
	kept := *m
	c.keep(col, &kept, true)
	return col, nil
}

// keep remembers a column with its encoding, the first if there are two, and
// forgets the one that came longest ago.
func (c *columnCache) keep(col *world.Column, p *wire.Column, came bool) *wire.Column {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.packed[col]; first != nil {
		return first
	}
	if old := c.ring[c.next]; old != nil {
		delete(c.packed, old)
		if c.came[old.Pos] == old {
			delete(c.came, old.Pos)
		}
	}
	c.ring[c.next], c.packed[col] = col, p
	c.next = (c.next + 1) % keepColumns
	if came {
		c.came[col.Pos] = col
	}
	return p
}

// Packed returns the encoding of a frozen column as it travels. It is the bytes
// that the column came with, if it came from another node not long ago.
func (c *Codec) Packed(col *world.Column) *wire.Column { return c.columns.pack(col) }

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
