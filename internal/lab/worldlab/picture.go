package worldlab

import (
	"image"
	"image/color"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// generated caches the columns of a generator for pictures.
type generated struct {
	gen     *terrain.Generator
	columns map[world.ColumnPos]*world.Column
}

func newGenerated(g *terrain.Generator) *generated {
	return &generated{g, map[world.ColumnPos]*world.Column{}}
}

func (t *generated) column(p world.ColumnPos) *world.Column {
	c := t.columns[p]
	if c == nil {
		c = t.gen.Column(p)
		t.columns[p] = c
	}
	return c
}

func (t *generated) at(x, y, z int) world.Block {
	if y < 0 || y >= world.Height {
		return world.Air
	}
	c := t.column(world.ColumnPos{X: int32(x >> world.ChunkBits), Z: int32(z >> world.ChunkBits)})
	return c.At(x&(world.ChunkSize-1), y, z&(world.ChunkSize-1))
}

func (t *generated) top(x, z int) int {
	c := t.column(world.ColumnPos{X: int32(x >> world.ChunkBits), Z: int32(z >> world.ChunkBits)})
	return c.Top(x&(world.ChunkSize-1), z&(world.ChunkSize-1))
}

func shade(b world.Block, f float64) color.RGBA {
	c := world.Info(b).Color
	ch := func(v uint32) uint8 { return uint8(max(0, min(255, float64(v&255)*f))) }
	return color.RGBA{ch(c >> 16), ch(c >> 8), ch(c), 255}
}

// topDown draws size×size metres from above, one pixel a metre, lit from the
// north-west.
func (t *generated) topDown(x0, z0, size int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for z := range size {
		for x := range size {
			y := t.top(x0+x, z0+z)
			b := t.at(x0+x, y, z0+z)
			f := 1 + 0.12*float64(y-t.top(x0+x-1, z0+z-1))
			if b.IsWater() {
				depth := 0
				for y-depth > 0 && t.at(x0+x, y-depth, z0+z).IsWater() {
					depth++
				}
				f = 1.15 - min(0.6, float64(depth)*0.03)
			}
			img.Set(x, z, shade(b, max(0.55, min(1.35, f))))
		}
	}
	return img
}

// cut draws a slice of the world along x at z0, two pixels a metre.
func (t *generated) cut(x0, z0, length int) *image.RGBA {
	const scale = 2
	img := image.NewRGBA(image.Rect(0, 0, length*scale, world.Height*scale))
	for py := range world.Height * scale {
		for px := range length * scale {
			x, y := x0+px/scale, world.Height-1-py/scale
			b := t.at(x, y, z0)
			c := shade(b, 1)
			if b == world.Air {
				c = color.RGBA{150, 190, 235, 255}
				if y < t.top(x, z0) {
					c = color.RGBA{30, 28, 34, 255}
				}
			}
			img.Set(px, py, c)
		}
	}
	return img
}

// view is what a person with eyes at x, y, z sees, looking along yaw (radians,
// 0 to north, clockwise) and pitch.
func (t *generated) view(x, y, z, yaw, pitch float64, w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	fov := math.Tan(35 * math.Pi / 180)
	for py := range h {
		for px := range w {
			u := (2*float64(px)/float64(w) - 1) * fov
			v := (1 - 2*float64(py)/float64(h)) * fov * float64(h) / float64(w)
			dy := v*math.Cos(pitch) + math.Sin(pitch)
			f := math.Cos(pitch) - v*math.Sin(pitch)
			dx := u*math.Cos(yaw) + f*math.Sin(yaw)
			dz := u*math.Sin(yaw) - f*math.Cos(yaw)
			img.Set(px, py, t.ray(x, y, z, dx, dy, dz))
		}
	}
	return img
}

const sight = 420

// ray follows one line of sight through the blocks.
func (t *generated) ray(x, y, z, dx, dy, dz float64) color.RGBA {
	l := math.Sqrt(dx*dx + dy*dy + dz*dz)
	dx, dy, dz = dx/l, dy/l, dz/l
	sky := color.RGBA{uint8(150 - 60*max(0, dy)), uint8(190 - 50*max(0, dy)), 240, 255}
	bx, by, bz := int(math.Floor(x)), int(math.Floor(y)), int(math.Floor(z))
	next := func(p, d float64, b int) (step int, tmax, delta float64) {
		switch {
		case d > 0:
			return 1, (float64(b+1) - p) / d, 1 / d
		case d < 0:
			return -1, (float64(b) - p) / d, -1 / d
		}
		return 0, math.Inf(1), math.Inf(1)
	}
	sx, tx, ex := next(x, dx, bx)
	sy, ty, ey := next(y, dy, by)
	sz, tz, ez := next(z, dz, bz)
	water := -1.0
	for dist := 0.0; dist < sight; {
		face := 1.0
		switch {
		case tx < ty && tx < tz:
			dist, tx, bx, face = tx, tx+ex, bx+sx, 0.82
		case ty < tz:
			dist, ty, by = ty, ty+ey, by+sy
			if sy > 0 {
				face = 0.55
			}
		default:
			dist, tz, bz, face = tz, tz+ez, bz+sz, 0.7
		}
		if by >= world.Height && sy >= 0 || by < 0 {
			return sky
		}
		b := t.at(bx, by, bz)
		if b == world.Air {
			continue
		}
		if b.IsWater() {
			if water < 0 {
				water = dist
			}
			if dist-water < 8 {
				continue
			}
		}
		if world.Info(b).Class == pack.Cross && (bx+by+bz)&1 == 0 {
			continue
		}
		grain := 0.94 + 0.12*float64((uint32(bx*73856093)^uint32(by*19349663)^uint32(bz*83492791))>>7&255)/255
		c := shade(b, face*grain)
		if water >= 0 {
			c = blend(c, color.RGBA{48, 92, 178, 255}, min(0.85, 0.4+(dist-water)*0.06))
		}
		return blend(c, sky, math.Pow(dist/sight, 2.2))
	}
	return sky
}

func blend(a, b color.RGBA, t float64) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x))) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}

// overview draws regions×regions regions around the origin, one pixel for 4 m.
func overview(g *terrain.Generator, rx, rz, regions int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, regions*terrain.FarSize, regions*terrain.FarSize))
	for z := range regions {
		for x := range regions {
			t := g.Far(world.RegionPos{X: int32(x - regions/2 + rx), Z: int32(z - regions/2 + rz)})
			for i := range t.Height {
				px, pz := i%terrain.FarSize, i/terrain.FarSize
				f := 1.0
				if px > 0 && pz > 0 {
					f += 0.04 * (float64(t.Height[i]) - float64(t.Height[i-1-terrain.FarSize]))
				}
				img.Set(x*terrain.FarSize+px, z*terrain.FarSize+pz, shade(t.Top[i], max(0.5, min(1.4, f))))
			}
		}
	}
	return img
}
