package audit

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// bed is an auditor whose node is written down. Looks are given to it.
type bed struct {
	*testing.T
	w       *Auditor
	now     machine.Time
	acts    []*state.Action
	charges []Accusation
	came    []geom.Point
}

const every = 10 * time.Second

var (
	here     = world.RegionPos{X: 0, Z: 0}
	somebody = id.Of([]byte("player"))
	link     = id.Of([]byte("link"))
)

func newBed(t *testing.T, mode world.Mode) *bed {
	b := &bed{T: t, now: machine.Time(time.Hour)}
	b.w = New(Config{
		Rules: voxelrules.New(voxelrules.Config{Regions: 4, Mode: mode}), Self: &state.Player{ID: id.Of([]byte("node"))},
		Begin: b.now, Every: every,
	}, b)
	b.now++
	return b
}

func (b *bed) Now() machine.Time       { return b.now }
func (b *bed) Act(a *state.Action)     { b.acts = append(b.acts, a) }
func (b *bed) Activate(p geom.Point)   { b.came = append(b.came, p) }
func (b *bed) Accuse(acc Accusation)   { b.charges = append(b.charges, acc) }
func (b *bed) end(of int) machine.Time { return b.w.intervalEnd(int64(of)) }
func (b *bed) Activation() (after, until machine.Time) {
	of := int(b.w.interval(b.now))
	return b.end(of), b.end(of + 1)
}

// beat lets time pass to the last moment of an interval.
func (b *bed) beat(of int) {
	b.now = b.end(of).Add(-time.Millisecond)
	b.w.Tick(b.now)
}

func (b *bed) ask(kind world.ActKind, seq uint32, at world.Pos) {
	b.w.OnRequest(link, here, &region.Act{Player: somebody, Seq: seq, Kind: uint8(kind), Pos: at, Face: uint8(world.FaceUp)})
}

func (b *bed) answer(seq uint32, did *world.Remote) {
	b.w.OnResponse(link, &region.ActResult{Region: here, Player: somebody, Seq: seq, OK: true, Did: did})
}

