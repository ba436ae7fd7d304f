package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
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
func (tr *transfer) fetchLater(k messages.Kind, area geom.Polygon) {
	tr.fetchWhen(fetch{kind: k, area: area})
}

func (tr *transfer) fetchWhen(f fetch) {
	if len(f.area) < 3 {
		return
	}
	tr.fetched++
	tr.fetches[tr.fetched] = f
	tr.Env.SetTimer(tr.Env.Now().Add(tr.Time.LMax), machine.Timer{Kind: part.TimerStatic, Arg: tr.fetched})
}

func (tr *transfer) fetchStatic(t machine.Timer) {
	f := tr.fetches[t.Arg]
	delete(tr.fetches, t.Arg)
	tr.queries.retrieve(f.kind, overlay.Area{Polygon: f.area}, f.of).tries = f.tries
}

// fetching reports whether the static data of a place has been asked for, or is
// going to be, and has not come.
func (tr *transfer) fetching(p geom.Point) bool {
	for _, f := range tr.fetches {
		if tr.Places.Touches(&overlay.Area{Polygon: f.area}, p) {
			return true
		}
	}
	return slices.ContainsFunc(tr.queries.running, func(q *query) bool { return q.Kind.Static() && tr.Places.Touches(&q.Area, p) })
}

// isFetchingStatic reports whether the node does not know yet who sleeps in some of an area.
func (tr *transfer) isFetchingStatic(a *overlay.Area) bool {
	for _, f := range tr.fetches {
		if f.area.Overlaps(a.Polygon) {
			return true
		}
	}
	return slices.ContainsFunc(tr.queries.running, func(q *query) bool { return q.Kind.Static() && q.Area.Polygon.Overlaps(a.Polygon) })
}

// requestDormant asks the other zones at t^s who fell asleep in the node's cell in the
// step that everybody has made by now, if the node has not made all of it: because a
// neighbour has left since the update area was asked for, because it has just come
// itself, or because it was unsure. When it asked for all that sleeps there, the
// others had perhaps not made that step either. To ask for all
// again would be too much: characters are large, and where few nodes keep the world,
// answers to many such questions would leave no room for the next update's.
func (tr *transfer) requestDormant(of int64) {
	if !tr.Hardened || !tr.Ready || of == 0 || len(tr.area.Now.Cell) < 3 || tr.replica.hasComputed(of) {
		return
	}
	tr.queries.retrieve(messages.ForFailure, overlay.Area{Polygon: tr.area.Now.Cell}, of)
}

// maxTries is how often static data is asked for again.
const maxTries = 5
