package foreign

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestNamesThereAndBack: each block that can be copied has a name, and the name is that
// block again.
func TestNamesThereAndBack(t *testing.T) {
	for b := range world.BlockCount {
		if same, ok := world.Copied(b); !ok || same != b {
			continue
		}
		s, ok := Name(b)
		if !ok {
			t.Errorf("%v has no name", b)
			continue
		}
		if got, ok := Block(ParseState(s.String())); !ok || got != b {
			t.Errorf("%v is %s, and that %v", b, s, got)
		}
	}
}

func TestBlocks(t *testing.T) {
	for text, want := range map[string]world.Block{
		"minecraft:stone":                                     world.Stone,
		"minecraft:polished_deepslate":                        world.Stone,
		"minecraft:deepslate_diamond_ore":                     world.CrystalOre,
		"minecraft:spruce_door[half=upper,facing=west]":       world.OakDoorTurnedUpper,
		"minecraft:cyan_bed[part=head,facing=west,a=b]":       world.RedBedWestHead,
		"minecraft:water[level=9]":                            world.Water1,
		"minecraft:snow[layers=3]":                            world.Air,
		"minecraft:light_blue_concrete":                       world.CyanWool,
		"minecraft:white_stained_glass":                       world.Glass,
		"minecraft:birch_wall_sign[facing=west]":              world.OakSignUpperWest,
		"minecraft:oak_sign[rotation=5]":                      world.OakSignWest,
		"minecraft:oak_hanging_sign[rotation=5]":              world.Air,
		"minecraft:dark_oak_stairs[facing=north,half=bottom]": world.OakStairs,
		"minecraft:stone_brick_stairs[facing=east,half=top]":  world.CobblestoneStairsUpperEast,
		"minecraft:cut_copper_stairs[facing=east,half=top]":   world.OrangeWool,
		"minecraft:oak_slab[type=top,waterlogged=false]":      world.OakSlabUpper,
		"minecraft:wheat[age=7]":                              world.WheatRipe,
		"minecraft:spruce_trapdoor[open=true,facing=north]":   world.OakTrapdoorOpen,
		"minecraft:mossy_stone_bricks":                        world.MossyCobblestone,
		"minecraft:stone_slab[type=double,waterlogged=false]": world.Stone,
		"minecraft:cobblestone_slab[type=bottom]":             world.StoneSlab,
	} {
		if got, ok := Block(ParseState(text)); !ok || got != want {
			t.Errorf("%s: %v, %v, not %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "minecraft:", "create:cogwheel", "minecraft:no_such_block"} {
		if got, ok := Block(ParseState(text)); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}
