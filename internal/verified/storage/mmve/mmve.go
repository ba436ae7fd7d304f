package mmve

import (
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// World is the world and its rules (storage.Rules). It remembers what it has
// computed, to share it, so that it belongs to one goroutine; what it returns
// does not depend on that.
type World struct {
	cfg     Config
	side    int32
	points  []geom.Point // of interest
	cells   [][]*state.Object
	players map[id.ID]*state.Player
	places  map[id.ID]geom.Point // of characters at t_0

	ahead ahead                                   // what becomes of NPCs that are left alone
	seen  recent.Map[state.Digest, *state.Object] // by content
}

var _ state.Rules = (*World)(nil)

// New returns the world at t_0. Each of the players has a character in it, which
// is inactive.
func New(cfg Config, players []*state.Player) *World {
	cfg = cfg.withDefaults()
	w := &World{
		cfg: cfg, side: cfg.Side * metre,
		players: make(map[id.ID]*state.Player, len(players)), places: make(map[id.ID]geom.Point, len(players)),
	}
	if w.side%cellSide != 0 || w.side <= 0 || w.side > geom.Limit/2 {
		panic(fmt.Sprintf("mmve: a world of %d m a side; want a multiple of 100 below %d", cfg.Side, geom.Limit/2/metre))
	}
	memory := max(1024, 2*(cfg.NPCs+len(players)))
	w.seen = recent.New[state.Digest, *state.Object](memory)
	w.populate(players)
	return w
}

// Points returns the points of interest. They are not to be changed.
func (w *World) Points() []geom.Point { return w.points }

// Place returns where a player's character lies at t_0.
func (w *World) Place(p *state.Player) geom.Point { return w.places[p.ID] }

// Initial returns what is in a cell at t_0 (storage.Rules).
func (w *World) Initial(cell geom.Rect) []*state.Object {
	var out []*state.Object
	row := w.side / cellSide
	low, high := w.inside(cell.Min), w.inside(cell.Max)
	for y := low.Y / cellSide; y <= high.Y/cellSide; y++ {
		for x := low.X / cellSide; x <= high.X/cellSide; x++ {
			for _, o := range w.cells[y*row+x] {
				if cell.Holds(o.Pos) {
					out = append(out, o)
				}
			}
		}
	}
	slices.SortFunc(out, state.ByID)
	return out
}
