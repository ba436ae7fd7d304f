package region

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// pastes sends an order to paste a box, and returns the answer.
func (b *bed) pastes(key ed25519.PrivateKey, at world.Pos, box *clipboard.Box) *Undone {
	b.Helper()
	text := "paste " + decision.PlaceText(at) + " " + decision.PlaceText(at.Add(int32(box.X-1), int32(box.Y-1), int32(box.Z-1)))
	o := b.signedOrder(id.ID{}, decision.Order{Kind: decision.Build, Text: text}, key)
	return b.boxAnswer(&Undo{Tag: 7, Signed: o.Signed, Blocks: clipboard.Encode(box.Blocks)})
}

// cottage has what falls without something beside or below it, and more blocks than a tick
// changes.
func cottage() *clipboard.Box {
	c := clipboard.New(16, 6, 16)
	for i := range c.Blocks {
		c.Blocks[i] = world.Air
	}
	for x := range c.X {
		for z := range c.Z {
			c.Blocks[c.Index(x, 0, z)] = world.Stone
			if x == 0 || z == 0 || x == 15 || z == 15 {
				for y := 1; y < 6; y++ {
					c.Blocks[c.Index(x, y, z)] = world.Stone
				}
			}
		}
	}
	put := func(x, y, z int, b world.Block) { c.Blocks[c.Index(x, y, z)] = b }
	put(5, 1, 0, world.OakDoor)
	put(5, 2, 0, world.OakDoorUpper)
	put(3, 1, 3, world.RedBedEast)
	put(4, 1, 3, world.RedBedEastHead)
	put(6, 1, 6, world.RedBed)
	put(6, 1, 5, world.RedBedHead)
	put(8, 1, 8, world.Torch)
	for y := 1; y < 6; y++ {
		put(1, y, 5, world.Ladder)
	}
	put(9, 1, 9, world.Chest)
	return c
}

// TestCopyAndPaste: what was copied is there as it was when it was pasted, whatever it is
// fixed to; what lies in chests is neither doubled nor lost; it can be taken back.
func TestCopyAndPaste(t *testing.T) {
	b := newBed(t)
	b.signed = true
	chest, all := withChest(b, "ann")
	ann := all[0]
	ann.store(chest, 1, firstOfChest, 5)
	b.run(time.Second)
	held := func() string { return fmt.Sprint(b.region(here).r.area.Contents(chest)) }
	full := held()
	house := cottage()
	at := world.Pos{X: 20, Y: flatTop + 3, Z: 20}
	text := func(shape string, at world.Pos, box *clipboard.Box) string {
		return shape + " " + decision.PlaceText(at) + " " + decision.PlaceText(at.Add(int32(box.X-1), int32(box.Y-1), int32(box.Z-1)))
	}
	if a := b.builds(ann.key, text("copy", at, house)); a.OK {
		t.Error("a player copies like a builder")
	}
	if a := b.pastes(ann.key, at, house); a.OK {
		t.Error("a player pastes like a builder")
	}
	begun := b.time().Unix()
	if a := b.pastes(operatorKey, at, clipboard.New(1, 1, 1)); a.OK && a.Count > 0 {
		t.Errorf("nothing was pasted: %+v", a)
	}
	if a := b.pastes(operatorKey, at, house); !a.OK || a.Count <= amendPerTick {
		t.Fatalf("pasted: %v, %d", a.OK, a.Count)
	}
	b.run(2 * time.Second)
	copied := func(at world.Pos, shape string) *Undone {
		t.Helper()
		a := b.builds(operatorKey, text(shape, at, house))
		got, err := clipboard.Decode(a.Blocks, len(house.Blocks))
		if err != nil || !a.OK || !slices.Equal(got, house.Blocks) {
			t.Fatalf("%s: %v, %v, %d of %d blocks differ", shape, a.OK, err, differing(got, house.Blocks), len(got))
		}
		return a
	}
	if a := copied(at, "copy"); a.Count != 0 {
		t.Errorf("a copy changes %d blocks", a.Count)
	}
	copied(at, "cut")
	b.run(2 * time.Second)
	for _, it := range b.region(here).r.area.Items() {
		t.Errorf("%v fell from what was cut", it.Stack)
	}
	if now, _ := b.region(here).r.area.Block(at); now != world.Air {
		t.Errorf("cut, and still %v", now)
	}
	everything := decision.Undo{Since: begun, Box: world.Zone{Max: world.Pos{X: 127, Y: 200, Z: 127}}}
	if a := b.undo(operatorKey, decision.Rollback, id.Of(operatorKey.Public().(ed25519.PublicKey)), everything); !a.OK {
		t.Errorf("taken back: %+v", a)
	}
	corner := chest.Add(-2, -1, -2)
	if a := b.pastes(operatorKey, corner, house); !a.OK || held() != full || b.block(chest) != world.Chest {
		t.Errorf("pasted over a chest: %+v, %s in it, %s before", a.OK, held(), full)
	}
	one := world.Zone{Min: chest, Max: chest}
	a := b.builds(operatorKey, "cut "+decision.PlaceText(chest)+" "+decision.PlaceText(chest))
	if got, err := clipboard.Decode(a.Blocks, clipboard.Volume(one)); err != nil || got[0] != clipboard.Nothing || held() != full {
		t.Errorf("a chest with something in it was cut: %v, %v", got, err)
	}
	a = b.builds(operatorKey, "copy "+decision.PlaceText(chest)+" "+decision.PlaceText(chest))
	if got, err := clipboard.Decode(a.Blocks, 1); err != nil || got[0] != world.Chest {
		t.Errorf("a chest with something in it was copied: %v, %v", got, err)
	}
	b.run(2 * time.Second)
}

func differing(a, b []world.Block) (n int) {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			n++
		}
	}
	return n
}
