package region

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// liar is a region whose leader asks its neighbour for edits that no player has asked
// for, or not so.
type liar struct {
	*bed
	c    *client
	edit RemoteEdit // the last that it was honestly asked for
}

// lyingNeighbour has a player who has just placed a block over the border, and could
// place another.
func lyingNeighbour(t *testing.T) *liar {
	b := newBed(t)
	b.signed = true
	l := &liar{bed: b, c: byBorder(b)}
	b.lose = func(m machine.Message) bool {
		if m, ok := m.(*RemoteEdit); ok {
			l.edit = *m
		}
		return false
	}
	l.c.planks(beyond)
	b.run(time.Second)
	if b.block(beyond.Add(0, 1, 0)) != world.OakPlanks || len(l.edit.Proof.Segment) == 0 {
		t.Fatalf("an edit that is signed is not done: %+v", l.edit)
	}
	return l
}

// ask asks for an edit and reports whether a block has changed.
func (l *liar) ask(m *RemoteEdit) bool {
	l.lastTag++
	m.Remote.Op = l.edit.Remote.Op + 100 + l.lastTag
	m.Oldest = m.Remote.Op
	r := l.region(there).r
	was := r.stats.BlocksChanged
	l.deliver(there, PeerOf(here), m)
	l.run(500 * time.Millisecond)
	return r.stats.BlocksChanged != was
}

// signed makes the edit that follows from an act of the player, signed.
func (l *liar) signed(kind world.ActKind, at world.Pos, change func(*inputlog.Segment)) *RemoteEdit {
	_, h := l.homeOf(l.c.player)
	m := l.edit
	ask := *m.Remote
	ask.Seq, ask.At, ask.Kind = l.c.acts.Next(), at.Next(world.FaceUp), world.RemotePlace
	if kind == world.ActDig {
		ask.At, ask.Kind, ask.Block = at, world.RemoteBreak, l.block(at)
	}
	seg := &inputlog.Segment{Number: 77, Tick: l.tick(), First: l.c.seq + 1, Acts: []inputlog.Act{{
		Seq: ask.Seq, Kind: uint8(kind), At: at, Face: uint8(world.FaceUp), A: 1,
	}}}
	change(seg)
	of := l.c.session()
	seg.Sign(&of, l.c.key)
	m.Remote, m.Proof.Segment, m.Epoch = &ask, seg.Append(nil), uint32(h.p.Epoch)
	return &m
}

// TestForgedBorderEdits: who leads a region can do nothing over its border in the name
// of a player who has not signed it, and nothing a second time.
func TestForgedBorderEdits(t *testing.T) {
	l := lyingNeighbour(t)
	b, r := l.bed, l.region(there).r
	here2, up := beyond.Add(0, 0, 1), beyond.Add(0, 1, 0)
	_, eve, _ := ed25519.GenerateKey(nil)
	same := func(*inputlog.Segment) {}
	place := func(change func(*RemoteEdit)) *RemoteEdit {
		m := l.signed(world.ActPlace, here2, same)
		change(m)
		return m
	}
	minutes := func(n int) func(*inputlog.Segment) {
		return func(s *inputlog.Segment) { s.Tick = uint64(int64(s.Tick) + int64(n)*60*20) }
	}
	for name, m := range map[string]*RemoteEdit{
		"without a proof":     place(func(m *RemoteEdit) { m.Proof = ActProof{} }),
		"without a segment":   place(func(m *RemoteEdit) { m.Proof.Segment = nil }),
		"at another place":    place(func(m *RemoteEdit) { m.Remote.At = m.Remote.At.Add(0, 0, 1) }),
		"with another number": place(func(m *RemoteEdit) { m.Remote.Seq++ }),
		"in another session":  place(func(m *RemoteEdit) { m.Proof.Nonce[4]++ }),
		"of another player":   place(func(m *RemoteEdit) { m.Remote.Player[3]++ }),
		"with another key":    place(func(m *RemoteEdit) { m.Proof.Key = [32]byte(eve.Public().(ed25519.PublicKey)) }),
		"breaks, signed a place": place(func(m *RemoteEdit) {
			m.Remote.Kind, m.Remote.At, m.Remote.Block = world.RemoteBreak, here2, b.block(here2)
		}),
		"changed after signing": place(func(m *RemoteEdit) { m.Proof.Segment[len(m.Proof.Segment)-1] ^= 1 }),
		"without its act":       l.signed(world.ActPlace, here2, func(s *inputlog.Segment) { s.Acts = nil }),
		"signed long ago":       l.signed(world.ActPlace, here2, minutes(-11)),
		"signed for the future": l.signed(world.ActPlace, here2, minutes(1)),
	} {
		if l.ask(m) {
			t.Errorf("an edit %s was done", name)
		}
	}
	if r.stats.Unsigned != 10 {
		t.Errorf("%d of 10 are counted as unsigned", r.stats.Unsigned)
	}
	repeated := func(when string) {
		t.Helper()
		m := l.edit
		ask := *m.Remote
		m.Remote, m.Epoch = &ask, m.Epoch+5
		if l.ask(&m) {
			t.Errorf("what the player did once was done again %s", when)
		}
	}
	if !l.ask(l.signed(world.ActDig, up, same)) || b.block(up) != world.Air {
		t.Fatal("what the player has signed is not done")
	}
	repeated("when the block is gone")
	b.crash()
	l.settledFor(l.c)
	repeated("by another leader of the region")
}

// TestForgedHomeActs: what a player did at home is not done once more for the neighbour
// that it goes to.
func TestForgedHomeActs(t *testing.T) {
	b := newBed(t)
	b.signed = true
	c := byBorder(b)
	at := world.Pos{X: 126, Y: flatTop, Z: 65}
	seq := c.planks(at)
	b.run(500 * time.Millisecond)
	dug := c.act(Act{Kind: uint8(world.ActDig), Pos: at.Next(world.FaceUp)})
	proof := c.acts.Resend()[0].Proof
	c.walkFor(200, 0, 0)
	if b.block(at.Next(world.FaceUp)) != world.Air || c.results[dug] == nil || !c.results[seq].OK {
		t.Fatalf("%+v", c.results)
	}
	again := func(when string) {
		t.Helper()
		c.walkFor(20, 0, 0)
		r := b.region(here).r
		b.lastTag++
		op := TickAt(b.now, 0)<<8 | b.lastTag
		up := at.Next(world.FaceUp)
		r.area.Revert([]world.BlockChange{{At: up, Was: world.OakPlanks, Now: b.block(up)}}) // somebody has built there
		was := r.stats.BlocksChanged
		_, h := b.homeOf(c.player)
		of := c.session()
		b.deliver(here, PeerOf(there), &RemoteEdit{Oldest: op, Epoch: uint32(h.p.Epoch) + 3, Proof: ActProof{of.Key, of.Nonce, proof}, Remote: &world.Remote{
			Kind: world.RemoteBreak, From: there, Player: c.player, Seq: dug, At: at.Next(world.FaceUp), Block: world.OakPlanks, Body: h.p.Body.Pos, Op: op,
		}})
		b.run(500 * time.Millisecond)
		if r.stats.BlocksChanged != was {
			t.Errorf("dug again %s", when)
		}
	}
	again("while the player is at home")
	b.teleport(c, metres(129.5, flatTop+1, 64.5))
	b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == there })
	again("after it has gone over")
}
