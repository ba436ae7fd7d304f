package region

import (
	"crypto/ed25519"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// undo sends an order about the history of a box around the chest, and returns the answer.
func (b *bed) undo(key ed25519.PrivateKey, kind decision.OrderKind, of id.ID, u decision.Undo) *Undone {
	b.Helper()
	if u.Box == (world.Zone{}) {
		u.Box = world.Zone{Min: world.Pos{X: 50, Y: 0, Z: 50}, Max: world.Pos{X: 80, Y: 200, Z: 80}}
	}
	return b.undoAnswer(b.signedOrder(of, decision.Order{Kind: kind, Text: u.String()}, key).Signed)
}

// undoAnswer sends an order about a box, and returns the answer.
func (b *bed) undoAnswer(signed []byte) *Undone {
	b.Helper()
	return b.boxAnswer(&Undo{Tag: 7, Signed: signed})
}

func (b *bed) boxAnswer(m *Undo) *Undone {
	b.Helper()
	before := len(b.lobby)
	b.deliver(here, Lobby, m)
	var answer *Undone
	b.until("an answer", func() bool {
		for _, m := range b.lobby[before:] {
			if a, ok := m.(*Undone); ok {
				answer = a
			}
		}
		return answer != nil
	})
	b.run(300 * time.Millisecond)
	return answer
}

// blocks are all blocks around the chest.
func (b *bed) blocks() (out []world.Block) {
	for y := int32(flatTop - 1); y < flatTop+4; y++ {
		for x := int32(50); x < 80; x++ {
			for z := int32(50); z < 80; z++ {
				out = append(out, b.block(world.Pos{X: x, Y: y, Z: z}))
			}
		}
	}
	return out
}

// TestRollback: what somebody has done is taken back, after a crash too, and nothing else
// changes: neither what others have built since, nor what lies in chests.
func TestRollback(t *testing.T) {
	b := newBed(t)
	b.signed = true
	at, all := withChest(b, "ann", "eve", "bo")
	ann, eve, bo := all[0], all[1], all[2]
	spot := func(i int32) world.Pos { return world.Pos{X: 63 + i, Y: flatTop, Z: 66} }
	put := func(c *client, on world.Pos) {
		t.Helper()
		seq := c.planks(on)
		b.until("placed", func() bool { return c.results[seq] != nil })
		if res := c.results[seq]; !res.OK {
			t.Fatalf("%s at %v: %+v", c.name, on, res)
		}
		b.run(500 * time.Millisecond)
	}
	put(ann, spot(0))
	put(ann, spot(1))
	ann.store(at, 1, firstOfChest, 5)
	b.run(time.Second)
	before := b.blocks()
	dig := func(c *client, at world.Pos) {
		t.Helper()
		seq := c.act(Act{Kind: uint8(world.ActDig), Pos: at, Face: uint8(world.FaceUp)})
		for range 200 {
			if c.results[seq] != nil {
				break
			}
			c.walkFor(1, 0, 0)
		}
		if res := c.results[seq]; res == nil || !res.OK {
			t.Fatalf("%s digs %v: %+v", c.name, at, res)
		}
	}
	had := b.planksInAll(all)
	dig(eve, spot(0).Next(world.FaceUp))
	dig(eve, spot(1).Next(world.FaceUp))
	dig(eve, at) // the chest: what is in it lies on the ground
	put(eve, spot(3))
	put(bo, spot(1)) // what others have built since stays
	b.run(3 * time.Second)
	b.crash()
	for _, c := range all {
		c.enter()
	}
	b.run(2 * time.Second)

	if a := b.undo(operatorKey, decision.Inspect, id.ID{}, decision.Undo{}); !a.OK || a.Count != 10 || a.Edits[0].By != bo.player || a.Edits[1].By != eve.player {
		t.Errorf("inspect: %+v", a)
	}
	for what, a := range map[string]*Undone{
		"a stranger":           b.undo(eve.key, decision.Rollback, ann.player, decision.Undo{}),
		"the owner of no land": b.undo(ann.key, decision.Rollback, eve.player, decision.Undo{}),
	} {
		if a.OK || a.Count != 0 {
			t.Errorf("%s: %+v", what, a)
		}
	}
	ruined := b.blocks()
	if a := b.undo(operatorKey, decision.Rollback, eve.player, decision.Undo{Preview: true}); !a.OK || a.Count != 3 || !slices.Equal(b.blocks(), ruined) {
		t.Errorf("preview: %+v", a)
	}
	if a := b.undo(operatorKey, decision.Rollback, eve.player, decision.Undo{Since: b.time().Unix()}); !a.OK || a.Count != 0 {
		t.Errorf("of the time since then: %+v", a)
	}
	if a := b.undo(operatorKey, decision.Rollback, eve.player, decision.Undo{}); !a.OK || a.Count != 3 {
		t.Errorf("rollback: %+v", a)
	}
	if !slices.Equal(b.blocks(), before) {
		t.Error("the land is not what it was")
	}
	if b.region(here).r.area.Container(at) != nil {
		t.Error("the chest is not empty: what was in it is there twice")
	}
	if a := b.undo(operatorKey, decision.Rollback, eve.player, decision.Undo{}); a.Count != 0 {
		t.Errorf("again: %+v", a)
	}
	b.crash()
	for _, c := range all {
		c.enter()
	}
	b.run(2 * time.Second)
	if !slices.Equal(b.blocks(), before) {
		t.Error("after a crash the land is not what it was")
	}
	if a := b.undo(operatorKey, decision.Restore, eve.player, decision.Undo{}); a.Count != 3 || !slices.Equal(b.blocks(), ruined) {
		t.Errorf("restore: %+v", a)
	}
	if now := b.planksInAll(all); now > had {
		t.Errorf("%d planks, there were %d", now, had)
	}
	// Owners do it on their own land.
	b.claims(ann, "home", world.Zone{Min: world.Pos{X: 50, Y: 0, Z: 50}, Max: world.Pos{X: 80, Y: 200, Z: 80}})
	if a := b.undo(ann.key, decision.Rollback, eve.player, decision.Undo{}); !a.OK || a.Count != 3 {
		t.Errorf("the owner of the land: %+v", a)
	}
	if a := b.undo(ann.key, decision.Rollback, eve.player, decision.Undo{Box: world.Zone{Min: world.Pos{X: 49, Y: 0, Z: 50}, Max: world.Pos{X: 80, Y: 200, Z: 80}}}); a.OK {
		t.Errorf("beyond the land: %+v", a)
	}
}

// TestRollbackTakesBack: what a griefer has dug, and what is in the world again, is taken
// from what it carries, less what it had placed; once, and by an operator's order only.
func TestRollbackTakesBack(t *testing.T) {
	b := newBed(t)
	b.signed = true
	_, all := withChest(b, "ann", "eve")
	ann, eve := all[0], all[1]
	spot := func(i int32) world.Pos { return world.Pos{X: 63 + i, Y: flatTop, Z: 66} }
	done := func(c *client, seq uint32) {
		t.Helper()
		for range 200 {
			if c.results[seq] != nil {
				break
			}
			c.walkFor(1, 0, 0)
		}
		if res := c.results[seq]; res == nil || !res.OK {
			t.Fatalf("%s: %+v", c.name, res)
		}
		b.run(500 * time.Millisecond)
	}
	for i := range int32(2) {
		done(ann, ann.planks(spot(i)))
	}
	before := b.planksInAll(all)
	for i := range int32(2) {
		done(eve, eve.act(Act{Kind: uint8(world.ActDig), Pos: spot(i).Next(world.FaceUp), Face: uint8(world.FaceUp)}))
	}
	done(eve, eve.planks(spot(3)))
	b.run(2 * time.Second)
	u := decision.Undo{Box: world.Zone{Min: world.Pos{X: 50, Y: 0, Z: 50}, Max: world.Pos{X: 80, Y: 200, Z: 80}}}
	a := b.undo(operatorKey, decision.Rollback, eve.player, u)
	if !a.OK || a.Count != 3 || !slices.Equal(a.Owed, []world.Owed{{Block: world.OakPlanks, Count: 1}}) || b.planksInAll(all) != before+1 {
		t.Fatalf("%+v; %d planks, there were %d", a, b.planksInAll(all), before)
	}
	take := func(key ed25519.PrivateKey, o *Order) *Order {
		if o == nil {
			o = b.signedOrder(eve.player, decision.Order{Kind: decision.Rollback, Text: u.String()}, key)
			o.Owed = a.Owed
		}
		b.deliver(here, Lobby, o)
		b.run(300 * time.Millisecond)
		return o
	}
	if take(ann.key, nil); b.planksInAll(all) != before+1 {
		t.Error("a player takes from another")
	}
	o := take(operatorKey, nil)
	if now := b.planksInAll(all); now != before {
		t.Errorf("%d planks, there were %d", now, before)
	}
	if take(nil, o); b.planksInAll(all) != before {
		t.Error("an order takes twice")
	}
}

// TestHistoryOnDisk: an edit costs at most 40 bytes, and a region forgets the oldest.
func TestHistoryOnDisk(t *testing.T) {
	b := newBed(t)
	h := b.region(here).r.history
	b.run(time.Second)
	most := decision.UsualNumber(decision.SetHistory)
	edits := most + 1000
	for i := range edits {
		at := world.Pos{X: int32(i % 128), Y: int32(i / 128 % 128), Z: int32(i / 128 / 128)}
		h.record(1<<30+uint64(i), []world.Edit{{BlockChange: world.BlockChange{At: at, Was: world.Stone, Now: world.Chest}, By: id.ID{1, byte(i % 7)}}}, nil)
	}
	bytes := 0
	for k, v := range h.store.small {
		bytes += len(k) + len(v)
	}
	if h.edits != most || bytes > 40*most {
		t.Errorf("%d edits in %d bytes", h.edits, bytes)
	}
	again := &history{component: h.component, store: h.store, indices: map[id.ID]int{}}
	for i, who := range h.actors {
		if err := again.unpackActor(actorKey(i)[1:], who[:]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range h.steps {
		if err := again.unpack(keyHistory, h.steps[i].key()[1:], h.steps[i].append(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if again.edits != h.edits || again.last != h.last || len(again.steps) != len(h.steps) {
		t.Errorf("%d edits up to %d, written were %d up to %d", again.edits, again.last, h.edits, h.last)
	}
	if err := again.unpack(keyHistory, "12345678", []byte{1, 99, 1, 1, 1}); err == nil {
		t.Error("an edit of nobody is read")
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Setting, On: true, Name: decision.SetHistory, Text: "100"})
	h.record(1<<30+uint64(edits), []world.Edit{{By: id.ID{1}}}, nil)
	if h.edits != 100 {
		t.Errorf("%d edits, operators want 100", h.edits)
	}
	b.says(operatorKey, decision.Statement{Topic: decision.Setting, On: true, Name: decision.SetHistoryDays, Text: "1"})
	h.record(1<<30+uint64(edits)+24*3600*20, []world.Edit{{By: id.ID{1}}}, nil)
	if h.edits != 2 {
		t.Errorf("%d edits are younger than a day", h.edits)
	}
}

func FuzzHistory(f *testing.F) {
	s := editStep{tick: 1 << 30, undo: true, edits: []world.BlockChange{{At: world.Pos{X: 3, Y: 70, Z: 9}, Was: world.Stone, Now: world.Air}}}
	moves := editStep{tick: 1 << 30, moves: []world.Moved{{At: world.Pos{X: 3, Y: 70, Z: 9}, Block: world.Stone, Count: -7}}}
	f.Add(false, []byte("\x00\x00\x00\x00\x00\x00\x00\x01"), s.append(nil))
	f.Add(true, []byte("\x00\x00\x00\x00\x00\x00\x00\x02"), moves.append(nil))
	f.Fuzz(func(t *testing.T, chests bool, key, b []byte) {
		kind := keyHistory
		if chests {
			kind = keyMoves
		}
		h := &history{component: component{cfg: &Config{}}, actors: make([]id.ID, 1)}
		if h.unpack(kind, string(key), b) != nil {
			return
		}
		again := &history{component: h.component, actors: h.actors}
		if err := again.unpack(kind, string(key), h.steps[0].append(nil)); err != nil {
			t.Fatal(err)
		}
	})
}
