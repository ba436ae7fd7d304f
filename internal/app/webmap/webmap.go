// Package webmap paints the world from above for people who are not in it: tiles in several
// zooms, from the blocks of regions that somebody has been in, and from the generator
// elsewhere. It wakes no region that nobody has made, paints one tile at a time, and keeps
// what it has painted in memory and in a folder, both bounded. Start with Map.Tile.
package webmap

import (
	"context"
	"errors"
	"hash/fnv"
	"strconv"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// Zooms is how many zooms there are. A tile of zoom 0 is a region, a pixel for each metre;
// each further one shows twice as much along each edge.
const Zooms = 5

const (
	// maxWaiting is how many may wait for tiles to be painted.
	maxWaiting = 24
	// freshFor is how long a tile is shown without looking again, partialFor one of which a
	// part was not looked at.
	freshFor   = 90 * time.Second
	partialFor = 5 * time.Second
	// maxLooks is how many regions are asked for their blocks for one tile.
	maxLooks = 6
	lookTime = 10 * time.Second
)

var (
	// ErrNoTile is for tiles that there are none of.
	ErrNoTile = errors.New("there is no such tile")
	// ErrBusy is for who would have to wait for too long.
	ErrBusy = errors.New("too many tiles are waited for")
)

// Config says where the map's land comes from.
type Config struct {
	// Made reports whether a region was ever made; ask: also whether other nodes have it,
	// which takes longer.
	Made func(ctx context.Context, r world.RegionPos, ask bool) bool
	// Land returns the columns of such a region.
	Land func(ctx context.Context, r world.RegionPos) ([]*world.Column, error)
	// Far returns any other as it would be made.
	Far func(r world.RegionPos) terrain.FarTile
	Dir string // where tiles are kept
	Now func() time.Time
}

// At names a tile: 2^Zoom regions lie along its edge.
type At struct {
	Zoom int
	X, Z int32
}

// Exists reports whether any of the tile lies in the world.
func (a At) Exists() bool {
	const edge = world.Limit / world.RegionSize
	return a.Zoom >= 0 && a.Zoom < Zooms && a.X >= -edge>>a.Zoom && a.X < edge>>a.Zoom && a.Z >= -edge>>a.Zoom && a.Z < edge>>a.Zoom
}

// Tile is a painted tile: Size×Size pixels of red, green and blue, deflated (RFC 1951).
type Tile struct {
	Deflated []byte
	ETag     string
	until    time.Time // it is painted anew
	built    bool      // shows what no generator makes
}

// Map paints tiles. It is safe for concurrent use.
type Map struct {
	cfg   Config
	cache *cache
	brush chan struct{} // who has it paints

	mu      sync.Mutex
	waiting int
}

// New returns a map; its folder is made if need be.
func New(cfg Config) *Map {
	m := &Map{cfg: cfg, cache: newCache(cfg.Dir), brush: make(chan struct{}, 1)}
	m.brush <- struct{}{}
	return m
}

// Tile returns a tile, which it paints if there is none that is new enough.
func (m *Map) Tile(ctx context.Context, at At) (*Tile, error) {
	if !at.Exists() {
		return nil, ErrNoTile
	}
	old := m.cache.get(at)
	if old != nil && m.cfg.Now().Before(old.until) {
		return old, nil
	}
	if !m.wait(ctx) {
		if old != nil {
			return old, nil
		}
		return nil, ErrBusy
	}
	began := m.cfg.Now()
	defer func() { // who paints rests for as long: the node has other things to do
		time.AfterFunc(m.cfg.Now().Sub(began), func() { m.brush <- struct{}{} })
	}()
	if t := m.cache.get(at); t != nil && m.cfg.Now().Before(t.until) {
		return t, nil // somebody else has waited for it too
	}
	p := painter{m: m, ctx: ctx, looks: maxLooks}
	pic := p.paint(at)
	return m.keep(at, pic), ctx.Err()
}

// wait waits for the brush; false: too many do, or nobody waits for the tile any more.
func (m *Map) wait(ctx context.Context) bool {
	m.mu.Lock()
	full := m.waiting >= maxWaiting
	if !full {
		m.waiting++
	}
	m.mu.Unlock()
	if full {
		return false
	}
	defer func() {
		m.mu.Lock()
		m.waiting--
		m.mu.Unlock()
	}()
	select {
	case <-m.brush:
		return true
	case <-ctx.Done():
		return false
	}
}

// keep keeps what was painted.
func (m *Map) keep(at At, pic *picture) *Tile {
	d := freshFor
	if pic.partial {
		d = partialFor
	}
	h := fnv.New64a()
	h.Write(pic.rgb[:])
	t := &Tile{Deflated: pic.compress(), ETag: `"` + strconv.FormatUint(h.Sum64(), 36) + `"`, until: m.cfg.Now().Add(d), built: pic.built}
	m.cache.put(at, t)
	return t
}
