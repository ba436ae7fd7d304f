package voxelrules

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// TickTime is the length of a tick.
const TickTime = 50 * time.Millisecond

// TickAt returns the last tick that has begun at a time.
func TickAt(at machine.Time) uint64 { return uint64(at / machine.Time(TickTime)) }

// Config is a world.
type Config struct {
	Seed    uint64
	Regions int32 // the world is a square of so many regions a side, even, around the origin
	Mobs    int   // in a region at most
	Peace   bool  // players cannot hurt each other
	Mode    world.Mode
	Zones   []world.Zone // where nobody builds
	Terrain Terrain      // nil: that of the seed
	Columns int          // of untouched terrain that are remembered; 0: wildKept
}

// Terrain is the world that nobody has touched. What it returns is not written
// to.
type Terrain interface {
	Column(world.ColumnPos) *world.Column
	Surface(x, z int32) int // y of the highest block of the ground
}

// maxRegions keeps places within the geometry's limit.
const maxRegions = geom.Limit / cellSide

// Rules are the rules of a voxel world (storage.Rules).
type Rules struct {
	cfg     Config
	columns *columnCache
	runs    recent.Map[state.Digest, []done]
	objects recent.Map[state.Digest, *state.Object]
	known   recent.Map[state.Digest, *state.Player]

	spawns  map[world.RegionPos]world.Pos
	nothing []byte // what an Area without anything says of the rest
	scratch []byte
}

var _ state.Rules = (*Rules)(nil)

// New returns the rules of a world.
func New(cfg Config) *Rules {
	if cfg.Regions < 2 || cfg.Regions%2 != 0 || cfg.Regions >= maxRegions {
		panic(fmt.Sprintf("voxelrules: a world of %d regions a side; want an even number from 2 to %d", cfg.Regions, maxRegions-1))
	}
	if cfg.Terrain == nil {
		cfg.Terrain = terrain.New(cfg.Seed)
	}
	r := &Rules{cfg: cfg, columns: newLands(cfg.Terrain, cfg.Columns), spawns: map[world.RegionPos]world.Pos{}}
	r.nothing = world.NewArea(world.AreaConfig{}, world.RegionPos{}, nil).AppendRest(nil)
	r.runs = recent.New[state.Digest, []done](1 << 13)
	r.objects = recent.New[state.Digest, *state.Object](1 << 16)
	r.known = recent.New[state.Digest, *state.Player](1 << 14)
	return r
}

// Initial returns what differs from the terrain at t_0: nothing (storage.Rules).
func (r *Rules) Initial(geom.Rect) []*state.Object { return nil }

// Activate returns the version of a character that takes part in the next step
// (storage.Rules). A newcomer begins at the place it has been given.
func (r *Rules) Activate(p *state.Player, place geom.Point, o *state.Object) *state.Object {
	if o == nil {
		c := &character{coming: newcomer, body: world.NewPlayer(p.ID, p.ID.String()[:12], r.cfg.Mode, r.ground(place))}
		return r.newCharacter(p, false, c)
	}
	old, ok := o.State.(*character)
	if !ok || !o.Static {
		return nil
	}
	return r.newCharacter(p, false, &character{coming: waking, body: old.body})
}

// Prepare makes the terrain around the origin, some number of columns, so that
// the first replays need not.
func (r *Rules) Prepare(columns int) {
	for ring := int32(1); ring <= r.cfg.Regions/2; ring++ {
		for z := -ring; z < ring; z++ {
			for x := -ring; x < ring; x++ {
				if z != -ring && z != ring-1 && x != -ring && x != ring-1 {
					continue // of a ring before
				}
				if columns -= world.Columns; columns < 0 {
					return
				}
				for i := range world.Columns {
					r.columns.untouched(world.RegionPos{X: x, Z: z}.Column(i))
				}
			}
		}
	}
}
