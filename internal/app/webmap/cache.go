package webmap

import (
	"cmp"
	"container/list"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

const (
	// maxMemory bounds the tiles in memory, maxFiles those in the folder, in bytes.
	maxMemory = 24 << 20
	maxFiles  = 96 << 20
)

// cache keeps tiles: those asked for last in memory, and what was built in a folder, so
// that a node that is started again shows it at once.
type cache struct {
	dir    string
	memMax int
	max    int

	mu     sync.Mutex
	tiles  map[At]*list.Element // of *kept
	used   list.List            // front: asked for last
	memory int
	files  map[string]int // sizes by name
	sum    int
}

type kept struct {
	at   At
	tile *Tile
}

func newCache(dir string) *cache {
	c := &cache{dir: dir, memMax: maxMemory, max: maxFiles, tiles: map[At]*list.Element{}, files: map[string]int{}}
	if os.MkdirAll(dir, 0o700) != nil {
		c.dir = "" // memory alone
		return c
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			c.files[e.Name()] = int(info.Size())
			c.sum += int(info.Size())
		}
	}
	return c
}

func (a At) file() string { return fmt.Sprintf("%d.%d.%d", a.Zoom, a.X, a.Z) }

// get returns a tile, however old; nil: there is none.
func (c *cache) get(at At) *Tile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.tiles[at]; e != nil {
		c.used.MoveToFront(e)
		return e.Value.(*kept).tile
	}
	if c.files[at.file()] == 0 {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(c.dir, at.file()))
	t := &Tile{Deflated: b, built: true, ETag: `"` + at.file() + `-old"`}
	if err != nil || len(b) > Size*Size*4 || t.picture() == nil {
		c.remove(at.file())
		return nil
	}
	c.remember(at, t) // until is zero: it is painted anew when there is time
	return t
}

// put keeps a tile.
func (c *cache) put(at At, t *Tile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.tiles[at]; e != nil {
		c.forget(e)
	}
	c.remember(at, t)
	if !t.built || c.dir == "" || files.Write(filepath.Join(c.dir, at.file()), t.Deflated, 0o600) != nil {
		return // the disk may be full: the world needs it more
	}
	c.sum += len(t.Deflated) - c.files[at.file()]
	c.files[at.file()] = len(t.Deflated)
	if c.sum > c.max {
		c.sweep()
	}
}

func (c *cache) remember(at At, t *Tile) {
	c.tiles[at] = c.used.PushFront(&kept{at, t})
	for c.memory += len(t.Deflated); c.memory > c.memMax; {
		c.forget(c.used.Back())
	}
}

func (c *cache) forget(e *list.Element) {
	k := e.Value.(*kept)
	c.used.Remove(e)
	delete(c.tiles, k.at)
	c.memory -= len(k.tile.Deflated)
}

func (c *cache) remove(name string) {
	if os.Remove(filepath.Join(c.dir, name)) == nil {
		c.sum -= c.files[name]
		delete(c.files, name)
	}
}

// sweep removes the files that were written first, a quarter of what there may be.
func (c *cache) sweep() {
	type file struct {
		name string
		at   int64
	}
	var all []file
	for name := range c.files { // sorted below
		f := file{name: name}
		if info, err := os.Stat(filepath.Join(c.dir, name)); err == nil {
			f.at = info.ModTime().UnixNano()
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b file) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.name, b.name)) })
	for _, f := range all {
		if c.sum <= c.max*3/4 {
			return
		}
		c.remove(f.name)
	}
}
