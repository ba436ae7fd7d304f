package region

import (
	"crypto/ed25519"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// signedBed has a client that signs and stands in the world with a stone in its hand,
// and a region that has taken all that it has signed.
func signedBed(t *testing.T) (*bed, *client, *Region) {
	b := newBed(t)
	b.signed = true
	c := b.client("ada").enter()
	c.hold(world.Stone)
	c.walkFor(25, 0, 0)
	r, _ := b.homeOf(c.player)
	if r.stats.Unsigned != 0 || c.acked != c.seq {
		t.Fatalf("%d of %d steps were run, %d proofs refused", c.acked, c.seq, r.stats.Unsigned)
	}
	return b, c, r
}

// placed counts the acts of a session that were done.
func (c *client) placed() (n int) {
	for _, m := range c.results {
		if m.OK {
			n++
		}
	}
	return n
}

func (b *bed) blockAt(p world.Pos) world.Block {
	v, _ := b.regions[p.Region()].r.area.Block(p)
	return v
}

// beside is a block of the ground near a client.
func (c *client) beside(dx int32) world.Pos {
	at := c.body.Block()
	return world.Pos{X: at.X + dx, Y: flatTop, Z: at.Z + 2}
}

// TestSigned: what a player signs is done: steps at once, acts when their proof is
// verified, and nobody is stopped.
func TestSigned(t *testing.T) {
	b, c, r := signedBed(t)
	c.place(c.beside(1))
	c.walkFor(300, world.ButtonForward, 0)
	if b.blockAt(c.beside(1).Next(world.FaceUp)) == world.Air && c.placed() != 2 {
		t.Error("the block is not there")
	}
	if c.acked != c.seq || r.stats.Unsigned+r.stats.Forged != 0 || len(c.other) != 0 {
		t.Errorf("%d of %d steps, %d unsigned, %d forged, %v", c.acked, c.seq, r.stats.Unsigned, r.stats.Forged, c.other)
	}
}

// TestInventedAct: a node cannot have an act done that the player has not signed so,
// in this session and with this number.
func TestInventedAct(t *testing.T) {
	b, c, r := signedBed(t)
	at := c.beside(1)
	act := Act{Player: c.player, Kind: uint8(world.ActPlace), Pos: at, Face: uint8(world.FaceUp), Seq: c.acts.Next()}
	ask := func(edit func(*inputlog.Segment), change func(*Act), key ed25519.PrivateKey, of inputlog.Session) *Act {
		m := act
		seg := &inputlog.Segment{Number: 9, Tick: b.tick(), First: c.seq + 1, Acts: []inputlog.Act{{
			Seq: m.Seq, Kind: m.Kind, At: m.Pos, Face: m.Face,
		}}}
		edit(seg)
		seg.Sign(&of, key)
		m.Proof = seg.Append(nil)
		change(&m)
		return &m
	}
	same, keep := func(*inputlog.Segment) {}, func(*Act) {}
	of := c.session()
	other, elsewhere := of, of
	other.Nonce[7], elsewhere.World[3] = 9, 9
	_, eve, _ := ed25519.GenerateKey(nil)
	for name, m := range map[string]*Act{
		"without a proof":           &act,
		"with another's signature":  ask(same, keep, eve, of),
		"of another session":        ask(same, keep, c.key, other),
		"of another world":          ask(same, keep, c.key, elsewhere),
		"with another number":       ask(func(s *inputlog.Segment) { s.Acts[0].Seq++ }, keep, c.key, of),
		"elsewhere":                 ask(same, func(m *Act) { m.Pos.X++ }, c.key, of),
		"of another kind":           ask(same, func(m *Act) { m.Kind = uint8(world.ActDig) }, c.key, of),
		"in a segment cut short":    ask(same, func(m *Act) { m.Proof = m.Proof[:len(m.Proof)-1] }, c.key, of),
		"in a segment without acts": ask(func(s *inputlog.Segment) { s.Acts = nil }, keep, c.key, of),
	} {
		was := r.stats.Unsigned
		c.send(c.home, m)
		b.run(time.Second)
		if r.stats.Unsigned != was+1 || c.placed() != 1 || b.blockAt(at.Next(world.FaceUp)) != world.Air {
			t.Errorf("an act %s: %d proofs refused, %d acts done", name, r.stats.Unsigned-was, c.placed())
		}
	}
	c.place(at) // the player's own
	b.run(time.Second)
	if c.placed() != 2 {
		t.Error("the player can do nothing any more")
	}
}

// TestRepeatedAct: an act is done once, also if its proof comes again, in another
// session of the player, or after that.
func TestRepeatedAct(t *testing.T) {
	b, c, r := signedBed(t)
	var proofs []*Act
	for i := range int32(2) {
		c.place(c.beside(i))
		proofs = append(proofs, c.acts.Resend()...)
		b.run(time.Second)
	}
	again := func(when string) {
		t.Helper()
		done := r.stats.Acts
		for _, m := range proofs {
			c.send(c.home, m)
		}
		c.send(c.home, &Segment{c.player, proofs[0].Proof})
		b.run(time.Second)
		if r.stats.Acts != done {
			t.Errorf("%s: %d acts were begun again", when, r.stats.Acts-done)
		}
	}
	again("at once")
	first := c.nonce
	c.begin(2)
	c.enter()
	again("in another session")
	c.nonce = first
	c.enter()
	again("in the first session again")
	b.crash()
	c.enter()
	r, _ = b.homeOf(c.player)
	again("after a crash")
}

// TestForgedSteps: if other steps come than the player has signed, it is stopped and
// taken out of the world when the signature comes.
func TestForgedSteps(t *testing.T) {
	b, c, r := signedBed(t)
	c.seq++
	c.send(c.home, &Inputs{Player: c.player, First: c.seq, Steps: []Step{{Buttons: world.ButtonBack}}, NoPos: true})
	c.log.Step(c.seq, Step{Buttons: world.ButtonForward}, b.tick())
	c.send(c.home, &Segment{c.player, c.log.Sign(b.tick()).Append(nil)})
	b.run(time.Second)
	if r.stats.Forged != 1 || !c.hasLeft(LeftUnsigned) || !c.warned() {
		t.Errorf("%d forgeries, told %v", r.stats.Forged, c.other)
	}
}

func (c *client) hasLeft(reason uint8) bool {
	return slices.ContainsFunc(c.other, func(m machine.Message) bool { l, ok := m.(*Left); return ok && l.Reason == reason })
}

func (c *client) warned() bool {
	return slices.ContainsFunc(c.other, func(m machine.Message) bool { n, ok := m.(*Notice); return ok && n.Code == unsignedCode })
}

// TestUnsignedSteps: steps that stay unsigned are run for two seconds; after ten the
// player is taken out of the world. Whoever enters again moves only when it has signed.
func TestUnsignedSteps(t *testing.T) {
	b, c, r := signedBed(t)
	silent := func(ticks int) {
		for range ticks {
			c.seq++
			c.send(c.home, &Inputs{Player: c.player, First: c.seq, Steps: []Step{{}}, NoPos: true})
			b.run(TickLength)
		}
	}
	began := c.seq
	silent(150)
	if ran := c.acked - began; ran < inputlog.StopAfter-5 || ran > inputlog.StopAfter+5 {
		t.Errorf("%d steps were run without a signature", ran)
	}
	if c.hasLeft(LeftUnsigned) || !c.warned() {
		t.Errorf("after 7.5 s: told %v", c.other)
	}
	silent(100)
	if !c.hasLeft(LeftUnsigned) {
		t.Error("after 12.5 s the player is still there")
	}
	for range 3 {
		c.enter()
		acked := c.acked
		silent(40)
		if c.acked != acked && c.acked != 0 {
			t.Errorf("step %d was run after %d", c.acked, acked)
		}
	}
	if r.stats.Forged != 0 {
		t.Error("silence is no forgery")
	}
}

// TestSignedLate: what is held back for longer than a minute is refused, and what is
// signed for the future.
func TestSignedLate(t *testing.T) {
	for _, d := range []time.Duration{-70 * time.Second, 20 * time.Second} {
		b, c, _ := signedBed(t)
		act := &Act{Player: c.player, Kind: uint8(world.ActPlace), Pos: c.beside(1), Face: uint8(world.FaceUp)}
		was := b.now
		b.now = b.now.Add(d)
		c.log = inputlog.NewBuilder(c.session(), c.key) // a clock that is set back does not make the log go back
		act.Proof = c.sign(act)
		b.now = was
		act = c.acts.Ask(act)
		c.send(c.home, act)
		b.run(time.Second)
		if got := c.results[act.Seq]; got == nil || got.OK || got.Reason != string(world.TooLate) {
			t.Errorf("signed at %v from now: %+v", d, got)
		}
	}
}

// TestUnsignedEnter: who does not say with which key it signs is not let in.
func TestUnsignedEnter(t *testing.T) {
	b := newBed(t)
	b.signed = true
	c := b.client("ada")
	m := c.enterMsg()
	m.Key[0]++
	c.send(c.home, m)
	b.run(time.Second)
	refused, ok := c.other[0].(*Refused)
	if c.online || !ok || refused.Code != unsignedCode {
		t.Errorf("told %v", c.other)
	}
}

// TestSignedCrossing: the log goes along over borders, whatever the delay: nobody is
// stopped, acts are done once, and a forgery before the border is found behind it.
func TestSignedCrossing(t *testing.T) {
	for _, delay := range []time.Duration{time.Millisecond, 40 * time.Millisecond, 170 * time.Millisecond} {
		b, c, _ := signedBed(t)
		b.delay = delay
		for range 3 {
			from := c.home
			b.teleport(c, c.body.Add(world.Vec{X: 126 << 12}))
			for i := 0; c.home == from && i < 400; i++ {
				c.walk(world.ButtonForward, 16384) // towards +x
				if i%7 == 0 {
					c.place(c.beside(0))
				}
				b.run(TickLength)
			}
			if c.home == from {
				t.Fatalf("%v: still in %v", delay, from)
			}
			c.walkFor(60, 0, 0)
		}
		b.run(time.Second)
		r, h := b.homeOf(c.player)
		if h == nil || h.stoppedSince != 0 || c.acked != c.seq || r.stats.Unsigned+r.stats.Forged != 0 || c.warned() || c.acts.Pending() != 0 {
			t.Fatalf("%v: %d of %d steps, %d acts open, told %v", delay, c.acked, c.seq, c.acts.Pending(), c.other)
		}
	}
}
