package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Trees stand on a jittered grid: each square of treeGrid blocks has one place
// where a tree may stand. Whether one does, and which, depends on nothing but
// the place, so every column that its leaves reach into finds the same tree.
const treeGrid = 5

// growth says how many of the places in a biome carry a tree, in 1/1024ths, and
// which kinds: the weights are out of 16.
type growth struct {
	share int
	kinds []weighted
}

type weighted struct {
	weight int
	grow   func(*builder, tree)
}

// tree is a place for one: column-local x and z (perhaps in the margin), y of
// the first block above the ground, and 32 random bits.
type tree struct {
	x, y, z int
	dice    uint32
}

// roll returns a number below n from the tree's bits; which of them is chosen
// by shift.
func (t tree) roll(shift uint, n int) int { return int(t.dice>>shift&0xff) * n >> 8 }

var growths = [biomeCount]growth{
	Plains:      {12, []weighted{{8, (*builder).oak}, {6, (*builder).bigOak}, {2, (*builder).birch}}},
	Forest:      {720, []weighted{{9, (*builder).oak}, {4, (*builder).bigOak}, {2, (*builder).birch}, {1, (*builder).bush}}},
	BirchWoods:  {620, []weighted{{14, (*builder).birch}, {1, (*builder).oak}, {1, (*builder).bush}}},
	PineWoods:   {600, []weighted{{9, (*builder).pine}, {6, (*builder).tallPine}, {1, (*builder).boulder}}},
	SnowyPlains: {9, []weighted{{14, (*builder).pine}, {2, (*builder).boulder}}},
	SnowyPines:  {520, []weighted{{10, (*builder).pine}, {6, (*builder).tallPine}}},
	Hills:       {150, []weighted{{6, (*builder).oak}, {4, (*builder).bigOak}, {5, (*builder).pine}, {1, (*builder).boulder}}},
	Mountains:   {210, []weighted{{10, (*builder).pine}, {4, (*builder).tallPine}, {2, (*builder).boulder}}},
}

// trees grows every tree that reaches into the column, in an order that is the
// same for all columns.
func (b *builder) trees() {
	first := func(o int32) int32 { return floorDiv(o-treeReach, treeGrid) }
	last := func(o int32) int32 { return floorDiv(o+world.ChunkSize+treeReach-1, treeGrid) }
	for gz := first(b.origin.Z); gz <= last(b.origin.Z); gz++ {
		for gx := first(b.origin.X); gx <= last(b.origin.X); gx++ {
			h := hash2(b.g.key[keyTree], gx, gz)
			x := int(gx*treeGrid-b.origin.X) + int(h&3)
			z := int(gz*treeGrid-b.origin.Z) + int(h>>2&3)
			if min(x, z) < -treeReach || max(x, z) >= world.ChunkSize+treeReach {
				continue
			}
			if grow, t := b.treeAt(x, z); grow != nil {
				grow(b, t)
			}
		}
	}
}

// treeAt returns what grows at a place of the grid, nil for nothing.
func (b *builder) treeAt(x, z int) (func(*builder, tree), tree) {
	wx, wz := b.origin.X+int32(x), b.origin.Z+int32(z)
	dice := hash2(b.g.key[keyTree]+1, wx, wz)
	floor := int(b.floor[spot(x, z)])
	if floor < SeaLevel || floor > world.Height-32 {
		return nil, tree{}
	}
	s := b.siteAt(x, z)
	b.g.dither(&s, wx, wz)
	g := &growths[s.biome()]
	if int(dice>>22) >= g.share*int(density(&s))>>fixed.Shift || b.steep(x, z, &s) {
		return nil, tree{}
	}
	if b.carved(x, floor, z) || b.carved(x, floor-1, z) {
		return nil, tree{}
	}
	kind := int(dice >> 18 & 15)
	for _, w := range g.kinds {
		if kind -= w.weight; kind < 0 {
			return w.grow, tree{x, floor + 1, z, hash2(b.g.key[keyTree]+2, wx, wz)}
		}
	}
	return nil, tree{}
}

// density thins the trees out into clearings, and towards the tree line; groves
// gather them where it is open. One is the biome's own share.
func density(s *site) fixed.Num {
	d := one + fixed.Mul(s.humid, one/2) - smooth(pct(4), pct(14), -s.wood)*3/4
	if s.wood > pct(30) {
		d += (s.wood - pct(30)) * 4
	}
	high := snowLine(s) - metres(22)
	return fixed.Mul(d.Clamp(0, 3*one), one-smooth(high, high+metres(16), s.height))
}

// steep reports whether the ground is too steep or too ragged for a tree. It
// looks no farther than the spot's own lattice cell, which every column that
// the tree reaches into knows.
func (b *builder) steep(x, z int, s *site) bool {
	if s.rough > 0 {
		floor := b.floor[spot(x, z)]
		dx, dz := b.floor[spot(x^1, z)]-floor, b.floor[spot(x, z^1)]-floor
		return max(dx, -dx, dz, -dz) > 1
	}
	n, _, _ := corners(x, z)
	dx := b.site[n+1].height - b.site[n].height
	dz := b.site[n+nodes].height - b.site[n].height
	return max(dx.Abs(), dz.Abs()) > metres(pitch)
}

func floorDiv(a, b int32) int32 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
