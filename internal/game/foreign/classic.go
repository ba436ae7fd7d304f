package foreign

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/nbt"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
)

// ClassiCube worlds (wiki.classicube.net, "ClassicWorld file format"): gzip, NBT, a byte for
// each block in the order of package clipboard.

// classic are the blocks of ClassiCube and its CustomBlocks extension by their numbers, as
// Minecraft calls them.
var classic = [...]string{
	"air", "stone", "grass_block", "dirt", "cobblestone", "oak_planks", "oak_sapling", "bedrock", "water", "water", "lava", "lava",
	"sand", "gravel", "gold_ore", "iron_ore", "coal_ore", "oak_log", "oak_leaves", "sponge", "glass",
	"red_wool", "orange_wool", "yellow_wool", "lime_wool", "green_wool", "cyan_wool", "cyan_wool", "blue_wool", "purple_wool", "purple_wool",
	"purple_wool", "magenta_wool", "pink_wool", "black_wool", "gray_wool", "white_wool",
	"dandelion", "poppy", "brown_mushroom", "red_mushroom", "gold_block", "iron_block", "double", "smooth_stone_slab", "bricks", "tnt",
	"bookshelf", "mossy_cobblestone", "obsidian",
	"cobblestone_slab", "vine", "sandstone", "snow", "fire", "pink_wool", "green_wool", "brown_wool", "blue_wool", "cyan_wool",
	"ice", "quartz_block", "magma_block", "quartz_block", "crate", "stone_bricks",
}

// Place is where somebody begins in a world.
type Place struct{ X, Y, Z int }

// Classic is a world of ClassiCube.
type Classic struct {
	Name  string
	Box   *clipboard.Box
	Spawn Place
}

// DecodeClassic reads a world of ClassiCube.
func DecodeClassic(b []byte, rep *Report) (*Classic, error) {
	b, err := nbt.Inflate(b, maxUnpacked)
	if err != nil {
		return nil, err
	}
	c, err := nbt.Decode(b)
	if err != nil {
		return nil, err
	}
	x, y, z, data := c.Int("X"), c.Int("Y"), c.Int("Z"), c.Bytes("BlockArray")
	if x <= 0 || y <= 0 || z <= 0 || max(x, y, z) > 1<<14 || int64(x)*int64(y)*int64(z) != int64(len(data)) {
		return nil, malformed("no world of ClassiCube: %d × %d × %d blocks, %d bytes", x, y, z, len(data))
	}
	p := make(palette, 256)
	for i := range p {
		p[i].name = fmt.Sprintf("ClassiCube's block %d", i)
		if i < len(classic) {
			e := entryOf(classicState(classic[i]))
			p[i].block, p[i].known = e.block, e.known
		}
	}
	out := &Classic{Name: c.Text("Name"), Box: clipboard.New(x, y, z)}
	s := c.Of("Spawn")
	out.Spawn = Place{s.Int("X"), s.Int("Y"), s.Int("Z")}
	for i, n := range data {
		out.Box.Blocks[i] = p[n].block
		p[n].count++
	}
	p.report(rep)
	return out, nil
}

// classicState is a name of the list with what our map needs besides.
func classicState(name string) State {
	switch name {
	case "double":
		return ParseState("smooth_stone_slab[type=double]")
	case "crate":
		return State{Name: "oak_planks"}
	case "snow":
		return ParseState("snow[layers=1]")
	case "fire":
		return State{Name: "torch"}
	}
	return State{Name: name}
}
