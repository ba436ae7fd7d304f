package voxelrules

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// columns are columns as they were made and as players have changed them. What
// they return is frozen.
type columnCache struct {
	gen   Terrain
	wild  recent.Map[world.ColumnPos, *world.Column] // as generated
	built recent.Map[builtKey, *world.Column]
}

// builtKey names a column by the differences of its chunks.
type builtKey struct {
	pos  world.ColumnPos
	hash [2]uint64
}

// Columns kept in memory, in each of two generations; one takes some 50 KB.
const (
	wildKept  = 1 << 13
	builtKept = 1 << 11
)

func newLands(gen Terrain, kept int) *columnCache {
	if kept == 0 {
		kept = wildKept
	}
	return &columnCache{
		gen:   gen,
		wild:  recent.New[world.ColumnPos, *world.Column](kept),
		built: recent.New[builtKey, *world.Column](builtKept),
	}
}

// untouched returns a column as it was generated.
func (l *columnCache) untouched(pos world.ColumnPos) *world.Column {
	c, ok := l.wild.Get(pos)
	if !ok {
		c = l.gen.Column(pos).Clone()
		l.wild.Put(pos, c)
	}
	return c
}

// column returns a column with the differences of its chunks.
func (l *columnCache) column(pos world.ColumnPos, chunks []*state.Object) *world.Column {
	if len(chunks) == 0 {
		return l.untouched(pos)
	}
	k := builtKey{pos, hashOf(chunks)}
	if c, ok := l.built.Get(k); ok {
		return c
	}
	c := l.untouched(pos).Clone()
	for _, o := range chunks {
		d := o.State.(*difference)
		for _, b := range d.blocks {
			c.Chunks[d.y].Set(int(b.at&31), int(b.at>>10), int(b.at>>5&31), b.is)
		}
	}
	c = c.Clone()
	l.built.Put(k, c)
	return c
}

// hashOf names differences of a column's chunks; those of none are zero.
func hashOf(chunks []*state.Object) (hash [2]uint64) {
	for _, o := range chunks {
		for i := range hash {
			hash[i] = rng.Hash(hash[i], uint64(i), uint64(o.ID), hash8(o.Digest[8*i:]))
		}
	}
	return hash
}

func hash8(b []byte) uint64 {
	var v uint64
	for i := range 8 {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

// difference is how a chunk differs from the terrain. Frozen.
type difference struct {
	pos    world.ColumnPos
	y      uint8 // which chunk of the column
	blocks []changed
}

// changed is a block that is not what was generated: at y<<10 | z<<5 | x within
// the chunk.
type changed struct {
	at uint16
	is world.Block
}

// chunkAt is a chunk of the world.
type chunkAt struct {
	pos world.ColumnPos
	y   uint8
}

// indexIn returns the chunk that holds a block, and where in it.
func indexIn(p world.Pos) (chunkAt, uint16) {
	return chunkAt{p.Column(), uint8(p.Y >> world.ChunkBits)}, uint16(p.Y&31<<10 | p.Z&31<<5 | p.X&31)
}

// differ returns the difference of a chunk after some of its blocks were
// written to: as it was, except at the places in touched (ascending), where now
// is looked at. Nil if nothing differs.
func (l *columnCache) differ(at chunkAt, before *difference, touched []uint16, now *world.Column) *difference {
	wild := &l.untouched(at.pos).Chunks[at.y]
	d := &difference{pos: at.pos, y: at.y}
	var old []changed
	if before != nil {
		old = before.blocks
	}
	for _, i := range touched {
		n, found := slices.BinarySearchFunc(old, i, func(c changed, i uint16) int { return int(c.at) - int(i) })
		d.blocks = append(d.blocks, old[:n]...)
		if found {
			n++
		}
		old = old[n:]
		x, y, z := int(i&31), int(i>>10), int(i>>5&31)
		if b := now.Chunks[at.y].At(x, y, z); b != wild.At(x, y, z) {
			d.blocks = append(d.blocks, changed{i, b})
		}
	}
	d.blocks = append(d.blocks, old...)
	if len(d.blocks) == 0 {
		return nil
	}
	return d
}
