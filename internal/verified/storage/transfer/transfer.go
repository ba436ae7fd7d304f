// Package transfer exchanges the state among the nodes that are responsible for a place:
// neighbours push to a node that has joined, a node that leaves hands over what it has, and
// what was added to a node's cell is retrieved from the other zones.
//
// Source: Schuster 2013, section 5.4; hand-offs are of the hardened protocol
// (docs/protocols/storage-hardened.md).
//
// Invariants:
//   - only neighbours of the own zone push, each of them once to a node that has joined;
//   - a node is ready when all of them have pushed, or the time for it is over;
//   - static data that has to be asked for again is, maxTries times.
//
// Start with Transfer.OnNeighbourhoodChanged and OnPush.
package transfer

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/dormant"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/retrieval"
)

// Transfer moves data between neighbours when nodes join and leave.
type Transfer struct {
	*part.Part
	Surroundings

	early   bool // the node was there at t_0 and did not know its neighbours yet
	waiting bool // for pushes
	pushes  []*messages.Push
	pushed  map[id.ID]bool
	fetches map[uint64]fetch // that wait, by the number of their timer
	fetched uint64
	tries   map[uint64]int // of retrievals that run, by their number: how often before
}

// Surroundings are the other components that this one uses.
type Surroundings struct {
	Area       *placement.Area
	Zones      *placement.Electorate
	Replica    *replica.Replica
	Actions    *actions.Store
	Dormant    *dormant.Store
	Retrievals *retrieval.Retrievals
	// Push returns what a neighbour gets; nil: nothing.
	Push func(to *overlay.Contact, honest *messages.Push) *messages.Push
	// MakeInitial makes the initial world in the node's part.
	MakeInitial func()
	// CatchUp is called when the node has what it is responsible for.
	CatchUp func()
	// HandleDeferred handles what had to wait for that.
	HandleDeferred func()
}

// New returns that of a node that has not joined yet.
func New(p *part.Part, s Surroundings) *Transfer {
	return &Transfer{Part: p, Surroundings: s, pushed: map[id.ID]bool{}, fetches: map[uint64]fetch{}, tries: map[uint64]int{}}
}

// BeginEarly is for a node that is there at t_0 and does not know its neighbours yet: it
// joins as soon as it does, as others do, also if nobody comes or goes.
func (tr *Transfer) BeginEarly() { tr.Area.NeighbourhoodChanged, tr.early = true, true }

// OnNeighbourhoodChanged looks at what a change of the neighbourhood, which is stable again,
// means for what is stored.
func (tr *Transfer) OnNeighbourhoodChanged() {
	tr.Area.NeighbourhoodChanged = false
	old := tr.Area.Now
	tr.Area.Now = tr.Area.ComputeResponsibility()
	if !tr.Begun {
		return
	}
	for _, c := range tr.Area.Now.Neighbours {
		if !slices.ContainsFunc(old.Neighbours, placement.IsContact(c)) {
			tr.push(c)
		}
	}
	if !tr.Ready {
		tr.awaitPushes()
		return
	}
	tr.Dormant.ClaimHandOffs()
	tr.takeAdded(old.Neighbours)
	tr.Dormant.ActivateLate()
}

// push hands a new neighbour what lies in its cell, and lets go of static data
// that is no longer the node's own (thesis 5.4.1). It goes to every new
// neighbour, empty perhaps, for one that has joined waits for it.
func (tr *Transfer) push(to *overlay.Contact) {
	m := &messages.Push{}
	if tr.Ready {
		points := []geom.Point{tr.Self.Pos}
		for _, c := range tr.Area.Now.Neighbours {
			if c.ID != to.ID {
				points = append(points, c.Pos)
			}
		}
		m.Area.Polygon = tr.Places.Polygon(geom.Cell(to.Pos, points, tr.Space.SubArea(tr.Zone), nil))
		m.Static = tr.Dormant.Release(to)
		m.Batches = tr.Actions.BatchesAt(func(h geom.Point) bool { return tr.Area.NearestTo(to, h) })
		tr.Actions.DropOthers()
		m.Seen = tr.Replica.State
		m.Seal(tr.World)
	}
	tr.sendPush(to, m)
}

func (tr *Transfer) sendPush(to *overlay.Contact, m *messages.Push) {
	if m = tr.Push(to, m); m == nil {
		return
	}
	tr.Overlay.Reply(to, m)
}

// takeAdded fetches the static data of what was added to the cell because
// neighbours have left (thesis 5.4.2): one polygon, or the whole cell if several
// have. What is added outside the world is not fetched.
func (tr *Transfer) takeAdded(before []*overlay.Contact) {
	var added geom.Polygon
	several := false
	for _, c := range before {
		if slices.ContainsFunc(tr.Area.Now.Neighbours, placement.IsContact(c)) {
			continue
		}
		if p := tr.Area.Nearer(c); len(p) > 2 {
			several = several || added != nil
			added = p
		}
	}
	switch {
	case several:
		tr.fetchLater(messages.ForFailure, tr.Area.Now.Cell)
	case added != nil:
		tr.fetchLater(messages.ForFailure, added)
	}
}
