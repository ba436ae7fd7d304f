package fetch

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// bare is the fetcher of a node that has nothing.
type bare struct {
	*Fetcher
	asked []asked
	kept  map[state.ObjectID]*state.Object
	ends  []vote.Outcome
}

type asked struct {
	who  id.ID
	what *messages.Fetch
}

func (b *bare) Object(what state.ObjectID) *state.Object { return b.kept[what] }

func (b *bare) Fetched(objects []*state.Object, _ []*state.Batch) {
	for _, o := range objects {
		b.kept[o.ID] = o
	}
}

// env notes what is asked.
type env struct {
	statetest.Frozen
	b *bare
}

func (e env) Rand() *rng.Rand   { r := rng.New(1, 1); return &r }
func (e env) Open(machine.Peer) {}
func (e env) Send(to machine.Peer, m machine.Message) {
	if u, ok := m.(*overlay.Unicast); ok {
		e.b.asked = append(e.b.asked, asked{to.ID, u.Body.(*messages.Fetch)})
	}
}

func newBare() *bare {
	b := &bare{kept: map[state.ObjectID]*state.Object{}}
	self := &overlay.Contact{ID: id.ID{255}}
	p := &part.Part{
		Env: env{b: b}, World: state.World{Side: 1000, Cell: 1000}, Cache: state.NewReplayCache(), Cfg: &part.Settings{Rules: statetest.Rules{}}, Hardened: true, Self: self,
	}
	p.Overlay = overlay.New(overlay.Config{Self: self, Space: overlay.SpaceFor(4)}, p.Env)
	own := replica.New(p, nil)
	b.Fetcher = New(p, own, &replica.Patches{Part: p, Replica: own}, b, func(_ uint64, out vote.Outcome, _ int) { b.ends = append(b.ends, out) })
	return b
}

// answer is a node's, to which there is a link.
func (b *bare) answer(number byte, fill func(*messages.Result)) *messages.Result {
	who := &overlay.Contact{ID: id.ID{number}}
	r := &messages.Result{Around: &messages.Around{Self: who}}
	fill(r)
	b.Overlay.Reply(who, &messages.Fetch{}) // opens the link
	b.Overlay.OnLink(who.Peer(), machine.LinkUp)
	b.asked = nil
	return r
}

// said is the poll that nodes have answered.
func said(kind messages.Kind, results ...*messages.Result) *vote.Poll {
	return &vote.Poll{Retrieve: messages.Retrieve{Query: 7, Kind: kind, Of: 1}, Zones: []vote.Zone{{Results: results}}}
}

// A cell is taken from whoever sends what was agreed on: who sends something else, or
// nothing, is not asked again.
func TestCellsAreWhatWasAgreedOn(t *testing.T) {
	good, bad := statetest.CellOf(1), statetest.CellOf(2)
	sees := func(r *messages.Result) { r.Seen = statetest.Seen(good); r.Seen.Whole = true }
	b := newBare()
	one, two, three := b.answer(1, sees), b.answer(2, sees), b.answer(3, sees)
	b.Start(said(messages.ForUpdate, one, two, three), vote.Outcome{Seen: statetest.Seen(good)}, 3)
	if len(b.asked) != 1 {
		t.Fatalf("%d nodes are asked for one cell", len(b.asked))
	}
	first := b.asked[0].who
	b.OnBlocks(&overlay.Contact{ID: first}, &messages.Blocks{Query: 7, Cells: []*state.Cell{bad}})
	b.Late(7, 0)
	if len(b.asked) != 2 || b.asked[1].who == first || len(b.ends) > 0 {
		t.Fatalf("after another cell has come: %v are asked, %d ends", b.asked, len(b.ends))
	}
	b.Late(7, 0) // the second sends nothing
	if len(b.asked) != 3 || b.asked[2].who == first || b.asked[2].who == b.asked[1].who {
		t.Fatalf("after nothing has come: %v are asked", b.asked)
	}
	b.OnBlocks(&overlay.Contact{ID: b.asked[2].who}, &messages.Blocks{Query: 7, Cells: []*state.Cell{statetest.CellOf(1)}})
	if len(b.ends) != 1 || b.ends[0].Seen.IsUnsure(0, 0) || !state.SameCellContent(b.ends[0].Seen.At(0, 0), good) {
		t.Fatalf("with the cell: %d ends", len(b.ends))
	}
	if b.OnBlocks(&overlay.Contact{ID: first}, &messages.Blocks{Query: 7, Cells: []*state.Cell{bad}}); len(b.ends) != 1 {
		t.Error("a fetch ends twice")
	}
}

// What nobody sends until the time is up is not known.
func TestWhatDoesNotComeIsUnknown(t *testing.T) {
	b := newBare()
	r := b.answer(1, func(r *messages.Result) { r.Seen = statetest.Seen(statetest.CellOf(1)); r.Seen.Whole = true })
	b.Start(said(messages.ForUpdate, r), vote.Outcome{Seen: statetest.Seen(statetest.CellOf(1))}, 3)
	b.End(7)
	if len(b.ends) != 1 || !b.ends[0].Seen.IsUnsure(0, 0) {
		t.Errorf("%d ends, %+v", len(b.ends), b.ends)
	}
}

// Static objects that were agreed on by name come in portions. What somebody makes up is not
// taken, and what nobody sends is asked for again.
func TestNamedObjects(t *testing.T) {
	var names []*state.Object
	for i := range NamesAtOnce + 3 {
		o := statetest.Thing(state.ObjectID(i+1), 1)
		o.Static = true
		names = append(names, o)
	}
	b := newBare()
	b.kept[names[0].ID] = names[0]
	all := func(r *messages.Result) { r.Static = names }
	one, two := b.answer(1, all), b.answer(2, all)
	b.Start(said(messages.ForFailure, one, two), vote.Outcome{Static: names}, 3)
	if len(b.asked) != 1 || len(b.asked[0].what.Characters) != NamesAtOnce {
		t.Fatalf("%d questions, the first for %d objects", len(b.asked), len(b.asked[0].what.Characters))
	}
	made := statetest.Thing(names[1].ID, 2)
	made.Static = true
	from := &overlay.Contact{ID: b.asked[0].who}
	b.OnBlocks(from, &messages.Blocks{Query: 7, Characters: []*state.Object{made, statetest.Thing(9999, 1)}})
	if len(b.kept) != 1 {
		t.Fatalf("%d objects are kept of which nobody has spoken", len(b.kept)-1)
	}
	b.OnBlocks(from, &messages.Blocks{Query: 7, Characters: names[1 : NamesAtOnce+1]})
	if len(b.asked) != 2 || len(b.asked[1].what.Characters) != 2 {
		t.Fatalf("%d questions after the first portion", len(b.asked))
	}
	b.Late(7, 2)
	if len(b.asked) != 3 || b.asked[2].who == b.asked[1].who {
		t.Fatalf("after nothing has come %d questions", len(b.asked))
	}
	b.Late(7, 2) // of the round before
	b.Late(7, 3)
	if len(b.ends) != 1 || !b.ends[0].Again || len(b.ends[0].Static) != NamesAtOnce+1 {
		t.Errorf("%d ends, %d objects, again %v", len(b.ends), len(b.ends[0].Static), b.ends[0].Again)
	}
}
