// Package foreignworld makes worlds of those of other programs, Minecraft (Anvil, 1.18 and
// later) and ClassiCube, and puts schematics into worlds that nobody runs, or takes them out.
// What the blocks are called is in package foreign.
//
// An import is a world of ours with the columns of the other one; around them our terrain
// grows. Start with Open.
package foreignworld

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/foreign"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// Source is a world of another program.
type Source struct {
	Name     string
	Creative bool
	Spawn    world.Pos // where ours is, with the offset

	dir     string // of region files
	regions []string
	classic *foreign.Classic
	report  foreign.Report
	offset  int
}

// Options say how a world is imported.
type Options struct {
	Terrain  *terrain.Generator // what grows around
	Offset   int                // added to heights
	Progress func(done, of int) // of region files
}

// Result is what an import has done.
type Result struct {
	foreign.Report
	Columns, Unfinished, Damaged int // columns of ours, chunks of the other
	FirstDamage                  error
}

// ErrUnknown: a file is no world that is read here.
var ErrUnknown = errors.New("it is no world of Minecraft (a folder with level.dat, or region files) and none of ClassiCube (.cw)")

// maxFile bounds a file that is read whole.
const maxFile = 64 << 20

// Known reports whether a path looks like a world of another program.
func Known(path string) bool {
	if i, err := os.Stat(path); err == nil && i.IsDir() {
		return true
	}
	return strings.EqualFold(filepath.Ext(path), ".cw")
}

// Open looks at a world. The offset is added to its heights.
func Open(path string, offset int) (*Source, error) {
	s := &Source{offset: offset, Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	if strings.EqualFold(filepath.Ext(path), ".cw") {
		return s, s.openClassic(path)
	}
	return s, s.openAnvil(path)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s: it has more than %d MB", path, maxFile>>20)
	}
	return b, err
}

func (s *Source) openClassic(path string) error {
	b, err := readFile(path)
	if err == nil {
		s.classic, err = foreign.DecodeClassic(b, &s.report)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	at := s.classic.Spawn
	s.Spawn = s.place(at.X, at.Y, at.Z)
	return nil
}

// place is where a block lies in our world, as near as there is one.
func (s *Source) place(x, y, z int) world.Pos {
	in := func(n, lo, hi int) int32 { return int32(max(lo, min(n, hi))) }
	edge := int(world.Limit) - 2
	return world.Pos{X: in(x, -edge, edge), Y: in(y+s.offset, 1, world.Height-2), Z: in(z, -edge, edge)}
}

func (s *Source) openAnvil(dir string) error {
	s.dir = dir
	if i, err := os.Stat(filepath.Join(dir, "region")); err == nil && i.IsDir() {
		s.dir = filepath.Join(dir, "region")
	}
	var err error
	if s.regions, err = filepath.Glob(filepath.Join(s.dir, "r.*.*.mca")); err != nil || len(s.regions) == 0 {
		return fmt.Errorf("%s: %w", dir, ErrUnknown)
	}
	level, err := readFile(filepath.Join(dir, "level.dat"))
	if errors.Is(err, os.ErrNotExist) {
		return nil // region files alone
	}
	if err == nil {
		level, err = nbt.Inflate(level, maxFile)
	}
	var c nbt.Compound
	if err == nil {
		c, err = nbt.Decode(level)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, "level.dat"), err)
	}
	data := c.Of("Data")
	s.Creative = data.Int("GameType") == 1
	s.Spawn = s.place(data.Int("SpawnX"), data.Int("SpawnY"), data.Int("SpawnZ"))
	return nil
}

// Import puts the columns of the world into spaces of ours. It ends early with the context.
func (s *Source) Import(ctx context.Context, o Options, put func(space string, key, value []byte) error) (r Result, err error) {
	r.Report = s.report
	w := &writer{o: o, offset: s.offset, result: &r, put: put}
	if s.classic != nil {
		return r, w.classic(ctx, s.classic)
	}
	for i, file := range s.regions {
		if o.Progress != nil {
			o.Progress(i, len(s.regions))
		}
		if err := w.anvil(ctx, file); err != nil {
			return r, err
		}
	}
	if r.Columns == 0 {
		return r, fmt.Errorf("%s: nothing could be imported: %w", s.dir, errors.Join(ErrUnknown, r.FirstDamage))
	}
	return r, nil
}

// writer puts columns into a store.
type writer struct {
	o      Options
	offset int
	result *Result
	put    func(space string, key, value []byte) error
}

// column writes a column, with bedrock at the bottom of the world.
func (w *writer) column(c *world.Column) error {
	for x := range world.ChunkSize {
		for z := range world.ChunkSize {
			c.Set(x, 0, z, world.Bedrock)
		}
	}
	c.Compact()
	w.result.Columns++
	for _, kv := range region.StoredColumn(c) {
		if err := w.put(region.Space(c.Pos.Region()), kv.Key, kv.Value); err != nil {
			return err
		}
	}
	return nil
}

// classic writes a world of ClassiCube, with its lowest north-western corner at 0, 0; below
// it is stone.
func (w *writer) classic(ctx context.Context, s *foreign.Classic) error {
	const side = world.ChunkSize
	for cx := range (s.Box.X + side - 1) / side {
		if w.o.Progress != nil {
			w.o.Progress(cx, (s.Box.X+side-1)/side)
		}
		for cz := range (s.Box.Z + side - 1) / side {
			if err := ctx.Err(); err != nil {
				return err
			}
			c := w.o.Terrain.Column(world.ColumnPos{X: int32(cx), Z: int32(cz)})
			for x := range min(side, s.Box.X-cx*side) {
				for z := range min(side, s.Box.Z-cz*side) {
					w.pile(c, x, z, s, cx*side+x, cz*side+z)
				}
			}
			if err := w.column(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// pile writes the blocks above each other at one place.
func (w *writer) pile(c *world.Column, x, z int, s *foreign.Classic, fromX, fromZ int) {
	for y := range world.Height {
		b := world.Air
		switch from := y - w.offset; {
		case from < 0:
			b = world.Stone
		case from < s.Box.Y:
			b = s.Box.Blocks[s.Box.Index(fromX, from, fromZ)]
		}
		c.Set(x, y, z, b)
	}
	for from := range s.Box.Y {
		if y := from + w.offset; y < 0 || y >= world.Height {
			if s.Box.Blocks[s.Box.Index(fromX, from, fromZ)] != world.Air {
				w.result.Outside++
			}
		}
	}
}
