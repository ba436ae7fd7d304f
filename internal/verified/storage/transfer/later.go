package transfer

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// Retrievals of static data that wait for l_max to pass (thesis 5.4).

// fetch is a retrieval of static data that waits for l_max to pass.
type fetch struct {
	kind  messages.Kind
	area  geom.Polygon
	of    int64 // see Retrieve
	tries int   // before
}

// fetchLater waits for l_max, so that actions of before the change are stored.
func (tr *Transfer) fetchLater(k messages.Kind, area geom.Polygon) {
	tr.fetchWhen(fetch{kind: k, area: area})
}

func (tr *Transfer) fetchWhen(f fetch) {
	if len(f.area) < 3 {
		return
	}
	tr.fetched++
	tr.fetches[tr.fetched] = f
	tr.Env.SetTimer(tr.Env.Now().Add(tr.Time.LMax), machine.Timer{Kind: part.TimerStatic, Arg: tr.fetched})
}

// OnTimer asks for what has waited.
func (tr *Transfer) OnTimer(t machine.Timer) {
	f := tr.fetches[t.Arg]
	delete(tr.fetches, t.Arg)
	if q := tr.Retrievals.Retrieve(f.kind, overlay.Area{Polygon: f.area}, f.of); !q.Done && f.tries > 0 {
		tr.tries[q.Query] = f.tries
	}
}

// OnRetrieved takes static data that a retrieval has brought.
func (tr *Transfer) OnRetrieved(q *vote.Poll, out vote.Outcome) {
	tries := tr.tries[q.Query]
	delete(tr.tries, q.Query)
	tr.Dormant.Fetched(out.Static, out.Batches)
	again := out.Again && tries < maxTries
	if q.Of == 0 {
		tr.Dormant.DropClaims(&q.Area, again, q.Without)
	}
	if again {
		tr.fetchWhen(fetch{q.Kind, q.Area.Polygon, q.Of, tries + 1})
	}
	tr.Dormant.ActivateLate()
}

// Fetching reports whether the static data of a place has been asked for, or is
// going to be, and has not come.
func (tr *Transfer) Fetching(p geom.Point) bool {
	for _, f := range tr.fetches {
		if tr.Places.Touches(&overlay.Area{Polygon: f.area}, p) {
			return true
		}
	}
	return tr.Retrievals.StaticRuns(func(a *overlay.Area) bool { return tr.Places.Touches(a, p) })
}

// IsFetching reports whether the node does not know yet who sleeps in some of an area.
func (tr *Transfer) IsFetching(a *overlay.Area) bool {
	for _, f := range tr.fetches {
		if f.area.Overlaps(a.Polygon) {
			return true
		}
	}
	return tr.Retrievals.StaticRuns(func(b *overlay.Area) bool { return b.Polygon.Overlaps(a.Polygon) })
}

// RequestDormant asks the other zones at t^s who fell asleep in the node's cell in the
// step that everybody has made by now, if the node has not made all of it: because a
// neighbour has left since the update area was asked for, because it has just come
// itself, or because it was unsure. When it asked for all that sleeps there, the
// others had perhaps not made that step either. To ask for all
// again would be too much: characters are large, and where few nodes keep the world,
// answers to many such questions would leave no room for the next update's.
func (tr *Transfer) RequestDormant(of int64) {
	if !tr.Hardened || !tr.Ready || of == 0 || len(tr.Area.Now.Cell) < 3 || tr.Replica.HasComputed(of) {
		return
	}
	tr.Retrievals.Retrieve(messages.ForFailure, overlay.Area{Polygon: tr.Area.Now.Cell}, of)
}

// maxTries is how often static data is asked for again.
const maxTries = 5
