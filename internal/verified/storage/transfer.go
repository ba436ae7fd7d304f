package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
)

// transfer moves data between neighbours when nodes join and leave (thesis 5.4).
type transfer struct {
	*part.Part
	hooks   *hooks
	inbox   *inbox
	area    *placement.Area
	zones   *placement.Electorate
	replica *replica
	store   *actions.Store
	dormant *dormantStore
	queries *retrievals
	updates *updater

	early   bool // the node was there at t_0 and did not know its neighbours yet
	waiting bool // for pushes
	pushes  []*messages.Push
	pushed  map[id.ID]bool
	fetches map[uint64]fetch // that wait, by the number of their timer
	fetched uint64
}

// onNeighbourhoodChanged looks at what a change of the neighbourhood, which is stable again,
// means for what is stored.
func (tr *transfer) onNeighbourhoodChanged() {
	tr.area.NeighbourhoodChanged = false
	old := tr.area.Now
	tr.area.Now = tr.area.ComputeResponsibility()
	if !tr.Begun {
		return
	}
	for _, c := range tr.area.Now.Neighbours {
		if !slices.ContainsFunc(old.Neighbours, placement.IsContact(c)) {
			tr.push(c)
		}
	}
	if !tr.Ready {
		tr.awaitPushes()
		return
	}
	tr.dormant.claimHandOffs()
	tr.takeAdded(old.Neighbours)
	tr.dormant.activateLate()
}

// push hands a new neighbour what lies in its cell, and lets go of static data
// that is no longer the node's own (thesis 5.4.1). It goes to every new
// neighbour, empty perhaps, for one that has joined waits for it.
func (tr *transfer) push(to *overlay.Contact) {
	m := &messages.Push{}
	if tr.Ready {
		points := []geom.Point{tr.Self.Pos}
		for _, c := range tr.area.Now.Neighbours {
			if c.ID != to.ID {
				points = append(points, c.Pos)
			}
		}
		m.Area.Polygon = tr.Places.Polygon(geom.Cell(to.Pos, points, tr.Space.SubArea(tr.Zone), nil))
		m.Static = tr.dormant.releaseStatic(to)
		m.Batches = tr.store.BatchesAt(func(h geom.Point) bool { return tr.area.NearestTo(to, h) })
		tr.store.DropOthers()
		m.Seen = tr.replica.state
		m.Seal(tr.World)
	}
	tr.sendPush(to, m)
}

func (tr *transfer) sendPush(to *overlay.Contact, m *messages.Push) {
	if m = tr.hooks.push(to, m); m == nil {
		return
	}
	tr.Overlay.Reply(to, m)
}

// takeAdded fetches the static data of what was added to the cell because
// neighbours have left (thesis 5.4.2): one polygon, or the whole cell if several
// have. What is added outside the world is not fetched.
func (tr *transfer) takeAdded(before []*overlay.Contact) {
	var added geom.Polygon
	several := false
	for _, c := range before {
		if slices.ContainsFunc(tr.area.Now.Neighbours, placement.IsContact(c)) {
			continue
		}
		if p := tr.area.Nearer(c); len(p) > 2 {
			several = several || added != nil
			added = p
		}
	}
	switch {
	case several:
		tr.fetchLater(messages.ForFailure, tr.area.Now.Cell)
	case added != nil:
		tr.fetchLater(messages.ForFailure, added)
	}
}
