package regionlog

import (
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// What players do across the border. An edit for which a neighbour asks is run only after
// the player's signature of the act was logged, and the answer of a neighbour only if the
// rules have let the player ask for that here, once.

// border is what is open across the border: a part of the state.
type border struct {
	asks   []ask       // of players here
	signed []remoteAct // of players of neighbours, to be run
}

// ask is an edit that somebody here wants of a neighbour.
type ask struct {
	player id.ID
	seq    uint32
	kind   world.RemoteKind
	at     world.Pos
	face   world.Face
	block  world.Block
	got    world.Block // what its tool harvests
}

// remoteAct is an act that a player of a neighbour has signed.
type remoteAct struct {
	player id.ID
	act    inputlog.Act
}

// maxBorder bounds either list: more than all neighbours together may have open
// (region.maxNeighbourEdits). The oldest goes: it was given up.
const maxBorder = 5 << 10

// remoteWindow is how many ticks old a signature may be when the act is logged: twice
// what regions take, for the clocks of two of them.
const remoteWindow = 20 * inputlog.Window

func askOf(m *world.Remote) ask { return ask{m.Player, m.Seq, m.Kind, m.At, m.Face, m.Block, m.Got} }

// asked notes what a step asks of neighbours.
func (a *Area) asked(c *world.Changes) *world.Changes {
	for i := range c.Remotes {
		a.border.asks = bounded(append(a.border.asks, askOf(&c.Remotes[i])))
	}
	return c
}

func bounded[T any](list []T) []T {
	if len(list) > maxBorder {
		list = slices.Delete(list, 0, len(list)-maxBorder)
	}
	return list
}

// Ask is when an edit is open for which a step before the log has asked. Who follows begins
// anew.
func (a *Area) Ask(m *world.Remote) {
	a.rec.stop()
	a.border.asks = bounded(append(a.border.asks, askOf(m)))
}

// Unask is when an edit has ended without its player.
func (a *Area) Unask(m *world.Remote) {
	if a.border.settle(m) {
		a.rec.event(evNoAsk)
		a.rec.raw(m.Append(nil))
	}
}

// settle takes an ask away; false: nobody has asked for that. What is left of a block is what
// the tool harvests, or nothing.
func (b *border) settle(m *world.Remote) bool {
	is := askOf(m)
	i := slices.IndexFunc(b.asks, func(x ask) bool {
		if is.got == world.Air {
			x.got = world.Air
		}
		return x == is
	})
	if i >= 0 {
		b.asks = slices.Delete(b.asks, i, i+1)
	}
	return i >= 0
}

// SignedRemote notes that an edit of a neighbour's player waits to be run: the act is in an
// encoded segment, which the caller has verified.
func (a *Area) SignedRemote(key, nonce [32]byte, segment []byte, act inputlog.Act) {
	if !a.signed {
		return
	}
	a.border.sign(id.Of(key[:]), act)
	if a.rec.on {
		a.rec.event(evSignedRemote)
		a.rec.raw(key[:])
		a.rec.raw(nonce[:])
		a.rec.uint(uint64(act.Seq))
		a.rec.put(segment)
	}
}

func (b *border) sign(player id.ID, act inputlog.Act) {
	b.signed = bounded(append(b.signed, remoteAct{player, act}))
}

// run takes a signed act away that is run; false: nobody has signed it.
func (b *border) run(m *world.Remote) bool {
	i := slices.IndexFunc(b.signed, func(s remoteAct) bool { return s.player == m.Player && s.act.Seq == m.Seq && AsksFor(&s.act, m) })
	if i >= 0 {
		b.signed = slices.Delete(b.signed, i, i+1)
	}
	return i >= 0
}

// AsksFor reports whether an act is one to break, to place, to pour or to open a block there. Which
// block is placed depends on what the player has in its hand, for which its home answers.
func AsksFor(a *inputlog.Act, ask *world.Remote) bool {
	switch {
	case a == nil:
		return false
	case ask.Kind == world.RemoteBreak:
		return world.ActKind(a.Kind) == world.ActDig && a.At == ask.At
	case ask.Kind == world.RemoteTill:
		return world.ActKind(a.Kind) == world.ActPlace && a.At == ask.At
	case ask.Kind == world.RemoteOpen:
		return world.ActKind(a.Kind) == world.ActOpen && a.At == ask.At
	}
	places := ask.Kind == world.RemotePlace || ask.Kind == world.RemotePour
	return places && world.ActKind(a.Kind) == world.ActPlace && world.Face(a.Face) == ask.Face &&
		(a.At == ask.At || a.At.Next(ask.Face) == ask.At)
}

// mayCross reports a command from across the border that must not be run.
func (a *Area) mayCross(c *world.Command) error {
	switch {
	case c.Kind == world.CmdRemote && a.signed && c.Remote.Kind != world.RemoteItem && !a.border.run(c.Remote):
		return fmt.Errorf("%w: player %s, who is at a neighbour, has not signed what was done at %v", errRule, c.Remote.Player, c.Remote.At)
	case c.Kind == world.CmdSettle && !a.border.settle(c.Remote):
		return fmt.Errorf("%w: player %s was given an answer of a neighbour about %v that is not one to what it has asked", errRule, c.Player, c.Remote.At)
	}
	return nil
}

// applySignedRemote takes what a player of a neighbour has signed, after verifying that.
func (a *Area) applySignedRemote(r *reader) error {
	of := &inputlog.Session{World: a.world, Key: [32]byte(r.Take(32)), Nonce: [32]byte(r.Take(32))}
	seq, segment := uint32(r.Uint(maxU32)), r.Bytes(inputlog.MaxSize)
	if r.Bad() {
		return ErrFormat
	}
	player := id.Of(of.Key[:])
	seg, err := inputlog.Decode(segment)
	if err != nil || seg.Act(seq) == nil || !seg.Verify(of) || seg.Tick+remoteWindow < a.Now() {
		return fmt.Errorf("%w: act %d of player %s, who is at a neighbour, bears no valid signature", errRule, seq, player)
	}
	a.border.sign(player, *seg.Act(seq))
	return nil
}

// append appends what is open.
func (b *border) append(out []byte) []byte {
	w := writer{out}
	w.uint(uint64(len(b.asks)))
	for _, x := range b.asks {
		w.raw(x.player[:])
		w.uint(uint64(x.seq))
		w.uint(uint64(x.kind))
		w.pos(x.at)
		w.uint(uint64(x.face))
		w.uint(uint64(x.block))
		w.uint(uint64(x.got))
	}
	w.uint(uint64(len(b.signed)))
	for _, s := range b.signed {
		w.raw(s.player[:])
		w.uint(uint64(s.act.Seq))
		w.act(world.Act{Kind: world.ActKind(s.act.Kind), At: s.act.At, Face: world.Face(s.act.Face), A: int64(s.act.A), B: int64(s.act.B), Text: s.act.Text})
	}
	return w.b
}

// load reads what append wrote.
func (b *border) load(r *reader) {
	for n := r.Uint(maxBorder); n > 0 && !r.Bad(); n-- {
		b.asks = append(b.asks, ask{
			r.id(), uint32(r.Uint(maxU32)), world.RemoteKind(r.Uint(uint64(world.LastRemote))), r.pos(), world.Face(r.Uint(255)), r.block(), r.block(),
		})
	}
	for n := r.Uint(maxBorder); n > 0 && !r.Bad(); n-- {
		player, seq := r.id(), uint32(r.Uint(maxU32))
		b.signed = append(b.signed, remoteAct{player, signedAct(seq, r.act())})
	}
}
