package terrain

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The lattice that a column is built on: nodes 4 m apart in each direction, one
// cell beyond the column on each side, so that trees of the neighbours that
// reach into it can be found.
const (
	pitch     = 4
	margin    = pitch
	nodes     = (world.ChunkSize+2*margin)/pitch + 1 // along x and z
	levels    = world.Height/pitch + 1               // along y
	wide      = world.ChunkSize + 2*margin           // blocks along x and z with margin
	treeReach = margin                               // blocks from a trunk to its farthest leaf
)

// builder is the scratch memory of one Column call.
type builder struct {
	g      *Generator
	origin world.Pos // of the column

	site [nodes * nodes]site
	// Noise in space at each node, y fastest. Only levels below top are current.
	cliff, tunnelA, tunnelB, cavern [nodes * nodes][levels]int32
	top                             int // no ground at or above this y

	height [wide * wide]fixed.Num // site height of each block
	floor  [wide * wide]int32     // y of the highest ground block
	biome  [world.ChunkSize * world.ChunkSize]Biome

	block [world.Height * world.ChunkSize * world.ChunkSize]world.Block
}

// node returns the index of lattice node i, k; they count from the margin's
// corner.
func node(i, k int) int { return k*nodes + i }

// spot returns the index of column-local x, z, which may be in the margin.
func spot(x, z int) int { return (z+margin)*wide + x + margin }

func cell(x, y, z int) int { return y<<(2*world.ChunkBits) | z<<world.ChunkBits | x }

// build generates the column at p.
func (b *builder) build(p world.ColumnPos) *world.Column {
	b.origin = p.Origin()
	b.survey()
	b.heights()
	b.fill()
	b.crags()
	b.cover()
	b.floorRock()
	b.carve()
	b.veins()
	b.ruin()
	b.trees()
	b.plants()
	return b.pack(p)
}

// survey computes the sites at the lattice's nodes.
func (b *builder) survey() {
	highest := metres(SeaLevel)
	for k := range nodes {
		for i := range nodes {
			s := b.g.site(b.origin.X+int32(i*pitch-margin), b.origin.Z+int32(k*pitch-margin))
			b.site[node(i, k)] = s
			highest = max(highest, s.height+s.rough)
		}
	}
	b.top = min(int(highest.Floor())+2, world.Height-1)
}

// corners returns the lattice cell of a spot and its place within it, 0 to 3.
func corners(x, z int) (n, fx, fz int) {
	x, z = x+margin, z+margin
	return node(x/pitch, z/pitch), x % pitch, z % pitch
}

// siteAt interpolates the site of a spot.
func (b *builder) siteAt(x, z int) site {
	n, fx, fz := corners(x, z)
	t, u := fixed.Num(fx)*one/pitch, fixed.Num(fz)*one/pitch
	near, far := mix(t, &b.site[n], &b.site[n+1]), mix(t, &b.site[n+nodes], &b.site[n+nodes+1])
	return mix(u, &near, &far)
}

// heights interpolates the height of every spot, exactly: sixteenths are only
// dropped at the end.
func (b *builder) heights() {
	for z := -margin; z < world.ChunkSize+margin; z++ {
		for x := -margin; x < world.ChunkSize+margin; x++ {
			n, fx, fz := corners(x, z)
			h := bilinear(fx, fz, b.site[n].height, b.site[n+1].height, b.site[n+nodes].height, b.site[n+nodes+1].height)
			b.height[spot(x, z)] = h
			b.floor[spot(x, z)] = h.Floor()
		}
	}
}

// bilinear interpolates between four corners a quarter of a cell at a time.
func bilinear(fx, fz int, a, b, c, d fixed.Num) fixed.Num {
	near := a*fixed.Num(pitch-fx) + b*fixed.Num(fx)
	far := c*fixed.Num(pitch-fx) + d*fixed.Num(fx)
	return (near*fixed.Num(pitch-fz) + far*fixed.Num(fz)) / (pitch * pitch)
}

// fill puts stone up to the height and water up to the sea.
func (b *builder) fill() {
	clear(b.block[:])
	for y := 0; y < max(b.top, SeaLevel+1); y++ {
		layer := b.block[cell(0, y, 0):cell(0, y+1, 0)]
		for z := range world.ChunkSize {
			row := layer[z<<world.ChunkBits : (z+1)<<world.ChunkBits]
			floor := b.floor[spot(0, z):spot(world.ChunkSize, z)]
			for x := range row {
				if int32(y) <= floor[x] {
					row[x] = world.Stone
				} else if y <= SeaLevel {
					row[x] = world.Water
				}
			}
		}
	}
}

// pack compresses the blocks into a column.
func (b *builder) pack(p world.ColumnPos) *world.Column {
	c := &world.Column{Pos: p}
	for i := range c.Chunks {
		c.Chunks[i] = world.PackChunk((*world.Dense)(b.block[i*world.ChunkVolume:]))
	}
	return c
}
