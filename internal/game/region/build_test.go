package region

import (
	"crypto/ed25519"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// builds sends an order to build, and returns the answer.
func (b *bed) builds(key ed25519.PrivateKey, text string) *Undone {
	b.Helper()
	o := b.signedOrder(id.ID{}, decision.Order{Kind: decision.Build, Text: text}, key)
	return b.undoAnswer(o.Signed)
}

// TestBuild: builders fill boxes and lines within their limit, a part in each tick, not on
// land of others; what they have built can be taken back; followers agree.
func TestBuild(t *testing.T) {
	b := newBed(t)
	b.signed = true
	_, all := withChest(b, "ann", "eve")
	ann, eve := all[0], all[1]
	const top = flatTop
	begun := b.time().Unix()
	box := func(shape string, x0, z0, x1, z1 int, block string) string {
		return fmt.Sprintf("%s %d %d %d %d %d %d %s", shape, x0, top+5, z0, x1, top+7, z1, block)
	}
	at := func(x, y, z int) world.Block { return b.block(world.Pos{X: int32(x), Y: int32(y), Z: int32(z)}) }
	if a := b.builds(ann.key, box("fill", 10, 10, 12, 12, "stone")); a.OK {
		t.Error("a player builds like a builder")
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Appoint, On: true, Subject: ann.player, Name: "ann", Text: "builder"})
	b.claims(eve, "home", world.Zone{Min: world.Pos{X: 12, Z: 0}, Max: world.Pos{X: 20, Y: world.Height - 1, Z: 30}})
	if a := b.builds(ann.key, box("fill", 10, 10, 12, 12, "stone")); !a.OK || a.Count != 18 || at(10, top+6, 10) != world.Stone || at(12, top+6, 10) != world.Air {
		t.Errorf("beside somebody's land: %+v", a)
	}
	if a := b.builds(ann.key, box("fill", 30, 30, 60, 80, "stone")); a.OK {
		t.Errorf("more than builders may: %+v", a)
	}
	ticks := b.region(here).r.loop.tick
	if a := b.builds(operatorKey, box("fill", 30, 30, 60, 80, "stone")); !a.OK || a.Count != 31*51*3 || b.region(here).r.loop.tick < ticks+8 {
		t.Errorf("an operator: %+v within %d ticks", a, b.region(here).r.loop.tick-ticks)
	}
	if a := b.builds(operatorKey, box("replace", 30, 30, 60, 80, "stone dirt")); a.Count != 31*51*3 || at(40, top+6, 40) != world.Dirt {
		t.Errorf("replaced: %+v", a)
	}
	if a := b.builds(operatorKey, box("walls", 80, 30, 89, 39, "stone")); a.Count != 36*3 || at(80, top+5, 35) != world.Stone || at(85, top+5, 35) != world.Air {
		t.Errorf("walls: %+v", a)
	}
	if a := b.builds(operatorKey, box("hollow", 80, 50, 89, 59, "stone")); a.Count != 36*3+2*64 || at(85, top+5, 55) != world.Stone || at(85, top+6, 55) != world.Air {
		t.Errorf("hollow: %+v", a)
	}
	if a := b.builds(operatorKey, box("line", 89, 79, 80, 70, "stone")); a.Count != 10 || at(89, top+5, 79) != world.Stone || at(80, top+7, 70) != world.Stone {
		t.Errorf("a line: %+v", a)
	}
	for i, fluid := range []world.Block{world.Water, world.Lava} {
		x := 100 + 12*i
		if a := b.builds(operatorKey, box("fill", x, 100, x, 100, fluid.String())); !a.OK || a.Count != 3 || at(x, top+6, 100) != fluid {
			t.Errorf("%s: %+v", fluid, a)
		}
		if a := b.builds(operatorKey, box("replace", x, 100, x, 100, fluid.String()+" air")); !a.OK || a.Count != 3 || at(x, top+6, 100) == fluid {
			t.Errorf("%s that is replaced: %+v", fluid, a)
		}
	}
	since := decision.Undo{Since: begun, Box: world.Zone{Min: world.Pos{X: 0, Y: 0, Z: 0}, Max: world.Pos{X: 127, Y: 200, Z: 127}}}
	if a := b.undo(ann.key, decision.Rollback, ann.player, since); !a.OK || a.Count != 18 || at(10, top+6, 10) != world.Air {
		t.Errorf("what she has built herself: %+v", a)
	}
	if a := b.undo(ann.key, decision.Rollback, id.Of(operatorKey.Public().(ed25519.PublicKey)), since); a.OK {
		t.Errorf("what others have built: %+v", a)
	}
	if a := b.undo(ann.key, decision.Restore, ann.player, since); !a.OK || a.Count != 18 {
		t.Errorf("again: %+v", a)
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Jail, On: true, Subject: ann.player, Name: "ann"})
	if a := b.builds(ann.key, box("fill", 1, 1, 2, 2, "stone")); a.OK {
		t.Errorf("in jail: %+v", a)
	}
	if a := b.undo(ann.key, decision.Rollback, ann.player, since); a.OK {
		t.Errorf("in jail: %+v", a)
	}
	b.run(2 * time.Second)
}
