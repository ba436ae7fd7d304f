package storage

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Rules that tools/mutate breaks and that no other test looks at alone.

// hearer is a node that knows nobody, in the middle of the last of four zones.
type hearer struct{ *Node }

func newHearer() hearer {
	space, world := overlay.SpaceFor(4), state.World{Side: 900, Cell: 100}
	last := space.SubArea(3)
	self := &overlay.Contact{ID: id.ID{255}, Pos: geom.Point{X: last.Min.X + space.SubSide()/2, Y: last.Min.Y + space.SubSide()/2}}
	return hearer{newNode(part.Part{
		Space: space, World: world, Self: self, Zone: 3, Places: state.NewMapping(space, world), Cache: state.NewReplayCache(), Env: frozen{now: 1},
	}, Config{Protocol: ProtocolHardened})}
}

// node is one of some nodes in a zone.
func (h hearer) node(number, zone int) *overlay.Contact {
	at := geom.Point{X: 450, Y: 300 + 100*int32(number)}
	return &overlay.Contact{ID: id.ID{byte(number + 1), byte(zone + 1)}, Pos: h.part.Places.Key(at, zone)}
}

// A zone whose nodes differ about a cell has no vote as a whole: its nodes are counted one
// by one.
func TestZonesThatDifferHaveNoVote(t *testing.T) {
	good, bad := cellOf(1), cellOf(2)
	e := newElection(nil)
	for range 5 {
		e.say(4, bad, false)
	}
	for zone := range 5 {
		e.say(zone, good, false)
	}
	if got, _ := e.end(); !got.IsUnsure(0, 0) {
		t.Errorf("half of the nodes decide: %v", got.Cells[0])
	}
}

// Guesses count when no more answers come, not before: those who know may still speak.
func TestGuessesWaitForKnowledge(t *testing.T) {
	e := newElection(nil)
	for zone := range 5 {
		e.say(zone, cellOf(1), zone > 1)
	}
	if _, _, decided := e.ballot.countVotes(e.q, false); decided {
		t.Error("guesses decide while answers are waited for")
	}
	if _, _, decided := e.ballot.countVotes(e.q, true); !decided {
		t.Error("guesses of a majority do not end the doubt")
	}
}

// Of a node one answer to a retrieval counts, which it gives in its own name and about the
// place where it stands.
func TestOneAnswerInTheOwnName(t *testing.T) {
	h := newHearer()
	q := &query{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForUpdate, Of: 3}, zones: make([]zoneAnswer, 4), keys: make([]overlay.Area, 4)}
	from, other := h.node(0, 1), h.node(1, 1)
	q.zones[1].missing = []missing{{node: h.node(2, 1)}} // the zone is not complete
	h.queries.running = append(h.queries.running, q)
	say := func(around *messages.Around) int {
		h.queries.onResult(from, &messages.Result{Query: 1, Around: around, Seen: &state.Snapshot{Of: 3}})
		return len(q.zones[1].results)
	}
	moved := *from
	moved.Pos.X++
	if n := say(nil) + say(&messages.Around{Self: other}) + say(&messages.Around{Self: &moved}); n > 0 {
		t.Errorf("%d answers without a name, in another's name or from elsewhere count", n)
	}
	if n := say(&messages.Around{Self: from}); n != 1 {
		t.Fatalf("%d answers, want 1", n)
	}
	if n := say(&messages.Around{Self: from}); n != 1 {
		t.Errorf("a second answer counts: %d", n)
	}
}

// A node that joins takes what nodes of its own zone push, once of each.
func TestWhoPushesToANewcomer(t *testing.T) {
	h := newHearer()
	h.transfer.pushed = map[id.ID]bool{}
	own, other := h.node(0, h.part.Zone), h.node(0, (h.part.Zone+1)%4)
	for _, c := range []struct {
		from *overlay.Contact
		want int
	}{{other, 0}, {own, 1}, {own, 1}, {h.node(1, h.part.Zone), 2}} {
		if h.transfer.onPush(c.from, &messages.Push{}); len(h.transfer.pushes) != c.want {
			t.Errorf("%d pushes are kept, want %d", len(h.transfer.pushes), c.want)
		}
	}
}
