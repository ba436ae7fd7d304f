package regionlog

import (
	"crypto/ed25519"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestTakesOfOneOrder: a rollback that takes several kinds of things is one order, not one
// that was executed twice.
func TestTakesOfOneOrder(t *testing.T) {
	who := id.Of([]byte("eve"))
	key := ed25519.NewKeyFromSeed([]byte("the key of an operator, 32 bytes"))
	a := NewArea(world.AreaConfig{}, world.RegionPos{}, false)
	o := &decision.Order{Seq: 7, Kind: decision.Rollback, Subject: who, Name: "Eve", Text: "1 2 3 4 5 6 0"}
	o.Sign(key)
	for _, b := range []world.Block{world.Stone, world.Dirt} {
		take := &world.Order{Kind: world.OrderTake, Block: b, Count: 3, Signed: o.Append(nil)}
		if err := a.mayOrder(&world.Command{Player: who, Kind: world.CmdOrder, Order: take}); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.ordered) != 1 {
		t.Errorf("%d orders", len(a.ordered))
	}
	give := &world.Order{Kind: world.OrderGive, Block: world.Stone, Count: 3, Signed: o.Append(nil)}
	if a.mayOrder(&world.Command{Player: who, Kind: world.CmdOrder, Order: give}) == nil {
		t.Error("a rollback gives something")
	}
}
