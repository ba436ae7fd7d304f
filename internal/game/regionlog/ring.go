package regionlog

import "github.com/voxelpopuli/voxelpopuli/internal/game/world"

// Ring is the ring of columns around a region, as its neighbours tell: what bodies,
// water and mobs see past the border. It implements world.Blocks.
type Ring struct {
	pos     world.RegionPos
	columns map[world.ColumnPos]*world.Column
	shared  map[world.ColumnPos]bool // frozen: copy before writing
	hashes  map[world.ColumnPos][32]byte

	ground *groundColumns // makes columns that have only a hash (putGround)
}

// NewRing returns the ring of a region, without columns.
func NewRing(pos world.RegionPos) *Ring {
	return &Ring{
		pos: pos, columns: map[world.ColumnPos]*world.Column{}, shared: map[world.ColumnPos]bool{},
		hashes: map[world.ColumnPos][32]byte{},
	}
}

// Block implements world.Blocks.
func (r *Ring) Block(p world.Pos) (world.Block, bool) {
	switch {
	case p.Y < 0:
		return world.Bedrock, true
	case p.Y >= world.Height:
		return world.Air, true
	}
	c := r.at(p.Column())
	if c == nil {
		return world.Air, false
	}
	return c.At(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1))), true
}

// InRing reports whether a column lies next to a region.
func InRing(pos world.RegionPos, c world.ColumnPos) bool {
	low := pos.Column(0)
	dx, dz := c.X-low.X+1, c.Z-low.Z+1
	const side = world.RegionCols + 2
	return uint32(dx) < side && uint32(dz) < side && c.Region() != pos
}

// Len is how many columns of the ring are there.
func (r *Ring) Len() int { return len(r.columns) }

// put takes a column, which is frozen; false: it is not of the ring.
func (r *Ring) put(c *world.Column) bool {
	if c == nil || !InRing(r.pos, c.Pos) {
		return false
	}
	r.columns[c.Pos], r.shared[c.Pos] = c, true
	delete(r.hashes, c.Pos)
	return true
}

// putGround notes that a column is the ground, by the hash that it must have then; false:
// it is not of the ring.
func (r *Ring) putGround(pos world.ColumnPos, hash [32]byte, ground *groundColumns) bool {
	if !InRing(r.pos, pos) {
		return false
	}
	delete(r.columns, pos)
	r.hashes[pos], r.ground = hash, ground
	return true
}

// at returns a column; nil: it is not there.
func (r *Ring) at(pos world.ColumnPos) *world.Column {
	if c := r.columns[pos]; c != nil || r.ground == nil {
		return c
	}
	hash, ok := r.hashes[pos]
	if !ok {
		return nil
	}
	c := r.ground.column(pos, hash)
	if c != nil {
		r.columns[pos], r.shared[pos] = c, true
	}
	return c
}

// change changes a block, if its column is there.
func (r *Ring) change(p world.Pos, b world.Block) {
	pos := p.Column()
	c := r.at(pos)
	if c == nil || !p.InWorld() || !b.Known() {
		return
	}
	if r.shared[pos] {
		c = c.Clone()
		r.columns[pos], r.shared[pos] = c, false
	}
	c.Set(int(p.X&(world.ChunkSize-1)), int(p.Y), int(p.Z&(world.ChunkSize-1)), b)
	delete(r.hashes, pos)
}

func (r *Ring) clear() {
	clear(r.columns)
	clear(r.shared)
	clear(r.hashes)
}

// sides calls do for the places of the ring, in a fixed order.
func (r *Ring) sides(do func(world.ColumnPos)) {
	low := r.pos.Column(0)
	for dz := int32(-1); dz <= world.RegionCols; dz++ {
		for dx := int32(-1); dx <= world.RegionCols; dx++ {
			if c := (world.ColumnPos{X: low.X + dx, Z: low.Z + dz}); InRing(r.pos, c) {
				do(c)
			}
		}
	}
}

// share returns the columns that are there as they are now: frozen.
func (r *Ring) share() (out []*world.Column) {
	r.sides(func(pos world.ColumnPos) {
		if c := r.at(pos); c != nil {
			r.shared[pos] = true
			out = append(out, c)
		}
	})
	return out
}
