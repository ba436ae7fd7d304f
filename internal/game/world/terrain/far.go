package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// FarStep is the distance of a far tile's samples in metres, FarSize their
// number along each edge.
const (
	FarStep = 4
	FarSize = world.RegionSize / FarStep
)

// FarTile is a region seen from afar: samples 4 m apart, x fastest.
type FarTile struct {
	Region world.RegionPos
	Height [FarSize * FarSize]uint8       // y of the highest block, water included
	Top    [FarSize * FarSize]world.Block // that block
}

// Far returns a region seen from afar without generating its columns: the
// ground as the lattice knows it, without caves, with woods as a rough canopy.
func (g *Generator) Far(r world.RegionPos) FarTile {
	t := FarTile{Region: r}
	const edge = FarSize + 1
	var sites [edge * edge]site
	for i := range sites {
		sites[i] = g.site(r.X*world.RegionSize+int32(i%edge)*FarStep, r.Z*world.RegionSize+int32(i/edge)*FarStep)
	}
	for i := range t.Height {
		n := i/FarSize*edge + i%FarSize
		dx := (sites[n+1].height - sites[n].height).Abs()
		dz := (sites[n+edge].height - sites[n].height).Abs()
		x, z := r.X*world.RegionSize+int32(i%FarSize)*FarStep, r.Z*world.RegionSize+int32(i/FarSize)*FarStep
		t.Height[i], t.Top[i] = g.farSample(sites[n], max(dx, dz)/FarStep, x, z)
	}
	return t
}

// farSample returns the highest block of one place.
func (g *Generator) farSample(s site, slope fixed.Num, x, z int32) (uint8, world.Block) {
	g.dither(&s, x, z)
	biome := s.biome()
	floor := s.height.Floor()
	if floor < SeaLevel {
		if s.temp < cold && biome != Ocean || s.temp < cold-pct(12) {
			return SeaLevel, world.Ice
		}
		return SeaLevel, world.Water
	}
	dice := hash2(g.key[keyTree]+3, x, z)
	gr := &growths[biome]
	// A tree on every 25 m², its crown as wide: the share of places is the
	// share of the ground that is covered.
	if int(dice>>22) < gr.share*int(density(&s))>>fixed.Shift && slope < one {
		return uint8(floor + 5 + int32(dice&3)), canopy(biome, dice)
	}
	return uint8(floor), g.soil(&s, biome, slope, x, z).top
}

// canopy returns the leaves that a biome's woods show from above.
func canopy(b Biome, dice uint32) world.Block {
	switch b {
	case BirchWoods:
		return world.BirchLeaves
	case PineWoods, SnowyPines, SnowyPlains, Mountains:
		return world.PineLeaves
	case Hills:
		if dice>>8&1 == 0 {
			return world.PineLeaves
		}
	}
	return world.OakLeaves
}
