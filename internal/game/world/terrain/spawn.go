package terrain

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// spawnReach is how far from the origin, in regions, a place to begin is looked
// for.
const spawnReach = 6

// Spawn returns where newcomers stand: the block of their feet, in a dry, open
// and safe place, fairly flat, with mountains or water in sight if the world
// has any near its origin. It takes some milliseconds: ask once and keep the answer.
func (g *Generator) Spawn() world.Pos {
	return g.SpawnWithin(func(world.RegionPos) bool { return true })
}

// SpawnWithin is Spawn where newcomers may only begin in some regions, of which
// the one at the origin is one.
func (g *Generator) SpawnWithin(allowed func(world.RegionPos) bool) world.Pos {
	best, bestScore := world.RegionPos{}, fixed.Num(-1<<40)
	for _, r := range aroundOrigin(spawnReach) {
		if !allowed(r) {
			continue
		}
		if s := g.prospect(r); s > bestScore {
			best, bestScore = r, s
		}
	}
	if p, ok := g.clearing(best, world.Grass); ok {
		return p
	}
	for _, r := range aroundOrigin(4 * spawnReach) {
		if !allowed(r) {
			continue
		}
		if p, ok := g.clearing(r, world.Grass, world.SnowyGrass, world.Sand); ok {
			return p
		}
	}
	return world.Pos{Y: int32(g.Surface(0, 0)) + 1} // a world without dry land
}

// aroundOrigin lists the regions within reach of the origin, nearest first.
func aroundOrigin(reach int32) []world.RegionPos {
	var all []world.RegionPos
	for ring := range reach + 1 {
		for z := -ring; z <= ring; z++ {
			for x := -ring; x <= ring; x++ {
				if max(x, -x, z, -z) == ring {
					all = append(all, world.RegionPos{X: x, Z: z})
				}
			}
		}
	}
	return all
}

// prospect scores a region as a place to begin: level meadow or wood's edge in
// its middle, relief and water around, not far from the origin.
func (g *Generator) prospect(r world.RegionPos) fixed.Num {
	x, z := r.X*world.RegionSize+world.RegionSize/2, r.Z*world.RegionSize+world.RegionSize/2
	here := g.site(x, z)
	if b := here.biome(); b != Plains && b != Forest && b != BirchWoods || here.height < metres(SeaLevel+2) {
		return -metres(10000)
	}
	highest, water := here.height, fixed.Num(0)
	for _, distance := range [3]int32{70, 140, 230} {
		for _, d := range compass {
			s := g.site(x+d[0]*distance/4, z+d[1]*distance/4)
			highest = max(highest, s.height)
			if s.height < metres(SeaLevel) {
				water++
			}
		}
	}
	score := min(highest-here.height, metres(70)) + metres(3)*min(water, 8)
	if here.biome() == Plains {
		score += metres(25)
	}
	return score - metres(5)*fixed.Num(max(r.X, -r.X)+max(r.Z, -r.Z))
}

// compass has eight directions of length about 4.
var compass = [8][2]int32{{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}}

// clearing finds open level ground of given kinds in a region, from its middle
// outwards.
func (g *Generator) clearing(r world.RegionPos, kinds ...world.Block) (world.Pos, bool) {
	for _, i := range [...]int{5, 6, 9, 10, 0, 1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15} {
		c := g.Column(r.Column(i))
		for at := range 49 {
			x, z := 4+at%7*4, 4+at/7*4
			if y, ok := openGround(c, x, z, kinds); ok {
				return c.Pos.Origin().Add(int32(x), int32(y), int32(z)), true
			}
		}
	}
	return world.Pos{}, false
}

// openGround reports whether a person can stand at column-local x, z under the
// open sky, with level dry ground of some kinds for 3 m around, and where their
// feet are.
func openGround(c *world.Column, x, z int, kinds []world.Block) (feet int, ok bool) {
	for dz := -3; dz <= 3; dz++ {
		for dx := -3; dx <= 3; dx++ {
			y := c.Top(x+dx, z+dz)
			for y > 0 && world.Info(c.At(x+dx, y, z+dz)).Class == pack.Cross {
				y--
			}
			ground := c.At(x+dx, y, z+dz)
			if !slices.Contains(kinds, ground) || y < SeaLevel+1 {
				return 0, false
			}
			if feet == 0 {
				feet = y + 1
			}
			if y+1 < feet-1 || y+1 > feet+1 {
				return 0, false
			}
		}
	}
	y := c.Top(x, z)
	if world.Info(c.At(x, y, z)).Class == pack.Cross {
		return 0, false
	}
	return y + 1, true
}
