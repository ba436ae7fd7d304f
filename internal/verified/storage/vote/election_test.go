package vote

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state/statetest"
)

// election is a retrieval in a network of nine zones, of which some have answered, each with
// one node that stands where the cell is and has all of it.
type election struct {
	bare
	q    *Poll
	full int // zones that have answered
}

// bare is the ballot of a node that has nothing.
type bare struct {
	*Ballot
	electorate *placement.Electorate
	own        *replica.Replica
}

func newBare(world state.World, zones int, hardened bool) bare {
	p := &part.Part{World: world, Space: overlay.SpaceFor(zones), Cfg: &part.Settings{}, Hardened: hardened}
	p.Places = state.NewMapping(p.Space, world)
	all := placement.AllPresent(p)
	own := replica.New(p, nil)
	return bare{New(p, &placement.Area{Part: p}, &all, own), &all, own}
}

var small = state.World{Side: 1000, Cell: 1000}

func newElection(own *state.Cell) election {
	n := newBare(small, 9, true)
	if own != nil {
		n.own.State = statetest.Seen(own)
		n.own.State.Whole = true
	}
	area := overlay.Area{Circle: geom.Circle{R: 1000}}
	return election{n, &Poll{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForLook, Area: area, Of: 1}, Zones: make([]Zone, 9)}, 0}
}

// seenBy is a zone whose nodes see all of their cell.
func seenBy(cells ...*state.Cell) *Zone { return &Zone{Results: statetest.Answers(cells...)} }

// answer gives a zone's answer, and reports whether the retrieval is decided then.
func (e *election) answer(zone int, c *state.Cell, woken ...*state.Object) bool {
	r := statetest.Answers(c)[0]
	r.Seen.Whole, r.Seen.Activated = true, woken
	at := e.Places.Key(geom.Point{X: 500, Y: 500}, zone)
	r.Around = &messages.Around{Self: &overlay.Contact{ID: id.ID{byte(zone + 1)}, Pos: at}}
	e.q.Zones[zone] = Zone{Results: []*messages.Result{r}, Over: true}
	e.full++
	_, _, decided := e.Count(e.q, false)
	return decided && e.full >= e.electorate.VotesNeeded()
}

// end is the result when the time is up.
func (e *election) end() (*state.Snapshot, int) {
	out, votes, _ := e.Count(e.q, true)
	return out.Seen, votes
}
