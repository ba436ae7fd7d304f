package foreign

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Sponge schematics (github.com/SpongePowered/Schematic-Specification), versions 1 to 3:
// gzip, NBT, a palette of names, and an index of it for each block as a varint.

const (
	// MaxVolume bounds the blocks of a schematic.
	MaxVolume   = 1 << 24
	maxUnpacked = 64 << 20
	maxPalette  = 1 << 14
	dataVersion = 3955 // of Minecraft 1.21.1, whose names Name gives
	nothing     = "minecraft:structure_void"
)

// ErrFormat is wrapped by errors about files that are not what they should be.
var ErrFormat = errors.New("malformed file")

func malformed(what string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(what, args...))
}

// Decode reads a schematic of at most so many blocks.
func Decode(b []byte, most int) (box *clipboard.Box, rep Report, err error) {
	if b, err = nbt.Inflate(b, min(maxUnpacked, 1<<20+8*most)); err != nil {
		return nil, rep, err
	}
	root, err := nbt.Decode(b)
	if err != nil {
		return nil, rep, err
	}
	if inner := root.Of("Schematic"); inner != nil {
		root = inner
	}
	blocks, data := root, root.Bytes("BlockData")
	switch v := root.Int("Version"); {
	case v == 3:
		blocks = root.Of("Blocks")
		data = blocks.Bytes("Data")
	case v != 1 && v != 2:
		return nil, rep, malformed("no Sponge schematic of version 1, 2 or 3")
	}
	x, y, z := int(uint16(root.Int("Width"))), int(uint16(root.Int("Height"))), int(uint16(root.Int("Length")))
	if n := int64(x) * int64(y) * int64(z); n == 0 || n > int64(most) || n > int64(len(data)) {
		return nil, rep, malformed("%d × %d × %d blocks, in %d bytes; at most %d are read", x, y, z, len(data), most)
	}
	palette, err := paletteOf(blocks.Of("Palette"))
	if err != nil {
		return nil, rep, err
	}
	box, rep.Signs = clipboard.New(x, y, z), schematicSigns(root)
	return box, rep, palette.fill(box.Blocks, data, &rep)
}

// entry is a block of a palette.
type entry struct {
	name  string
	block world.Block
	known bool
	count int
}

type palette []entry

// paletteOf reads the palette of a schematic: numbers by names.
func paletteOf(c nbt.Compound) (palette, error) {
	if len(c) == 0 || len(c) > maxPalette {
		return nil, malformed("a palette of %d blocks", len(c))
	}
	p := make(palette, len(c))
	for name := range c {
		i := c.Int(name)
		if i < 0 || i >= len(p) || p[i].name != "" || name == "" {
			return nil, malformed("the palette has no block with each number")
		}
		p[i] = entryOf(ParseState(name))
		if name == nothing {
			p[i].block, p[i].known = clipboard.Nothing, true
		}
		p[i].name = name
	}
	return p, nil
}

func entryOf(s State) entry {
	b, ok := Block(s)
	return entry{name: "minecraft:" + s.Name, block: b, known: ok}
}

// fill reads the indices of a schematic.
func (p palette) fill(out []world.Block, data []byte, rep *Report) error {
	for i := range out {
		n, size := binary.Uvarint(data)
		if size <= 0 || n >= uint64(len(p)) {
			return malformed("block %d is none of the palette", i)
		}
		data = data[size:]
		out[i] = p[n].block
		p[n].count++
	}
	p.report(rep)
	return nil
}

// report adds what was counted.
func (p palette) report(rep *Report) {
	for i := range p {
		switch e := &p[i]; {
		case e.count == 0:
		case !e.known:
			rep.Miss(e.name, e.count)
		case e.block != world.Air && e.block != clipboard.Nothing:
			rep.Blocks += e.count
		}
	}
}

// Encode writes a schematic of version 2 or 3.
func Encode(box *clipboard.Box, version int) ([]byte, Report, error) {
	var rep Report
	if version != 2 && version != 3 || max(box.X, box.Y, box.Z) >= 1<<16 || len(box.Blocks) > MaxVolume {
		return nil, rep, malformed("version %d, %d × %d × %d blocks: want 2 or 3, and at most %d blocks", version, box.X, box.Y, box.Z, MaxVolume)
	}
	names, data := nbt.Compound{}, make([]byte, 0, len(box.Blocks))
	numbers := map[world.Block]nbt.Int{}
	for _, b := range box.Blocks {
		n, ok := numbers[b]
		if !ok {
			name := nameOf(b, &rep)
			if had, again := names[name]; again {
				n = had.(nbt.Int)
			} else {
				n = nbt.Int(len(names))
				names[name] = n
			}
			numbers[b] = n
		}
		if b != world.Air && b != clipboard.Nothing {
			rep.Blocks++
		}
		data = binary.AppendUvarint(data, uint64(n))
	}
	return packed(box, version, names, data), rep, nil
}

// nameOf is the name of a block in a schematic.
func nameOf(b world.Block, rep *Report) string {
	if b == clipboard.Nothing {
		return nothing
	}
	if same, ok := world.Copied(b); ok {
		b = same
	}
	s, ok := Name(b)
	if !ok {
		rep.Miss(world.Info(b).Name, 1)
		return "minecraft:air"
	}
	return s.String()
}

func packed(box *clipboard.Box, version int, names nbt.Compound, data []byte) []byte {
	c := nbt.Compound{
		"Version": nbt.Int(version), "DataVersion": nbt.Int(dataVersion), "Offset": []int32{0, 0, 0},
		"Width": nbt.Short(box.X), "Height": nbt.Short(box.Y), "Length": nbt.Short(box.Z),
	}
	name := "Schematic"
	if version == 2 {
		c["PaletteMax"], c["Palette"], c["BlockData"], c["BlockEntities"] = nbt.Int(len(names)), names, data, nbt.List{}
	} else {
		c["Blocks"] = nbt.Compound{"Palette": names, "Data": data, "BlockEntities": nbt.List{}}
		name, c = "", nbt.Compound{"Schematic": c}
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(nbt.Append(nil, name, c)) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
