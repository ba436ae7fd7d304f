package foreign

import (
	"math/bits"

	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Chunks of Minecraft 1.18 and later (minecraft.wiki, "Chunk format").

// Section is a cube of 16 blocks: the east fastest, then the south, then upwards.
type Section struct {
	Y      int // of its lowest blocks
	Blocks [16 * 16 * 16]world.Block
}

// Chunk is 16 × 16 blocks from bottom to top.
type Chunk struct {
	X, Z     int // in chunks
	Sections []*Section
	Signs    []Sign // what is written, by places in the world
}

const (
	maxChunk    = 32 << 20 // bytes, unpacked
	maxSections = 64
	since118    = 2825 // DataVersion
)

// errUnfinished: the chunk was not generated to its end.
var errUnfinished = malformed("an unfinished chunk")

// Unfinished reports whether a chunk was left out because Minecraft itself has not finished it.
func Unfinished(err error) bool { return err == errUnfinished }

// DecodeChunk reads a chunk as it is in a region file, without its header.
func DecodeChunk(b []byte, rep *Report) (*Chunk, error) {
	b, err := nbt.Inflate(b, maxChunk)
	if err != nil {
		return nil, err
	}
	c, err := nbt.Decode(b)
	switch {
	case err != nil:
		return nil, err
	case c.Int("DataVersion") < since118:
		return nil, malformed("the chunk is of a Minecraft before 1.18: open the world with a newer one first (its option to optimise worlds)")
	case c.Text("Status") != "full" && c.Text("Status") != "minecraft:full":
		return nil, errUnfinished
	}
	out := &Chunk{X: c.Int("xPos"), Z: c.Int("zPos"), Signs: chunkSigns(c)}
	list := c.List("sections")
	if len(list) > maxSections {
		return nil, malformed("%d sections", len(list))
	}
	for _, v := range list {
		s, _ := v.(nbt.Compound)
		states := s.Of("block_states")
		if states == nil {
			continue
		}
		section := &Section{Y: s.Int("Y") * 16}
		p := statesOf(states.List("palette"))
		if err := p.unpack(&section.Blocks, states.Longs("data")); err != nil {
			return nil, err
		}
		p.report(rep)
		out.Sections = append(out.Sections, section)
	}
	return out, nil
}

func statesOf(list nbt.List) (p palette) {
	for _, v := range list[:min(len(list), 4096)] {
		c, _ := v.(nbt.Compound)
		name := c.Text("Name")
		s := ParseState(name)
		for k := range c.Of("Properties") {
			s.set(k, c.Of("Properties").Text(k))
		}
		e := entryOf(s)
		e.name = name
		p = append(p, e)
	}
	return p
}

// unpack reads indices, as many as fit in each long.
func (p palette) unpack(out *[4096]world.Block, data []int64) error {
	if len(p) == 0 {
		return malformed("a section without a palette")
	}
	width := uint(max(4, bits.Len(uint(len(p)-1))))
	per := 64 / int(width)
	if len(p) > 1 && len(data) < (len(out)+per-1)/per {
		return malformed("a section with %d longs", len(data))
	}
	for i := range out {
		n := 0
		if len(p) > 1 {
			n = int(uint64(data[i/per]) >> (uint(i%per) * width) & (1<<width - 1))
		}
		if n >= len(p) {
			return malformed("a block that is none of the palette")
		}
		out[i] = p[n].block
		p[n].count++
	}
	return nil
}
