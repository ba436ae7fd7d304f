package webmap

import (
	"bytes"
	"context"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

// Size is a tile's edge in pixels.
const Size = world.RegionSize

// picture is a tile that is being painted.
type picture struct {
	rgb     [Size * Size * 3]byte
	built   bool
	partial bool // not all regions that were made were looked at
}

func (p *picture) compress() []byte {
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is valid
	_, _ = z.Write(p.rgb[:])                              // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// picture returns what a tile shows; nil: it is damaged.
func (t *Tile) picture() *picture {
	p := &picture{built: t.built}
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(t.Deflated)), p.rgb[:]); err != nil {
		return nil
	}
	return p
}

// painter paints one tile that somebody has asked for, and those that it is made of.
type painter struct {
	m     *Map
	ctx   context.Context
	looks int // regions that may still be asked
	deep  int
}

func (p *painter) paint(at At) *picture {
	if at.Zoom == 0 {
		return p.region(world.RegionPos{X: at.X, Z: at.Z})
	}
	p.deep++
	defer func() { p.deep-- }()
	out := &picture{}
	for i := range int32(4) {
		part := At{at.Zoom - 1, at.X*2 + i&1, at.Z*2 + i>>1}
		pic := p.part(part)
		out.built, out.partial = out.built || pic.built, out.partial || pic.partial
		out.shrink(pic, int(i&1), int(i>>1))
	}
	return out
}

// part returns a part of a larger tile: as it was painted last, or anew. Only what was
// built is kept: the rest is made again as fast as it is read.
func (p *painter) part(at At) *picture {
	if t := p.m.cache.get(at); t != nil && p.m.cfg.Now().Before(t.until) {
		if pic := t.picture(); pic != nil {
			return pic
		}
	}
	pic := p.paint(at)
	if pic.built && !pic.partial {
		p.m.keep(at, pic)
	}
	return pic
}

// region paints a region: from its blocks if it was made, else as it would be made.
func (p *painter) region(r world.RegionPos) *picture {
	if p.m.cfg.Made(p.ctx, r, p.deep == 0) {
		if p.looks--; p.looks >= 0 {
			ctx, cancel := context.WithTimeout(p.ctx, lookTime)
			defer cancel()
			if columns, err := p.m.cfg.Land(ctx, r); err == nil {
				return fromColumns(columns)
			}
		}
		if t := p.m.cache.get(At{0, r.X, r.Z}); t != nil {
			if pic := t.picture(); pic != nil {
				pic.partial = true
				return pic
			}
		}
		pic := fromFar(p.m.cfg.Far(r))
		pic.partial = true
		return pic
	}
	return fromFar(p.m.cfg.Far(r))
}

// shrink puts another picture, half as large, into a quarter of this one.
func (p *picture) shrink(from *picture, dx, dz int) {
	const half = Size / 2
	for z := range half {
		for x := range half {
			for c := range 3 {
				at := func(x, z int) int { return int(from.rgb[(z*Size+x)*3+c]) }
				sum := at(2*x, 2*z) + at(2*x+1, 2*z) + at(2*x, 2*z+1) + at(2*x+1, 2*z+1)
				p.rgb[((dz*half+z)*Size+dx*half+x)*3+c] = byte(sum / 4)
			}
		}
	}
}

// ground is what one sees of a place from above.
type ground struct {
	block  world.Block
	height int
	depth  int // of water
}

// fromColumns paints the columns of a region.
func fromColumns(columns []*world.Column) *picture {
	tops := make([]ground, Size*Size)
	for _, c := range columns {
		o := c.Pos.Origin()
		for z := range world.ChunkSize {
			for x := range world.ChunkSize {
				i := (int(o.Z)&(Size-1)+z)*Size + int(o.X)&(Size-1) + x
				tops[i] = top(c, x, z)
			}
		}
	}
	p := &picture{built: true}
	p.shade(tops)
	return p
}

const maxDepth = 24

func top(c *world.Column, x, z int) ground {
	g := ground{height: max(c.Top(x, z), 0)}
	g.block = c.At(x, g.height, z)
	for g.block.IsWater() && g.depth < maxDepth && g.depth < g.height && c.At(x, g.height-g.depth, z).IsWater() {
		g.depth++
	}
	return g
}

// fromFar paints a region as it is seen from afar, four metres to a sample.
func fromFar(t terrain.FarTile) *picture {
	tops := make([]ground, Size*Size)
	for i := range tops {
		k := i/Size/terrain.FarStep*terrain.FarSize + i%Size/terrain.FarStep
		tops[i] = ground{t.Top[k], int(t.Height[k]), maxDepth / 4}
	}
	p := &picture{}
	p.shade(tops)
	return p
}

// shade gives each place its block's colour, lit from the north-west: slopes and depths
// are seen.
func (p *picture) shade(tops []ground) {
	for i := range tops {
		g := &tops[i]
		x, z := i%Size, i/Size
		slope := 0
		if x > 0 && z > 0 {
			slope = max(-4, min(4, g.height-tops[i-Size-1].height))
		}
		light := (80 + g.height/5) * (100 + 7*slope) / 100
		if g.block.IsWater() {
			light = 108 - 5*g.depth/2
		}
		color := uint32(0)
		if g.block.Known() {
			color = world.Info(g.block).Color
		}
		for c := range 3 {
			p.rgb[i*3+c] = byte(min(255, int(color>>(16-8*c)&255)*light/100))
		}
	}
}