// lastFrame is the last batch that was signed.
func (b *bed) last() *voxelrules.Batch {
	b.Helper()
	if len(b.acts) == 0 {
		b.Fatal("nothing was signed")
	}
	out, err := voxelrules.DecodeBatch(b.acts[len(b.acts)-1].Body)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// TestWhatIsSigned: what a region says that a player has done is signed if the
// player has asked for it, once, and in the interval that is signed for.
func TestWhatIsSigned(t *testing.T) {
	at := world.Pos{X: 5, Y: 70, Z: 6}
	for name, c := range map[string]struct {
		kind   world.ActKind
		did    *world.Remote
		signed bool
	}{
		"a dig":              {world.ActDig, &world.Remote{Kind: world.RemoteBreak, At: at, Block: world.Stone}, true},
		"a block on another": {world.ActPlace, &world.Remote{Kind: world.RemotePlace, At: at.Next(world.FaceUp), Block: world.Stone}, true},
		"a block in a plant": {world.ActPlace, &world.Remote{Kind: world.RemotePlace, At: at, Block: world.Stone}, true},
		"a dig elsewhere":    {world.ActDig, &world.Remote{Kind: world.RemoteBreak, At: at.Add(1, 0, 0), Block: world.Stone}, false},
		"placed, not dug":    {world.ActDig, &world.Remote{Kind: world.RemotePlace, At: at, Block: world.Stone}, false},
		"dug, not placed":    {world.ActPlace, &world.Remote{Kind: world.RemoteBreak, At: at, Block: world.Stone}, false},
		"dug while eating":   {world.ActUse, &world.Remote{Kind: world.RemoteBreak, At: at, Block: world.Stone}, false},
	} {
		b := newBed(t, world.Creative)
		b.ask(c.kind, 1, at)
		b.beat(1) // announces it
		b.beat(2) // it speaks
		b.answer(1, c.did)
		b.beat(3)
		edits := b.last().Edits
		if c.signed != (len(edits) == 2 && edits[1].At == c.did.At && edits[1].Block == world.Stone) || c.signed == (len(b.charges) > 0) {
			t.Errorf("%s: signed %+v, charges %+v", name, edits, b.charges)
			continue
		}
		for _, e := range edits {
			if e.Tick <= voxelrules.TickAt(b.end(2)) || e.Tick > voxelrules.TickAt(b.end(3)) {
				t.Errorf("%s: %+v is not of the interval", name, e)
			}
		}
		b.beat(4)
		if again := b.last().Edits; len(again) > 0 {
			t.Errorf("%s: signed again before anybody has looked: %+v", name, again)
		}
	}

	b := newBed(t, world.Creative)
	b.ask(world.ActDig, 1, at)
	b.answer(2, &world.Remote{Kind: world.RemoteBreak, At: at, Block: world.Stone})
	if len(b.charges) != 1 || b.charges[0].Kind != NotRequested || b.charges[0].Player != somebody {
		t.Errorf("an act that nobody has asked for: charges %+v", b.charges)
	}
	b.answer(1, nil)
	if b.w.Stats().Waiting != 0 {
		t.Error("an act that has done nothing to blocks is to be signed")
	}
}

// TestWitnessGoesToItsEdits: the auditor goes a region an interval to where
// something is to be signed, and leaves when nobody plays.
func TestWitnessGoesToItsEdits(t *testing.T) {
	b := newBed(t, world.Creative)
	far := world.Pos{X: -200, Y: 70, Z: 6} // two regions to the west
	b.ask(world.ActDig, 1, world.Pos{})
	b.beat(1)
	b.beat(2)
	if len(b.came) != 1 || b.came[0] != b.w.cfg.Rules.Middle(here) {
		t.Fatalf("it was announced at %v", b.came)
	}
	b.ask(world.ActDig, 2, far)
	b.answer(2, &world.Remote{Kind: world.RemoteBreak, At: far, Block: world.Stone})
	for of, to := range []int32{-1, -2, -1} {
		b.beat(3 + of)
		last := b.last()
		if last.To.X != to || (len(last.Edits) > 0) != (of != 1) {
			t.Errorf("in interval %d it goes to %v and signs %+v", 3+of, last.To, last.Edits)
		}
		if of == 2 && (len(last.Edits) != 1 || last.Edits[0].At != far) {
			t.Errorf("what was done far away: %+v", last.Edits)
		}
	}
}

// TestWitnessLeaves: when the last player has gone and nothing waits, the auditor
// says so.
func TestWitnessLeaves(t *testing.T) {
	b := newBed(t, world.Creative)
	b.ask(world.ActDig, 1, world.Pos{})
	b.beat(1)
	b.beat(2)
	b.beat(3)
	b.w.OnSessionEnd(link)
	b.beat(4)
	if last := b.last(); !last.Leave || len(last.Edits) != 1 || last.Edits[0].Kind != voxelrules.EditLeave {
		t.Errorf("its last word is %+v", last)
	}
	said := len(b.acts)
	b.beat(5)
	b.beat(6)
	if len(b.acts) != said || len(b.came) != 1 {
		t.Errorf("it says more, or comes again: %d, %d", len(b.acts), len(b.came))
	}
}

// TestStrangersAreNotKept: a leader that tells a session what strangers have, and
// a session that says it is one player after another, leave nothing behind.
func TestStrangersAreNotKept(t *testing.T) {
	b := newBed(t, world.Survival)
	stranger := func(i int) id.ID { return id.Of([]byte{byte(i)}) }
	for i := range 100 {
		b.w.OnResponse(link, &region.Inventory{Region: here, Player: stranger(i)})
	}
	if len(b.w.players) > 0 || len(b.w.sessions) > 0 {
		t.Errorf("%d players, %d sessions of a link that has said nothing", len(b.w.players), len(b.w.sessions))
	}
	b.w.OnRequest(link, here, &region.Enter{Player: somebody})
	for i := range 100 {
		b.w.OnResponse(link, &region.Inventory{Region: here, Player: stranger(i)})
	}
	b.w.OnResponse(link, &region.Inventory{Region: here, Player: somebody, Slots: []region.Slot{{Slot: 3, Block: world.Stone, Count: 7}}})
	if p := b.w.players[somebody]; len(b.w.players) != 1 || p == nil || p.slots[3] != (world.Stack{Block: world.Stone, Count: 7}) {
		t.Errorf("players %+v", b.w.players)
	}
	for i := range 100 {
		b.w.OnRequest(link, here, &region.Inputs{Player: stranger(i)})
	}
	if len(b.w.players) != 1 {
		t.Errorf("%d players of one session", len(b.w.players))
	}
}

// TestOneFrameOfManySessions: what several sessions are shown is looked at once.
func TestOneFrameOfManySessions(t *testing.T) {
	b := newBed(t, world.Creative)
	col := &world.Column{Pos: here.Column(0)}
	at := col.Pos.Origin().Add(1, 60, 1)
	show := func(blk world.Block) *region.Frame {
		e := frame.CellEncoder{Buf: frame.AppendCount(nil, 1)}
		e.Begin(0, false)
		e.Block(frame.Block{Place: frame.Place(at), Block: blk})
		e.End()
		return &region.Frame{Region: here, Cells: e.Buf}
	}
	sessions := []id.ID{link, id.Of([]byte("another"))}
	columns := func(who id.ID) {
		b.w.OnResponse(who, &region.Columns{Region: here, Columns: []region.Column{{Column: col}}})
	}
	for _, who := range sessions {
		b.w.OnRequest(who, here, &region.Watch{Rates: [world.Columns]uint8{1}})
		columns(who)
	}
	for _, blk := range []world.Block{world.Stone, world.Air, world.Stone} {
		before := b.w.observed.columns[col.Pos].version
		for _, who := range sessions {
			b.w.OnResponse(who, show(blk))
		}
		if is, ok := b.w.observed.block(at); !ok || is != blk || b.w.observed.columns[col.Pos].version != before+1 {
			t.Errorf("%v is seen, %v was shown; version %d after %d", is, blk, b.w.observed.columns[col.Pos].version, before)
		}
	}
	columns(sessions[1]) // anew, as it was
	b.w.OnResponse(sessions[1], show(world.Stone))
	if is, _ := b.w.observed.block(at); is != world.Stone {
		t.Errorf("after the column has come anew %v is seen", is)
	}
}

// TestHostileChangingLie: a leader that shows another false block in each audit is
// accused all the same, once for each that stays. Where the vote changes as well,
// somebody builds, and nobody is accused.
func TestHostileChangingLie(t *testing.T) {
	at := world.Pos{X: 3, Y: 64, Z: 3}
	blocks := []world.Block{world.GoldOre, world.Bricks}
	for what, c := range map[string]struct {
		voted   func(audit int) world.Block
		charges int
	}{
		"the vote stays":   {func(int) world.Block { return world.Air }, 1},
		"the vote changes": {func(i int) world.Block { return blocks[(i+1)%2] }, 0},
	} {
		b := newBed(t, world.Creative)
		for i := range DefaultAccuseAfter + 1 {
			b.w.noteMismatch(at, blocks[i%2], c.voted(i), int64(i), false)
		}
		if len(b.charges) != c.charges {
			t.Errorf("%s: %d accusations, want %d", what, len(b.charges), c.charges)
		}
	}
}
