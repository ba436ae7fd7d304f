package webmap

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// country is a world of which one region was made, flat, of one block.
type country struct {
	*Map
	now   time.Time
	made  world.RegionPos
	block world.Block
	looks int // times that the region was asked for its blocks
	fails bool
}

func newCountry(t *testing.T, dir string) *country {
	c := &country{now: time.Unix(1e9, 0), block: world.Bricks}
	c.Map = New(Config{
		Made: func(_ context.Context, r world.RegionPos, _ bool) bool { return r == c.made },
		Land: func(context.Context, world.RegionPos) (out []*world.Column, err error) {
			if c.looks++; c.fails {
				return nil, errors.New("its hosts do not answer")
			}
			for i := range world.Columns {
				col := &world.Column{Pos: c.made.Column(i)}
				for x := range world.ChunkSize {
					for z := range world.ChunkSize {
						col.Set(x, 70, z, c.block)
					}
				}
				out = append(out, col)
			}
			return out, nil
		},
		Far: func(r world.RegionPos) terrain.FarTile { return terrain.FarTile{Region: r} },
		Dir: dir, Now: func() time.Time { return c.now },
	})
	return c
}

// pixel is a pixel of a tile.
func (c *country) pixel(t *testing.T, at At, x, z int) (rgb [3]byte) {
	t.Helper()
	tile, err := c.Tile(t.Context(), at)
	if err != nil {
		t.Fatal(at, err)
	}
	p := tile.picture()
	if p == nil {
		t.Fatal(at, "a tile that cannot be read")
	}
	return [3]byte(p.rgb[(z*Size+x)*3:])
}

func colour(b world.Block) (rgb [3]byte) {
	for i := range rgb {
		rgb[i] = byte(int(world.Info(b).Color>>(16-8*i)&255) * (80 + 70/5) / 100)
	}
	return rgb
}

// TestTiles: what was built is shown in all zooms, and new after a while; regions that
// nobody has made are not asked for.
func TestTiles(t *testing.T) {
	c := newCountry(t, t.TempDir())
	bricks, stone := colour(world.Bricks), colour(world.Stone)
	for _, far := range []At{{0, 1, 0}, {0, -9, 7}, {3, -1, -1}} {
		if got := c.pixel(t, far, 0, 0); got == bricks || c.looks > 0 {
			t.Fatalf("%v: %v after %d looks", far, got, c.looks)
		}
	}
	for zoom := range Zooms {
		if got := c.pixel(t, At{Zoom: zoom}, 1, 1); got != bricks {
			t.Errorf("zoom %d: %v, want %v", zoom, got, bricks)
		}
	}
	if got := c.pixel(t, At{Zoom: 1}, Size/2, 1); got == bricks {
		t.Error("the region beside it")
	}
	if c.looks != 1 {
		t.Errorf("%d looks", c.looks)
	}
	before, _ := c.Tile(t.Context(), At{})
	c.block = world.Stone
	if same, _ := c.Tile(t.Context(), At{}); same.ETag != before.ETag {
		t.Error("painted anew at once")
	}
	c.now = c.now.Add(freshFor + time.Second)
	if got := c.pixel(t, At{}, 1, 1); got != stone {
		t.Errorf("after a while: %v", got)
	}
	if after, _ := c.Tile(t.Context(), At{}); after.ETag == before.ETag {
		t.Error("another tile under the same ETag")
	}
	for _, no := range []At{{-1, 0, 0}, {Zooms, 0, 0}, {0, world.Limit / world.RegionSize, 0}, {2, 0, -world.Limit/world.RegionSize/4 - 1}} {
		if _, err := c.Tile(t.Context(), no); !errors.Is(err, ErrNoTile) {
			t.Errorf("%v: %v", no, err)
		}
	}
}

// TestHostsAway: a region whose hosts do not answer is shown as it was, and asked for again.
func TestHostsAway(t *testing.T) {
	c := newCountry(t, t.TempDir())
	c.pixel(t, At{}, 1, 1)
	c.fails, c.block = true, world.Stone
	c.now = c.now.Add(freshFor + time.Second)
	if got := c.pixel(t, At{}, 1, 1); got != colour(world.Bricks) {
		t.Errorf("%v", got)
	}
	c.fails = false
	c.now = c.now.Add(partialFor + time.Second)
	if got := c.pixel(t, At{}, 1, 1); got != colour(world.Stone) {
		t.Errorf("when they are back: %v", got)
	}
}

// TestFolder: tiles are there after a restart, also while nobody answers; damaged files are
// not; and the folder is bounded.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	newCountry(t, dir).pixel(t, At{}, 1, 1)
	again := newCountry(t, dir)
	again.fails = true
	if got := again.pixel(t, At{}, 1, 1); got != colour(world.Bricks) {
		t.Errorf("after a restart: %v", got)
	}
	if err := os.WriteFile(filepath.Join(dir, At{}.file()), []byte("no tile"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := newCountry(t, dir).pixel(t, At{}, 1, 1); got != colour(world.Bricks) {
		t.Errorf("a damaged file: %v", got)
	}
	c := newCache(dir)
	c.max, c.memMax = 1000, 500
	for i := range int32(40) {
		c.put(At{0, i, 0}, &Tile{Deflated: make([]byte, 100), built: true})
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 10 || c.sum > 1000 || c.memory > 500 || len(c.tiles) > 5 {
		t.Errorf("%d files of %d bytes, %d tiles of %d bytes in memory: %v", len(entries), c.sum, len(c.tiles), c.memory, err)
	}
}

// TestCrowd: who would wait for too long is told so, and nobody paints for who has gone.
func TestCrowd(t *testing.T) {
	c := newCountry(t, t.TempDir())
	<-c.brush // somebody paints
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	for i := range int32(maxWaiting) {
		go func() {
			_, err := c.Tile(ctx, At{0, i, 9})
			gone <- err
		}()
	}
	for waiting := 0; waiting < maxWaiting; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		waiting = c.waiting
		c.mu.Unlock()
	}
	if _, err := c.Tile(t.Context(), At{}); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	leave()
	for range maxWaiting {
		if err := <-gone; err == nil {
			t.Error("who has gone has a tile")
		}
	}
	c.brush <- struct{}{}
	if c.pixel(t, At{}, 1, 1) != colour(world.Bricks) {
		t.Error("nothing is painted any more")
	}
}
