package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/retrieval"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Observation is what the last look at the surroundings of the player's character has
// brought (Config.Where), for people to see. Frozen.
type Observation struct {
	Of    int64
	Cells []ObservedCell // row by row
}

// ObservedCell is a cell of an Observation.
type ObservedCell struct {
	X, Y  int32
	Voted bool               // enough zones agree; otherwise it is open what is there
	By    []*overlay.Contact // who keep it and have answered, zone by zone
}

// LastObservation returns it; nil: there was none.
func (n *Node) LastObservation() *Observation { return n.updates.lastObservation }

// newObservation makes it of a retrieval that has ended. Seen is its result, nil if there
// is none.
func (up *updater) newObservation(q *retrieval.Query, seen *state.Snapshot) *Observation {
	l, side := &Observation{Of: q.Of}, up.World.Cell
	x0, y0, x1, y1 := state.CellsOver(&q.Area, &up.World, 0)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			if state.Relate(&q.Area, x*side, y*side, side) == state.Outside {
				continue
			}
			c := ObservedCell{X: x, Y: y, Voted: seen != nil && seen.Covers(x, y, side) != state.Outside, By: q.Keepers(x, y, side)}
			l.Cells = append(l.Cells, c)
		}
	}
	return l
}

// observe retrieves the surroundings of the player's character (thesis 6.4.1).
func (up *updater) observe(of int64) {
	if up.cfg.Where == nil || !up.Ready {
		return
	}
	if p, ok := up.cfg.Where(); ok {
		var area overlay.Area
		area.Circle.C, area.Circle.R = p, up.cfg.Interest
		up.queries.Retrieve(messages.ForLook, area, of)
	}
}
