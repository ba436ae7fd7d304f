package retrieval

import (
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// bare is the retrievals of a node that has nothing, and what has come of them.
type bare struct {
	*Retrievals
	part  part.Part
	ended []ended
}

type ended struct {
	q     *Query
	out   vote.Outcome
	votes int
}

func newBare(world state.World, zones int, hardened bool, rules state.Rules) *bare {
	space := overlay.SpaceFor(zones)
	b := &bare{part: part.Part{
		World: world, Space: space, Places: state.NewMapping(space, world), Env: statetest.Frozen{}, Cache: state.NewReplayCache(), Cfg: &part.Settings{Rules: rules}, Hardened: hardened,
	}}
	p := &b.part
	electorate, area := placement.AllPresent(p), &placement.Area{Part: p}
	own := replica.New(p, area)
	b.Retrievals = New(p, Surroundings{
		Area: area, Zones: &electorate, Replica: own, Patches: &replica.Patches{Part: p, Replica: own}, Ballot: vote.New(p, area, &electorate, own),
		Ended: func(q *Query, out vote.Outcome, votes int) { b.ended = append(b.ended, ended{q, out, votes}) },
	})
	return b
}

// ask begins a retrieval without asking anybody.
func (b *bare) ask(m messages.Retrieve, keys ...overlay.Area) *Query {
	zones := b.Space.Zones()
	q := &Query{Poll: vote.Poll{Retrieve: m, Zones: make([]vote.Zone, zones)}, keys: keys, missing: make([][]missing, zones), direct: newDirectQuery(zones)}
	b.running = append(b.running, q)
	return q
}

// voters answers a retrieval from so many zones with the version given for each.
func voters(versions []byte) (*bare, *Query) {
	n := newBare(state.World{Side: 1000, Cell: 1000}, 16, false, nil)
	q := n.ask(messages.Retrieve{Query: 1, Kind: messages.ForUpdate, Area: overlay.Area{Circle: geom.Circle{R: 1000}}, Of: 1}, make([]overlay.Area, 16)...)
	for zone, v := range versions {
		c := &overlay.Contact{ID: id.ID{byte(zone + 1)}, Pos: n.Space.SubArea(zone).Min}
		r := statetest.Answers(state.NewCell([]*state.Object{statetest.Thing(1, v)}))[0]
		r.Query, r.Around = 1, &messages.Around{Self: c}
		n.OnResult(c, r)
	}
	return n, q
}

// A result that half of the zones agree on is decided; before that nothing is,
// and when the time is up the one with most votes counts, with its share as the
// confidence (5.2.2).
func TestZonesVote(t *testing.T) {
	_, q := voters([]byte{1, 2, 1, 2, 1, 1, 1, 1, 1})
	if q.Done {
		t.Fatal("decided with seven votes of sixteen")
	}
	n, q := voters([]byte{1, 2, 1, 2, 1, 1, 1, 1, 1, 1})
	if !q.Done || n.ended[0].votes != 8 || len(q.Zones) != 16 || q.Answers != 10 {
		t.Fatalf("done %v, %+v", q.Done, n.ended)
	}
	n, q = voters([]byte{1, 2, 3, 2})
	n.Conclude(q)
	if n.ended[0].votes != 2 || n.ended[0].out.Seen.Cells[0].Objects[0].Digest != (state.Digest{2}) {
		t.Errorf("plurality: %+v", n.ended[0])
	}
}

// A zone's answer about static data is complete only when somebody has answered whose
// cell lies in the part that is asked for: whom rounding has brought the question
// denies nothing.
func TestWhoOnlyTouchesAnAreaDeniesNothing(t *testing.T) {
	n := newBare(state.World{Side: 1000, Cell: 1000}, 4, true, nil)
	sub := n.Space.SubArea(3)
	at := func(k int, x int32) *overlay.Contact {
		return &overlay.Contact{ID: id.ID{byte(k)}, Pos: geom.Point{X: sub.Min.X + x, Y: sub.Min.Y + 500}}
	}
	left, right := at(1, 1000), at(2, 5000) // they meet at 3000
	area := overlay.Area{Polygon: geom.Rect{Min: geom.Point{X: sub.Min.X + 3000, Y: sub.Min.Y}, Max: geom.Point{X: sub.Min.X + 4000, Y: sub.Min.Y + 1000}}.Polygon(nil)}
	q := n.ask(messages.Retrieve{Query: 1, Kind: messages.ForFailure, Area: area}, area, area, area, area)
	say := func(who, other *overlay.Contact) {
		a := messages.NewAround(who, []*overlay.Contact{other}, n.Space.Bounds())
		n.OnResult(who, &messages.Result{Query: 1, Around: a, Area: area, Brief: true})
	}
	if say(left, right); q.Zones[3].Over {
		t.Error("a zone is complete with the answer of somebody who only touches the area")
	}
	if say(right, left); !q.Zones[3].Over {
		t.Error("a zone is not complete though who has the area has answered")
	}
}

// Who was woken by majority and whom nobody sends is no reason to take the cell for one
// in which nobody is.
func TestWokenWhomNobodySends(t *testing.T) {
	n := newBare(state.World{Side: 2000, Cell: 1000}, 9, true, statetest.Rules{})
	asleep := statetest.Thing(7, 1)
	s := state.NewSnapshot(1, []*state.Object{statetest.Thing(1, 1)}, n.World)
	n.replica.State = state.NewSnapshot(1, []*state.Object{statetest.Thing(1, 1)}, n.World)
	s.Activated = []*state.Object{asleep}
	q := n.ask(messages.Retrieve{Query: 1, Kind: messages.ForLook, Of: 1})
	n.fetcher.Start(&q.Poll, vote.Outcome{Seen: s}, 9)
	if got := n.ended[0].out.Seen; len(got.Activated) > 0 || !got.IsUnsure(0, 0) || got.IsUnsure(1, 1) || got.At(0, 0).Find(1) == nil {
		t.Errorf("%d are woken, unsure %v", len(got.Activated), got.Unsure)
	}
}

// Of a node one answer to a retrieval counts, which it gives in its own name and about the
// place where it stands.
func TestOneAnswerInTheOwnName(t *testing.T) {
	n := newBare(state.World{Side: 900, Cell: 100}, 4, true, nil)
	node := func(number int) *overlay.Contact {
		at := geom.Point{X: 450, Y: 300 + 100*int32(number)}
		return &overlay.Contact{ID: id.ID{byte(number + 1), 2}, Pos: n.Places.Key(at, 1)}
	}
	q := n.ask(messages.Retrieve{Query: 1, Kind: messages.ForUpdate, Of: 3}, make([]overlay.Area, 4)...)
	from, other := node(0), node(1)
	q.missing[1] = []missing{{node: node(2)}} // the zone is not complete
	say := func(around *messages.Around) int {
		n.OnResult(from, &messages.Result{Query: 1, Around: around, Seen: &state.Snapshot{Of: 3}})
		return len(q.Zones[1].Results)
	}
	moved := *from
	moved.Pos.X++
	if got := say(nil) + say(&messages.Around{Self: other}) + say(&messages.Around{Self: &moved}); got > 0 {
		t.Errorf("%d answers without a name, in another's name or from elsewhere count", got)
	}
	if got := say(&messages.Around{Self: from}); got != 1 {
		t.Fatalf("%d answers, want 1", got)
	}
	if got := say(&messages.Around{Self: from}); got != 1 {
		t.Errorf("a second answer counts: %d", got)
	}
}

// A zone is not complete because somebody says that it has the whole area and names nobody
// beside it: it has to stand close, and nobody may contradict it who is asked in another way
// at the same time; and who is known to have the area is waited for.
func TestWhoClaimsAnAreaCompletesNoZone(t *testing.T) {
	const zone = 1
	place := geom.Point{X: 4500, Y: 4500}
	node := func(n *bare, number byte, far int32) *messages.Around {
		at := n.Places.Key(geom.Point{X: place.X + far, Y: place.Y}, zone)
		return &messages.Around{Self: &overlay.Contact{ID: id.ID{number}, Pos: at}}
	}
	for _, c := range []struct {
		name  string
		known bool    // the first who answers: it has answered the last time, too
		far   []int32 // from the area, of who answers
		over  int     // complete after so many answers; 0: never
		then  bool    // complete when both ways have had the time to bring an answer
	}{
		{"claims from afar", false, []int32{2000, -2000}, 0, false},
		{"one who stands close", false, []int32{300}, 0, true},
		{"two who both claim it", false, []int32{300, 400}, 0, false},
		{"one from afar, one who stands close", false, []int32{2000, 300}, 0, false},
		{"claims before the answer of who is known", true, []int32{300, 2000}, 0, false},
		{"who is known", true, []int32{300}, 1, true},
	} {
		n := newBare(state.World{Side: 9000, Cell: 1000}, 4, true, nil)
		n.part.Self = &overlay.Contact{ID: id.ID{99}, Pos: n.Places.Key(place, 0)}
		for i, d := range []int32{-1000, 1000, 900} {
			n.peers.area.Now.Neighbours = append(n.peers.area.Now.Neighbours, &overlay.Contact{ID: id.ID{100 + byte(i)}, Pos: n.Places.Key(geom.Point{X: place.X + d, Y: place.Y}, 0)})
		}
		area := overlay.Area{Circle: geom.Circle{C: place, R: 100}}
		q := n.ask(messages.Retrieve{Query: 1, Kind: messages.ForLook, Area: area, Of: 1}, n.Places.Area(&area, 0), n.Places.Area(&area, 1), n.Places.Area(&area, 2), n.Places.Area(&area, 3))
		answers := make([]*messages.Around, len(c.far))
		for i, far := range c.far {
			answers[i] = node(n, byte(i+1), far)
		}
		if c.known {
			n.peers.looks[zone] = []responder{{who: answers[0].Self, around: answers[0]}}
			slices.Reverse(answers) // it answers last
		}
		q.direct.zones[zone].strange = !n.peers.expect(q, zone)
		over := 0
		for i, a := range answers {
			if c.known && i == len(answers)-1 && len(answers) > 1 {
				break // it never does
			}
			n.OnResult(a.Self, &messages.Result{Query: 1, Around: a, Area: area, Seen: &state.Snapshot{Of: 1}})
			if q.Zones[zone].Over && over == 0 {
				over = i + 1
			}
		}
		n.settle(q)
		if then := q.Zones[zone].Over; over != c.over || then != c.then {
			t.Errorf("%s: complete after %d answers, later %v; want %d, %v", c.name, over, then, c.over, c.then)
		}
	}
}
