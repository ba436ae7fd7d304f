package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// regionBlocks are the blocks of a region and, to read, those around it. What needs
// blocks alone is a method of it: lines of sight, places to stand, water.
type regionBlocks struct {
	pos     RegionPos
	x0, z0  int32 // the lowest block
	outside Blocks
	columns [Columns]*Column
	later   [Columns]func() *Column // makes a column that nobody has looked at
	frozen  [Columns]*Column        // what Share has given away, nil since the last change
}

func newRegionBlocks(pos RegionPos, outside Blocks) regionBlocks {
	return regionBlocks{pos: pos, outside: outside, x0: pos.X * RegionSize, z0: pos.Z * RegionSize}
}

// Pos returns which region it is.
func (rb *regionBlocks) Pos() RegionPos { return rb.pos }

// SetColumn puts a column of the region in its place. The area owns it now.
func (rb *regionBlocks) SetColumn(c *Column) {
	i := c.Pos.Index()
	rb.columns[i], rb.frozen[i], rb.later[i] = c, nil, nil
}

// SetLater says that the column with an index (ColumnPos.Index) is what make returns, which
// is called when somebody looks at the column, once. Nil: it is not there after all.
func (rb *regionBlocks) SetLater(i int, make func() *Column) {
	rb.columns[i], rb.frozen[i], rb.later[i] = nil, nil, make
}

// IsLater reports whether nobody has looked at a column that was set with SetLater.
func (rb *regionBlocks) IsLater(i int) bool { return rb.later[i] != nil }

// Column returns the column with an index (ColumnPos.Index) to look at, nil if
// it is not there. The next Tick may change it: see Share.
func (rb *regionBlocks) Column(i int) *Column {
	if make := rb.later[i]; make != nil {
		rb.later[i] = nil
		rb.columns[i] = make()
	}
	return rb.columns[i]
}

// Share returns the column with an index as it is now, frozen: it is never
// written to, and is the same pointer until a block changes. Nil if the column
// is not there.
func (rb *regionBlocks) Share(i int) *Column {
	if c := rb.Column(i); rb.frozen[i] == nil && c != nil {
		rb.frozen[i] = c.Clone()
	}
	return rb.frozen[i]
}

// Ready reports whether all columns are there.
func (rb *regionBlocks) Ready() bool {
	for i, c := range rb.columns {
		if c == nil && !rb.IsLater(i) {
			return false
		}
	}
	return true
}

// Block reads a block of the region, or of its surroundings.
func (rb *regionBlocks) Block(p Pos) (Block, bool) {
	dx, dz := p.X-rb.x0, p.Z-rb.z0
	if uint32(dx) >= RegionSize || uint32(dz) >= RegionSize {
		return rb.blockOutside(p)
	}
	i := dx>>ChunkBits | dz>>ChunkBits<<2
	c := rb.columns[i]
	if c == nil {
		c = rb.Column(int(i))
	}
	switch {
	case p.Y < 0:
		return Bedrock, true
	case p.Y >= Height:
		return Air, true
	case c == nil:
		return Air, false
	}
	return c.At(int(dx&(ChunkSize-1)), int(p.Y), int(dz&(ChunkSize-1))), true
}

func (rb *regionBlocks) blockOutside(p Pos) (Block, bool) {
	if rb.outside == nil || !p.InWorld() {
		return edgeBlock(p)
	}
	return rb.outside.Block(p)
}

// owns reports whether p is a block of the region (loaded or not).
func (rb *regionBlocks) owns(p Pos) bool {
	return uint32(p.X-rb.x0) < RegionSize && uint32(p.Z-rb.z0) < RegionSize && uint32(p.Y) < Height
}

// Revert takes back block changes, the last first, because they could not be
// kept. They are not listed in the changes of a tick, and nothing follows from
// them; a block that has become something else since stays.
func (rb *regionBlocks) Revert(changes []BlockChange) {
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		if now, ok := rb.Block(c.At); !ok || now != c.Now || !rb.owns(c.At) {
			continue
		}
		in := c.At.Column().Index()
		rb.columns[in].Set(int(c.At.X&(ChunkSize-1)), int(c.At.Y), int(c.At.Z&(ChunkSize-1)), c.Was)
		rb.frozen[in] = nil
	}
}

// Merge makes block changes that were made to an earlier state of the region, where the
// block is still what it was then. It returns those that were made, and how many are in
// place now. Nothing follows from them, so a container is not removed: something may lie
// in it; nor is a sign.
func (rb *regionBlocks) Merge(changes []BlockChange) (made []BlockChange, inPlace int) {
	for _, c := range changes {
		now, ok := rb.Block(c.At)
		if !ok || !rb.owns(c.At) || now != c.Now && (now != c.Was || Info(now).Stores > 0 || now.IsSign()) {
			continue
		}
		inPlace++
		if now != c.Now {
			in := c.At.Column().Index()
			rb.columns[in].Set(int(c.At.X&(ChunkSize-1)), int(c.At.Y), int(c.At.Z&(ChunkSize-1)), c.Now)
			rb.frozen[in] = nil
			made = append(made, c)
		}
	}
	return made, inPlace
}

// outsideBy reports whether a place is more than a distance outside the region.
func (rb *regionBlocks) outsideBy(p Vec, far fixed.Num) bool {
	x0, z0 := fixed.Int(int(rb.x0)), fixed.Int(int(rb.z0))
	size := fixed.Int(RegionSize)
	return p.X < x0-far || p.X >= x0+size+far || p.Z < z0-far || p.Z >= z0+size+far
}

// edgeBlock is what lies where no column is.
func edgeBlock(p Pos) (Block, bool) {
	switch {
	case p.Y < 0:
		return Bedrock, true
	case p.Y >= Height && p.X > -Limit && p.X < Limit && p.Z > -Limit && p.Z < Limit:
		return Air, true
	}
	return Air, false
}
