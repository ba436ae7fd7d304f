package region

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// enterAgain comes into the world from the same session, as a visitor or not.
func (c *client) enterAgain(visitor bool) {
	c.b.Helper()
	m := c.enterMsg()
	m.Visitor, c.online = visitor, false
	c.send(c.home, m)
	c.b.until(c.name+" enters again", func() bool { return c.online })
	c.b.run(300 * time.Millisecond)
}

// TestVisitorsChangeNothing: whatever somebody who only visits asks for, blocks, chests
// and other players stay as they are, also in the next region.
func TestVisitorsChangeNothing(t *testing.T) {
	b := newBed(t)
	at, all := withChest(b, "ada", "vi")
	ada, vi := all[0], all[1]
	ada.store(at, 1, firstOfChest, 12)
	b.run(300 * time.Millisecond)
	vi.enterAgain(true)
	if !vi.selves[len(vi.selves)-1].Visitor {
		t.Error("the visitor is not told that it is one")
	}
	try := func(want bool) {
		t.Helper()
		items := vi.items
		near := vi.body.Block().Add(0, -1, 0).Add(2, 0, 0)
		block := b.block(near)
		asked := map[string]uint32{"place": vi.planks(near)}
		if !want {
			asked["dig"] = vi.act(Act{Kind: uint8(world.ActDig), Pos: near, Face: uint8(world.FaceUp)})
			asked["open"] = vi.open(at)
			asked["store"] = vi.store(at, firstOfChest, world.AnySlot, 2)
			asked["drop"] = vi.act(Act{Kind: uint8(world.ActDrop), A: 1, B: 1})
			asked["hit"] = vi.act(Act{Kind: uint8(world.ActHit), A: uint64(ada.enterMsg().Entity)})
		}
		b.run(2 * time.Second)
		for what, seq := range asked {
			res := vi.results[seq]
			if res == nil || res.OK != want || !want && res.Reason != string(world.Visiting) {
				t.Errorf("%s: %+v", what, res)
			}
		}
		if got := b.block(near); !want && (got != block || vi.items != items) {
			t.Errorf("%v became %v, %v became %v", block, got, items, vi.items)
		}
	}
	try(false)
	if vi.chest != nil {
		t.Errorf("a visitor looks into a chest: %+v", vi.chest)
	}
	b.teleport(vi, metres(140, flatTop+1, 64.5))
	b.until("vi is in the next region", func() bool { r, _ := b.homeOf(vi.player); return r != nil && r.Pos() == there })
	b.run(300 * time.Millisecond)
	try(false)
	vi.enterAgain(false) // with a better invitation
	try(true)
}

// TestVisitorsTakeNothing: what lies on the ground is not for visitors.
func TestVisitorsTakeNothing(t *testing.T) {
	b := newBed(t)
	_, all := withChest(b, "ada", "vi")
	ada, vi := all[0], all[1]
	vi.enterAgain(true)
	b.teleport(ada, metres(60.5, flatTop+1, 60.5))
	b.run(300 * time.Millisecond)
	had := vi.items
	ada.act(Act{Kind: uint8(world.ActDrop), A: 1, B: 5})
	b.run(300 * time.Millisecond)
	b.teleport(ada, metres(80.5, flatTop+1, 80.5))
	b.run(2 * time.Second)
	lies := b.region(here).r.area.Items()
	if len(lies) != 1 {
		t.Fatalf("%d items lie on the ground", len(lies))
	}
	b.teleport(vi, lies[0].Body.Pos)
	b.run(5 * time.Second)
	if vi.items != had {
		t.Errorf("a visitor had %v and has %v", had, vi.items)
	}
	vi.enterAgain(false)
	b.until("vi picks up what lies there", func() bool { return vi.items != had })
}

// TestHostileHandoverOfVisitor: a region that lets a visitor build cannot make the next
// one do so.
func TestHostileHandoverOfVisitor(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "vi")
	b.visitors[c.player] = true
	move := func(to world.RegionPos, x float64) {
		b.teleport(c, metres(x, flatTop+1, 64.5))
		b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == to })
		b.run(500 * time.Millisecond)
	}
	move(there, 132) // as nobody's visitor
	if _, h := b.homeOf(c.player); !h.p.Visitor {
		t.Fatal("the region believes its neighbour that nobody visits")
	}
	b.visitors[c.player] = false // as a lobby that does not know it yet
	move(here, 120)
	_, h := b.homeOf(c.player)
	h.invited = false // the home lies
	move(there, 132)
	if _, h := b.homeOf(c.player); !h.p.Visitor {
		t.Error("the region believes its neighbour that nobody visits, when the visitor comes back")
	}
}

// TestRoleEnds: when somebody's role ends, the invitation counts again: who was invited to
// visit does, and who was made a visitor by a role builds, without entering again and also
// in the next region.
func TestRoleEnds(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "vi")
	near, next := world.Pos{X: 126, Y: flatTop, Z: 66}, world.Pos{X: 130, Y: flatTop, Z: 66}
	cross := func(to world.RegionPos, x float64) {
		b.teleport(c, metres(x, flatTop+1, 64.5))
		b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == to })
		b.run(500 * time.Millisecond)
	}
	check := func(what string, at world.Pos, want wire.Code) {
		t.Helper()
		if code := c.tries(at); code != want {
			t.Errorf("%s: %q, want %q", what, code, want)
		}
	}
	b.visitors[c.player] = true
	c.enterAgain(true)
	check("invited to visit", near, wire.Visiting)
	b.operators[c.player] = true
	b.run(2 * time.Second)
	check("an operator", near, "")
	cross(there, 131)
	b.operators[c.player] = false
	b.run(2 * time.Second)
	check("no operator any more", next, wire.Visiting)

	b.run(departedLifetime) // the first region knows it as a visitor until then
	b.visitors[c.player] = false
	c.enterAgain(false)
	op := ed25519.NewKeyFromSeed([]byte("the key of a second operator, 32"))
	rank := decision.Statement{Topic: decision.Operator, On: true, Subject: id.Of(op.Public().(ed25519.PublicKey)), Name: "op"}
	b.says(operatorKey, rank)
	b.says(op, decision.Statement{Topic: decision.Appoint, On: true, Subject: c.player, Name: "vi", Text: "visitor"})
	check("a visitor by role", next, wire.Visiting)
	cross(here, 125)
	check("a visitor by role, in the next region", near, wire.Visiting)
	rank.On, rank.Seq = false, 0
	b.says(operatorKey, rank)
	check("who has no role any more", near.Add(0, 0, 1), "")
}
