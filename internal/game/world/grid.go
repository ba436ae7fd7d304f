package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// gridCell is the edge of a grid cell in blocks, gridSize the number of cells
// along each edge of a region.
const (
	gridBits = 4
	gridCell = 1 << gridBits
	gridSize = RegionSize / gridCell
)

// grid finds players near a place without looking at all of them. Who is
// outside the region is in the cell nearest to it. It is as the players were
// when it was first asked in a tick: who asks allows for what they moved since.
type grid struct {
	tick  uint64
	built bool
	start [gridSize*gridSize + 1]int32
	list  []*Player
}

// grid returns the grid of this tick.
func (es *entities) grid() *grid {
	g := &es.near
	if g.built && g.tick == es.clock.tick {
		return g
	}
	g.built, g.tick = true, es.clock.tick
	g.start = [gridSize*gridSize + 1]int32{}
	for _, p := range es.players {
		g.start[es.cellOf(p.Body.Pos)+1]++
	}
	for i := 1; i < len(g.start); i++ {
		g.start[i] += g.start[i-1]
	}
	if cap(g.list) < len(es.players) {
		g.list = make([]*Player, 0, 2*len(es.players))
	}
	g.list = g.list[:len(es.players)]
	next := g.start
	for _, p := range es.players {
		c := es.cellOf(p.Body.Pos)
		g.list[next[c]] = p
		next[c]++
	}
	return g
}

// forget makes the grid be built anew: players came or went.
func (g *grid) forget() { g.built = false }

func (es *entities) cellOf(v Vec) int {
	return es.cellAt(v.X, es.blocks.x0) + gridSize*es.cellAt(v.Z, es.blocks.z0)
}

func (es *entities) cellAt(v fixed.Num, low int32) int {
	return int(max(0, min(v.Floor()-low, RegionSize-1)) >> gridBits)
}

// nearPlayers calls f for the players who may be within a distance (in metres)
// of a place, in an order that is always the same, until it returns false.
func (es *entities) nearPlayers(at Vec, metres int, f func(*Player) bool) {
	g := es.grid()
	far := fixed.Int(metres + 2) // they may have moved since
	x0, x1 := es.cellAt(at.X-far, es.blocks.x0), es.cellAt(at.X+far, es.blocks.x0)
	for z := es.cellAt(at.Z-far, es.blocks.z0); z <= es.cellAt(at.Z+far, es.blocks.z0); z++ {
		for _, p := range g.list[g.start[z*gridSize+x0]:g.start[z*gridSize+x1+1]] {
			if !f(p) {
				return
			}
		}
	}
}

// nearestPlayer returns the player nearest to a place, within a distance, of
// those that are wanted.
func (es *entities) nearestPlayer(at Vec, metres int, wanted func(*Player) bool) (best *Player) {
	least := fixed.Int(metres)
	least *= least
	es.nearPlayers(at, metres, func(p *Player) bool {
		if d := distance2(at, p.Body.Pos); d <= least && wanted(p) {
			if best == nil || d < least || d == least && p.Entity < best.Entity {
				best, least = p, d
			}
		}
		return true
	})
	return best
}

// distance2 returns the square of the distance of two points, in (1/4096 m)²;
// beyond 100 km it is no longer exact but still large.
func distance2(v, w Vec) fixed.Num {
	const far = 100_000 * fixed.One
	d := v.Sub(w)
	x, y, z := d.X.Clamp(-far, far), d.Y.Clamp(-far, far), d.Z.Clamp(-far, far)
	return x*x + y*y + z*z
}
