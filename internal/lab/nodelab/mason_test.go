package nodelab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// solids are blocks over flat ground: everything below y = 0 is stone.
type solids map[world.Pos]bool

func (s solids) Block(p world.Pos) (world.Block, bool) {
	if p.Y < 0 || s[p] {
		return world.Stone, true
	}
	return world.Air, true
}

// TestMasonsAim: a mason leaves places alone that a player could not point at; the
// world refuses those, and an experiment would count refusals that no player meets.
func TestMasonsAim(t *testing.T) {
	eye := world.Vec{X: fixed.One / 2, Y: fixed.One * 13 / 8, Z: fixed.One / 2}
	ground, built := spot{at: world.Pos{X: 3}, has: world.Air}, spot{at: world.Pos{X: 3}, has: world.Bricks}
	wall := solids{}
	for z := int32(-6); z <= 6; z++ {
		for y := range int32(4) {
			wall[world.Pos{X: 2, Y: y, Z: z}] = true
		}
	}
	for _, c := range []struct {
		name   string
		blocks solids
		at     spot
		want   bool
	}{
		{"open ground", solids{}, ground, true},
		{"a block in the open", solids{built.at: true}, built, true},
		{"ground behind a wall", wall, ground, false},
		{"a block behind a wall", wall, built, false},
	} {
		if got := aims(c.blocks, eye, &c.at); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
