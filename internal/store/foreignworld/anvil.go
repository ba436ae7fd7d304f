package foreignworld

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/foreign"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Region files (minecraft.wiki, "Region file format"): 32 × 32 chunks, a table of where
// each begins in sectors of 4096 bytes, and each with its length and how it is packed.

const (
	sector    = 4096
	perRegion = 32 // chunks along a side
	ofColumn  = world.ChunkSize / 16
	external  = 128 // a bit: the chunk is in a file of its own
	maxChunk  = 256 * sector
)

// regionFile is one of them that is open.
type regionFile struct {
	f     *os.File
	x, z  int // in regions
	table [sector]byte
}

func openRegion(path string) (*regionFile, error) {
	r := &regionFile{}
	if n, err := fmt.Sscanf(filepath.Base(path), "r.%d.%d.mca", &r.x, &r.z); n != 2 || err != nil {
		return nil, fmt.Errorf("%s: its name does not say where it lies", path)
	}
	var err error
	if r.f, err = os.Open(path); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(r.f, r.table[:]); err != nil {
		clear(r.table[:]) // an empty file has no chunks
	}
	return r, nil
}

// chunk reads a chunk, nil if there is none.
func (r *regionFile) chunk(x, z int) ([]byte, error) {
	e := binary.BigEndian.Uint32(r.table[4*(z*perRegion+x):])
	if e == 0 {
		return nil, nil
	}
	var head [5]byte
	at := int64(e>>8) * sector
	if _, err := r.f.ReadAt(head[:], at); err != nil {
		return nil, fmt.Errorf("the chunk %d, %d lies outside of its file", x, z)
	}
	n := int(binary.BigEndian.Uint32(head[:])) - 1
	kind := head[4]
	if kind&external != 0 {
		name := fmt.Sprintf("c.%d.%d.mcc", r.x*perRegion+x, r.z*perRegion+z)
		b, err := readFile(filepath.Join(filepath.Dir(r.f.Name()), name))
		return b, unpackable(kind&^external, err)
	}
	if n <= 0 || n > maxChunk {
		return nil, fmt.Errorf("the chunk %d, %d has %d bytes", x, z, n)
	}
	b := make([]byte, n)
	if _, err := r.f.ReadAt(b, at+5); err != nil {
		return nil, fmt.Errorf("the chunk %d, %d is cut off", x, z)
	}
	if kind == packedLZ4 {
		return nbt.InflateLZ4(b, maxFile)
	}
	return b, unpackable(kind, nil)
}

// How chunks are packed.
const (
	packedGzip = iota + 1
	packedZlib
	packedNot
	packedLZ4
)

func unpackable(kind byte, err error) error {
	if err == nil && (kind < packedGzip || kind > packedNot) {
		err = fmt.Errorf("a chunk is packed in a way (%d) that is not read here", kind)
	}
	return err
}

// anvil writes what is in a region file.
func (w *writer) anvil(ctx context.Context, path string) error {
	r, err := openRegion(path)
	if err != nil {
		w.damaged(err)
		return nil
	}
	defer r.f.Close()
	if far := int(world.Limit) / (perRegion * 16); max(r.x, -r.x, r.z, -r.z) >= far {
		w.damaged(fmt.Errorf("%s lies outside of our world", path))
		return nil
	}
	for x := 0; x < perRegion; x += ofColumn {
		for z := 0; z < perRegion; z += ofColumn {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := w.columnOf(r, x, z); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) damaged(err error) {
	w.result.Damaged++
	if w.result.FirstDamage == nil {
		w.result.FirstDamage = err
	}
}

// columnOf writes the column whose first chunk is named, if it has any.
func (w *writer) columnOf(r *regionFile, x, z int) error {
	var chunks [ofColumn * ofColumn]*foreign.Chunk
	found := 0
	for i := range chunks {
		if chunks[i] = w.chunk(r, x+i%ofColumn, z+i/ofColumn); chunks[i] != nil {
			found++
		}
	}
	if found == 0 {
		return nil
	}
	c := &world.Column{Pos: world.ColumnPos{X: int32((r.x*perRegion + x) / ofColumn), Z: int32((r.z*perRegion + z) / ofColumn)}}
	if found < len(chunks) {
		c = w.o.Terrain.Column(c.Pos)
	}
	w.merge(c, &chunks)
	if err := w.column(c); err != nil {
		return err
	}
	return w.signs(c, &chunks)
}

// signs writes what stands on the signs of a column that have come with it.
func (w *writer) signs(c *world.Column, chunks *[ofColumn * ofColumn]*foreign.Chunk) error {
	n := 0
	for _, k := range chunks {
		if k == nil {
			continue
		}
		for _, s := range k.Signs {
			at := world.Pos{X: int32(s.At.X), Y: int32(s.At.Y + w.offset), Z: int32(s.At.Z)}
			if !at.InWorld() || at.Column() != c.Pos || n == world.MaxTexts || !c.At(int(at.X&(world.ChunkSize-1)), int(at.Y), int(at.Z&(world.ChunkSize-1))).IsSign() {
				continue
			}
			n++
			kv := region.StoredContainer(&world.Container{At: at, Text: s.Text})
			if err := w.put(region.Space(c.Pos.Region()), kv.Key, kv.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunk reads a chunk; what is wrong with it is noted.
func (w *writer) chunk(r *regionFile, x, z int) *foreign.Chunk {
	b, err := r.chunk(x, z)
	if b == nil && err == nil {
		return nil
	}
	var c *foreign.Chunk
	if err == nil {
		c, err = foreign.DecodeChunk(b, &w.result.Report)
	}
	switch {
	case foreign.Unfinished(err):
		w.result.Unfinished++
		return nil
	case err == nil && (c.X != r.x*perRegion+x || c.Z != r.z*perRegion+z):
		err = fmt.Errorf("a chunk says that it lies at %d, %d", c.X, c.Z)
	}
	if err != nil {
		w.damaged(fmt.Errorf("%s: %w", filepath.Base(r.f.Name()), err))
		return nil
	}
	return c
}

// merge puts chunks into a column.
func (w *writer) merge(c *world.Column, chunks *[ofColumn * ofColumn]*foreign.Chunk) {
	var dense [world.ColumnLen]world.Dense
	for i := range dense {
		c.Chunks[i].Unpack(&dense[i])
	}
	const side = world.ChunkSize
	at := func(x, y, z int) *world.Block { return &dense[y/side][(y%side*side+z)*side+x] }
	for i, k := range chunks {
		if k == nil {
			continue
		}
		x0, z0 := i%ofColumn*16, i/ofColumn*16
		for y := range world.Height {
			for z := range 16 {
				clear(dense[y/side][(y%side*side+z0+z)*side+x0:][:16])
			}
		}
		for _, s := range k.Sections {
			for n, b := range s.Blocks {
				y := s.Y + w.offset + n>>8
				switch {
				case b == world.Air:
				case y < 0 || y >= world.Height:
					w.result.Outside++
				default:
					*at(x0+n&15, y, z0+n>>4&15) = b
				}
			}
		}
	}
	for i := range dense {
		c.Chunks[i] = world.PackChunk(&dense[i])
	}
}
