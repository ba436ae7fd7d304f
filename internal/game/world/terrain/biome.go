package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Biome is the kind of landscape at a place.
type Biome uint8

// The biomes.
const (
	Ocean Biome = iota
	Beach
	River
	Plains
	Forest
	BirchWoods
	PineWoods
	Desert
	SnowyPlains
	SnowyPines
	Hills
	Mountains
	Peaks
	biomeCount
)

var biomeNames = [biomeCount]string{
	"ocean", "beach", "river", "plains", "forest", "birch woods", "pine woods", "desert",
	"snowy plains", "snowy pines", "hills", "mountains", "peaks",
}

func (b Biome) String() string { return biomeNames[b] }

// cold is the temperature below which water freezes and snow stays.
const cold = -fixed.One * 36 / 100

// snowLine is the height above which snow lies, higher where it is warm.
func snowLine(s *site) fixed.Num { return metres(136) + s.temp*40 }

// biome classifies a site whose fields have been dithered (see dither).
func (s *site) biome() Biome {
	shore := metres(SeaLevel)
	switch {
	case s.height < shore && s.river < pct(6) && s.land > 0:
		return River
	case s.height < shore-one/2:
		return Ocean
	case s.height < shore+metres(2)+one/2 && s.land < pct(3):
		return Beach
	case s.height > snowLine(s):
		return Peaks
	case s.mount > pct(34):
		return Mountains
	case s.temp < cold:
		if s.wood > 0 {
			return SnowyPines
		}
		return SnowyPlains
	case s.temp > pct(22) && s.humid < pct(6):
		return Desert
	case s.mount > pct(10):
		return Hills
	case s.temp < cold+pct(16) && s.humid > -pct(20):
		return PineWoods
	case s.humid+s.wood/2 > pct(16):
		if s.wood > pct(24) {
			return BirchWoods
		}
		return Forest
	}
	return Plains
}

// dither shakes a site's climate by a hash of its place, so that biomes meet in
// a band of scattered blocks instead of a line.
func (g *Generator) dither(s *site, x, z int32) {
	h := hash2(g.key[keyDither], x, z)
	shake := func(n uint) fixed.Num { return fixed.Num(h>>n&255) - 128 } // ±3 %
	s.temp += shake(0)
	s.humid += shake(8)
	s.wood += shake(16)
	s.mount += shake(24)
	s.land += shake(4) / 4
	s.height += shake(12) * 4 // ±⅛ m; for the classification alone
}

// soil is what the ground of a place is made of, from the top down.
type soil struct {
	top, under, deep     world.Block
	underDepth, deepness int // blocks of under, and of deep below it; then Stone
}

// soil returns the ground of a dithered site. slope is the rise of the land in
// metres over one metre.
func (g *Generator) soil(s *site, b Biome, slope fixed.Num, x, z int32) soil {
	grassy := soil{world.Grass, world.Dirt, world.Dirt, 3, 0}
	h := hash2(g.key[keyDither]+1, x, z)
	jitter := fixed.Num(h&1023) - 512 + // ±⅛, and ±½ in patches
		noise2(g.key[keyDither]+2, patchFreq.at(x), patchFreq.at(z))/2
	switch b {
	case Ocean, River:
		return seabed(s, h)
	case Beach:
		if s.temp < cold {
			return soil{world.Snow, world.Gravel, world.Stone, 3, 0}
		}
		return soil{world.Sand, world.Sand, world.Sandstone, 3, 3}
	case Desert:
		return soil{world.Sand, world.Sand, world.Sandstone, 4, 6}
	case Peaks:
		if slope > pct(140)+jitter {
			return soil{world.Stone, world.Stone, world.Stone, 0, 0}
		}
		return soil{world.Snow, world.Snow, world.Stone, 2, 0}
	case Mountains, Hills:
		if slope > pct(102)+jitter || b == Mountains && s.height > snowLine(s)-metres(14)+jitter*12 {
			return scree(h)
		}
		if s.temp < cold {
			grassy.top = world.SnowyGrass
		}
	case SnowyPlains, SnowyPines:
		grassy.top = world.SnowyGrass
	}
	if slope > pct(128)+jitter {
		return scree(h)
	}
	if s.height < metres(SeaLevel) { // dithered below the water line
		grassy.top = world.Dirt
	}
	return grassy
}

func scree(h uint32) soil {
	if h>>10&63 == 0 {
		return soil{world.Gravel, world.Stone, world.Stone, 0, 0}
	}
	return soil{world.Stone, world.Stone, world.Stone, 0, 0}
}

// seabed is sand in shallow water, gravel in deep, with some clay in between.
func seabed(s *site, h uint32) soil {
	depth := metres(SeaLevel) - s.height
	switch {
	case s.wood > pct(22) && depth < metres(9) && s.wood < pct(40):
		return soil{world.Clay, world.Clay, world.Stone, 2, 0}
	case depth < metres(6)+fixed.Num(h&4095)*3:
		return soil{world.Sand, world.Sand, world.Sandstone, 3, 2}
	case s.wood < -pct(20):
		return soil{world.Dirt, world.Dirt, world.Stone, 2, 0}
	}
	return soil{world.Gravel, world.Gravel, world.Stone, 3, 0}
}
