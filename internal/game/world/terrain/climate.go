package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// site is what the generator knows about a horizontal place: the shape of the
// land and its climate. All fields are smooth, so they can be interpolated.
type site struct {
	height fixed.Num // of the ground, metres in 1/4096ths
	rough  fixed.Num // metres by which the ground may stray from height: overhangs, cliffs
	land   fixed.Num // from deep sea (−) over the coast (0) to inland (+)
	mount  fixed.Num // 0 flat to One in the middle of mountains
	river  fixed.Num // distance from a river's middle: 0 there, grows away
	temp   fixed.Num // −One cold to One hot
	humid  fixed.Num // −One dry to One wet
	wood   fixed.Num // where trees gather, and which kind they are
}

// Keys of the generator's noises and hashes.
const (
	keyWarpX = iota + 1
	keyWarpZ
	keyLand
	keyMount
	keyRidge
	keyRoll
	keyRiver
	keyTemp
	keyHumid
	keyWood
	keyCliff
	keyTunnelA
	keyTunnelB
	keyCavern
	keyDither
	keyTree
	keyPlant
	keyPatch
	keyBedrock
	keyOre
	keyLava
	keyRuin
	keyCount
)

// Cells of the horizontal noises, in metres.
var (
	warpFreq  = every(150)
	landFreq  = every(1150)
	mountFreq = every(760)
	ridgeFreq = every(360)
	rollFreq  = every(150)
	crumbFreq = every(31)
	riverFreq = every(560)
	tempFreq  = every(1200)
	humidFreq = every(620)
	woodFreq  = every(210)
)

const warpReach = 34 // metres by which places are warped at most

// pct is n hundredths.
func pct(n int64) fixed.Num { return fixed.Num(n) * one / 100 }

func metres(n int64) fixed.Num { return fixed.Num(n) * one }

// ground gives the height of the land far from mountains and rivers.
var ground = spline{
	{pct(-60), metres(24)}, {pct(-30), metres(36)}, {pct(-14), metres(50)}, {pct(-5), metres(59)},
	{pct(-1), metres(SeaLevel) - one/2}, {pct(2), metres(SeaLevel + 3)}, {pct(14), metres(SeaLevel + 6)},
	{pct(35), metres(SeaLevel + 11)}, {pct(70), metres(SeaLevel + 20)},
}

// site computes the fields of a place.
func (g *Generator) site(x, z int32) site {
	// Bend the coordinates, so that borders wander.
	bx, bz := warpFreq.at(x), warpFreq.at(z)
	x += int32(fbm2(g.key[keyWarpX], bx, bz, 2) * warpReach >> fixed.Shift)
	z += int32(fbm2(g.key[keyWarpZ], bx, bz, 2) * warpReach >> fixed.Shift)

	var s site
	s.land = fbm2(g.key[keyLand], landFreq.at(x), landFreq.at(z), 4)*3/2 + pct(16)
	s.temp = fbm2(g.key[keyTemp], tempFreq.at(x), tempFreq.at(z), 2) * 7 / 4
	s.humid = fbm2(g.key[keyHumid], humidFreq.at(x), humidFreq.at(z), 2) * 7 / 4
	s.wood = fbm2(g.key[keyWood], woodFreq.at(x), woodFreq.at(z), 2) * 3 / 2
	s.river = fbm2(g.key[keyRiver], riverFreq.at(x), riverFreq.at(z), 3).Abs()
	g.shape(&s, x, z)
	return s
}

// shape computes the height from the other fields.
func (g *Generator) shape(s *site, x, z int32) {
	inland := smooth(pct(0), pct(16), s.land)
	valley := smooth(pct(1), pct(27), s.river) // mountains keep away from rivers
	s.mount = fbm2(g.key[keyMount], mountFreq.at(x), mountFreq.at(z), 2)
	s.mount = fixed.Mul(fixed.Mul(smooth(-pct(3), pct(46), s.mount), inland), valley)

	roll := fbm2(g.key[keyRoll], rollFreq.at(x), rollFreq.at(z), 4)
	h := ground.get(s.land) + fixed.Mul(roll, metres(4)+inland*9)
	if s.mount > 0 {
		ridge := ridged2(g.key[keyRidge], ridgeFreq.at(x), ridgeFreq.at(z), 5)
		steep := fixed.Mul(ridge, ridge)
		h += fixed.Mul(s.mount, metres(10)+fixed.Mul(ridge+steep, metres(92)))
		h += fixed.Mul(s.mount, noise2(g.key[keyRidge]+1, crumbFreq.at(x), crumbFreq.at(z))*7)
		s.rough = fixed.Mul(smooth(pct(20), pct(70), s.mount), metres(15))
	}
	h = carveRiver(s, h, inland)
	s.height = h.Clamp(metres(8), metres(world.Height-20))
}

// carveRiver lowers the land towards a river and digs its bed.
func carveRiver(s *site, h, inland fixed.Num) fixed.Num {
	if inland == 0 || s.river > pct(16) {
		return h
	}
	bank := metres(SeaLevel+1) + one/2
	if h > bank {
		h = lerp(fixed.Mul(one-smooth(pct(2), pct(15), s.river), inland), h, bank)
	}
	bed := metres(SeaLevel - 4)
	if h > bed {
		h = lerp(fixed.Mul(one-smooth(one*7/1000, one*26/1000, s.river), inland), h, bed)
	}
	return h
}

// mix interpolates between two sites; t in [0, One].
func mix(t fixed.Num, a, b *site) site {
	return site{
		height: lerp(t, a.height, b.height), rough: lerp(t, a.rough, b.rough),
		land: lerp(t, a.land, b.land), mount: lerp(t, a.mount, b.mount), river: lerp(t, a.river, b.river),
		temp: lerp(t, a.temp, b.temp), humid: lerp(t, a.humid, b.humid), wood: lerp(t, a.wood, b.wood),
	}
}
