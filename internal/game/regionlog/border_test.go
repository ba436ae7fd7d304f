package regionlog

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// beyond is a place across the border that a player at its edge reaches.
var beyond = world.Pos{X: -1, Y: top, Z: 60}

// atTheBorder is a play whose first player stands at the border and digs across it.
func atTheBorder(t *testing.T) *play {
	t.Helper()
	w := newPlay(3, 2, true)
	for z := range int32(world.RegionCols) {
		w.a.PutOutside(flat(world.ColumnPos{X: -1, Z: z}))
	}
	p := w.a.RemovePlayer(w.players[0].id)
	p.Mode, p.Body.Pos = world.Creative, world.Vec{X: fixed.One, Y: fixed.Int(top + 1), Z: fixed.Int(60)}
	w.a.AddPlayer(p)
	w.quiet()
	w.a.GiveState()
	w.quiet()
	return w
}

// quiet is a tick in which nobody does anything by chance.
func (w *play) quiet(cmds ...world.Command) *world.Changes {
	w.tick++
	c := w.a.Tick(w.tick, cmds)
	w.a.EndTick(0)
	return c
}

// digsAcross lets the first player dig across the border, and returns what a neighbour is
// asked for.
func (w *play) digsAcross(t *testing.T) *world.Remote {
	t.Helper()
	w.players[0].seq++
	step := world.Command{Player: w.players[0].id, Kind: world.CmdInput, Seq: w.players[0].seq}
	c := w.quiet(step, w.acts(w.players[0], world.Act{Kind: world.ActDig, At: beyond, Face: world.FaceUp}))
	for range 60 {
		if len(c.Remotes) > 0 {
			m := c.Remotes[0]
			return &m
		}
		w.players[0].seq++
		step.Seq = w.players[0].seq
		c = w.quiet(step)
	}
	t.Fatalf("nobody is asked to dig: %+v", c.Results)
	return nil
}

// verdict replays the log so far.
func (w *play) verdict(t *testing.T) string {
	t.Helper()
	w.a.GiveState()
	w.quiet()
	from := 0
	for i, o := range w.outs {
		if o.State != nil && i < len(w.outs)-1 && (o.Number == 0 || from == 0) {
			from = i
		}
	}
	p, err := replay(w.outs, from)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		return ""
	}
	found, err := p.Check()
	if err != nil {
		t.Fatal(err)
	}
	return found.Rule
}

// TestAnswersOfNeighbours: a leader may settle what a player has asked of a neighbour, once,
// and with what the tool harvests: anything else is a proof.
func TestAnswersOfNeighbours(t *testing.T) {
	settled := func(m world.Remote) world.Command {
		return world.Command{Player: m.Player, Kind: world.CmdSettle, Seq: m.Seq, Remote: &m}
	}
	for _, c := range []struct {
		name  string
		lie   bool
		tells func(w *play, m world.Remote)
	}{
		{"settles", false, func(w *play, m world.Remote) { w.quiet(settled(m)) }},
		{"settles without a harvest", false, func(w *play, m world.Remote) { m.Got = world.Air; w.quiet(settled(m)) }},
		{"settles for a player who has gone", false, func(w *play, m world.Remote) { w.a.Unask(&m); w.quiet() }},
		{"settles what was asked before the log began", false, func(w *play, m world.Remote) { w.a.Unask(&m); w.a.Ask(&m); w.quiet(); w.quiet(settled(m)) }},
		{"settles twice", true, func(w *play, m world.Remote) { w.quiet(settled(m), settled(m)) }},
		{"gives gold", true, func(w *play, m world.Remote) { m.Got = world.GoldOre; w.quiet(settled(m)) }},
		{"settles what nobody asked for", true, func(w *play, m world.Remote) { m.At.Z++; w.quiet(settled(m)) }},
		{"settles for another", true, func(w *play, m world.Remote) { m.Player = w.players[1].id; w.quiet(settled(m)) }},
	} {
		w := atTheBorder(t)
		m := w.digsAcross(t)
		m.Code = world.Done
		c.tells(w, *m)
		if got := w.verdict(t); (got != "") != c.lie || c.lie && !strings.Contains(got, "answer of a neighbour") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestEditsOfNeighbours: a leader may do an edit in the name of a player at a neighbour if
// that player has signed the act: anything else is a proof.
func TestEditsOfNeighbours(t *testing.T) {
	at := world.Pos{X: 3, Y: top, Z: 50}
	ask := func() *world.Remote { return &world.Remote{Kind: world.RemoteBreak, At: at, Block: world.Grass} }
	for _, c := range []struct {
		name  string
		lie   bool
		tells func(w *play)
	}{
		{"does it", false, func(w *play) { w.quiet(w.remote(w.players[1], ask())) }},
		{"invents it", true, func(w *play) {
			m := ask()
			m.Player = w.players[1].id
			w.quiet(world.Command{Player: m.Player, Kind: world.CmdRemote, Seq: 1, Remote: m})
		}},
		{"does it twice", true, func(w *play) { c := w.remote(w.players[1], ask()); w.quiet(c); w.quiet(c) }},
		{"does it elsewhere", true, func(w *play) { c := w.remote(w.players[1], ask()); c.Remote.At.X++; w.quiet(c) }},
		{"forges the signature", true, func(w *play) {
			act := inputlog.Act{Seq: 1, Kind: uint8(world.ActDig), At: at}
			seg := &inputlog.Segment{Number: 1, Tick: w.tick, First: 1, Acts: []inputlog.Act{act}}
			seg.Sign(&inputlog.Session{World: testWorld, Key: public(w.players[1].key)}, w.players[0].key)
			w.a.SignedRemote(public(w.players[1].key), [32]byte{}, seg.Append(nil), act)
			w.quiet()
		}},
		{"does what was signed long ago", true, func(w *play) {
			c := w.remote(w.players[1], ask())
			w.tick += 2 * remoteWindow
			w.a.Tick(w.tick, nil)
			w.a.EndTick(0)
			w.tick -= 2 * remoteWindow // as if it were signed then
			c = w.remote(w.players[1], c.Remote)
			w.tick += 2 * remoteWindow
			w.quiet(c)
		}},
	} {
		w := atTheBorder(t)
		c.tells(w)
		if got := w.verdict(t); (got != "") != c.lie || c.lie && !strings.Contains(got, "at a neighbour") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
