package worldlab

import (
	"container/heap"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// How the survivor finds its way: the cheapest one to any block that it wants, through what
// it can break. Costs are in ticks, about.
const (
	stepCost   = 5
	pathLimit  = 80_000 // places that are looked at
	stuckTicks = 60
)

// gather goes to the nearest block of some kinds, breaking what is in the way, and breaks it.
func (s *survivor) gather(want map[world.Block]bool) {
	here := s.p.Body.Pos.Block()
	if s.lost > 0 {
		s.lost--
		s.run(world.Input{Yaw: s.astray, Buttons: world.ButtonForward | world.ButtonJump}, nil)
		return
	}
	if !s.p.Body.OnGround && !s.p.Body.InWater {
		if s.stuck++; len(s.path) > 0 && s.stuck < stuckTicks {
			s.walk(s.path[0]) // on its way up a step
		} else {
			s.stand()
		}
		return
	}
	if at, ok := s.within(here, want); ok {
		s.path = nil
		s.dig(at)
		return
	}
	if len(s.path) == 0 {
		s.stuck = 0
		if s.path = s.find(here, want); len(s.path) == 0 {
			clear(s.avoid)
			s.lost, s.astray = 20+s.rng.Intn(80), uint16(s.rng.Intn(1<<16)) // it goes somewhere else
			s.stand()
			return
		}
	}
	next := s.path[0]
	d := world.SpawnFeet(next).Sub(s.p.Body.Pos)
	if here == next && d.X.Abs() < fixed.One/3 && d.Z.Abs() < fixed.One/3 {
		s.path, s.stuck = s.path[1:], 0
		s.stand()
		return
	}
	if s.stuck++; s.stuck > stuckTicks || max(d.X.Abs(), d.Z.Abs()) > 2*fixed.One || d.Y.Abs() > 3*fixed.One {
		s.path = nil
		s.stand()
		return
	}
	for _, at := range inTheWay(here, next) {
		if b, _ := s.a.Block(at); b.Solid() {
			if s.avoid[at] {
				s.path = nil
				s.stand()
				return
			}
			s.stuck = 0
			s.dig(at)
			return
		}
	}
	s.walk(next)
}

// inTheWay are the blocks that must be free for a step.
func inTheWay(from, to world.Pos) []world.Pos {
	up := to.Next(world.FaceUp)
	switch {
	case to.Y > from.Y:
		return []world.Pos{from.Add(0, 2, 0), up, to}
	case to.Y < from.Y:
		return []world.Pos{up.Next(world.FaceUp), up, to}
	}
	return []world.Pos{up, to}
}

// within returns a block that is wanted beside a place where somebody stands.
func (s *survivor) within(here world.Pos, want map[world.Block]bool) (at world.Pos, ok bool) {
	for _, dy := range []int32{0, 1, 2, 3} {
		for f := world.FaceNorth; f <= world.FaceEast; f++ {
			at := here.Next(f).Add(0, dy, 0)
			if b, _ := s.a.Block(at); want[b] && !s.avoid[at] && s.inside(at) && !s.nearFluid(at) {
				return at, true
			}
		}
	}
	return world.Pos{}, false
}

// inside keeps away from the region's border.
func (s *survivor) inside(p world.Pos) bool {
	x, z := p.X-s.a.Pos().X*world.RegionSize, p.Z-s.a.Pos().Z*world.RegionSize
	return min(x, z) > 1 && max(x, z) < world.RegionSize-2 && p.Y > 3 && p.Y < world.Height-4
}

// nearFluid reports whether water or lava is beside or above a place.
func (s *survivor) nearFluid(p world.Pos) bool {
	for _, f := range []world.Face{world.FaceUp, world.FaceNorth, world.FaceSouth, world.FaceWest, world.FaceEast} {
		if b, _ := s.a.Block(p.Next(f)); b.FluidLevel() > 0 {
			return true
		}
	}
	return false
}

type way struct {
	at   world.Pos
	cost int
}

type ways []way

func (w ways) Len() int           { return len(w) }
func (w ways) Less(i, j int) bool { return w[i].cost < w[j].cost }
func (w ways) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *ways) Push(v any)        { *w = append(*w, v.(way)) }
func (w *ways) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}

// find returns the cheapest way to where a wanted block is beside, by Dijkstra's algorithm.
func (s *survivor) find(from world.Pos, want map[world.Block]bool) []world.Pos {
	open := &ways{{from, 0}}
	came := map[world.Pos]world.Pos{from: from}
	cost := map[world.Pos]int{from: 0}
	for n := 0; open.Len() > 0 && n < pathLimit; n++ {
		w := heap.Pop(open).(way)
		if w.cost > cost[w.at] {
			continue
		}
		if _, ok := s.within(w.at, want); ok && w.at != from {
			var path []world.Pos
			for at := w.at; at != from; at = came[at] {
				path = append(path, at)
			}
			slices.Reverse(path)
			return path
		}
		for f := world.FaceNorth; f <= world.FaceEast; f++ {
			for dy := int32(-1); dy <= 1; dy++ {
				to := w.at.Next(f).Add(0, dy, 0)
				price, ok := s.price(w.at, to)
				if !ok {
					continue
				}
				if was, known := cost[to]; !known || w.cost+price < was {
					cost[to], came[to] = w.cost+price, w.at
					heap.Push(open, way{to, w.cost + price})
				}
			}
		}
	}
	return nil
}

// price is what a step costs; ok is false if it cannot be made.
func (s *survivor) price(from, to world.Pos) (ticks int, ok bool) {
	under, _ := s.a.Block(to.Next(world.FaceDown))
	if !s.inside(to) || !under.Solid() || under == world.Cactus || world.Info(under).Gravity {
		return 0, false
	}
	ticks = stepCost
	for _, at := range inTheWay(from, to) {
		b, _ := s.a.Block(at)
		above, _ := s.a.Block(at.Next(world.FaceUp))
		if b.FluidLevel() > 0 || s.avoid[at] || world.Info(above).Gravity && b.Solid() {
			return 0, false
		}
		if !b.Solid() {
			continue
		}
		need, can := world.DigTicks(b, world.Survival, s.bestFor(b))
		if !can || s.nearFluid(at) {
			return 0, false
		}
		ticks += int(need) + 2
	}
	return ticks, true
}

// bestFor is the fastest tool for a block among what is carried, Air for the hand.
func (s *survivor) bestFor(b world.Block) world.Block {
	best, ticks := world.Air, uint32(1<<31)
	for _, st := range s.p.Items[:world.Carried] {
		if need, ok := world.DigTicks(b, world.Survival, st.Block); ok && st.Count > 0 && need < ticks {
			best, ticks = st.Block, need
		}
	}
	return best
}
