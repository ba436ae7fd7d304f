package terrain

import "github.com/voxelpopuli/voxelpopuli/internal/game/world"

// SeaLevel is the y of the highest water block of oceans and rivers.
const SeaLevel = 62

// Generator makes terrain from a seed. The same seed gives the same bytes on
// every machine and in every order. It is safe for concurrent use.
type Generator struct {
	seed uint64
	key  [keyCount]uint32
	free chan *builder // scratch memory for reuse
}

// New returns the generator of a world's seed.
func New(seed uint64) *Generator {
	g := &Generator{seed: seed, free: make(chan *builder, 4)}
	for i := range g.key {
		g.key[i] = key(seed, uint64(i))
	}
	return g
}

// Column generates the column at p.
func (g *Generator) Column(p world.ColumnPos) *world.Column {
	b := g.take()
	c := b.build(p)
	g.put(b)
	return c
}

func (g *Generator) take() *builder {
	select {
	case b := <-g.free:
		return b
	default:
		return &builder{g: g}
	}
}

func (g *Generator) put(b *builder) {
	select {
	case g.free <- b:
	default:
	}
}
