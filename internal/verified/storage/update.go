package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The update itself: what the node makes of the state before and the players' actions.

// makeInitial makes the initial world in the node's part.
func (up *updater) makeInitial() {
	s := &state.Snapshot{Of: 0, Cover: overlay.Area{Circle: up.area.Now.Circle}, Whole: up.Hardened}
	s.Grid = state.GridOver(&s.Cover, &up.World, 0)
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			if state.Relate(&s.Cover, x*up.World.Cell, y*up.World.Cell, up.World.Cell) == state.Outside {
				continue
			}
			cell := up.Cache.InitialCell(up.cfg.Rules, &up.World, x, y)
			s.Set(x, y, cell)
			up.dormant.MakeDormant(cell)
		}
	}
	up.install(s)
	up.replica.DeriveInitial()
}

// update replays the node's part of the world. Without the state before, or
// without anything about the actions of somebody who may matter, it stays as it
// is: others have more votes than somebody who guesses. In the hardened
// protocol only the cells that may depend on it become unknown.
func (up *updater) update() {
	c := &up.cycle
	asked, missing := up.acts.Take()
	from := c.from
	c.from = nil
	up.replica.BeginUpdate(from)
	if missing && !up.Hardened {
		up.failed(c.to)
		return
	}
	r := state.Replayer{
		Memo: up.Cache, Rules: up.cfg.Rules, World: up.World, Time: up.Time, Reach: up.Reach, Ring: up.World.RingWithin(up.Reach),
		Of: c.to, From: from, Acts: make(map[id.ID]*state.Batch, len(asked)),
	}
	up.Cache.Advance(c.to)
	for i := range asked {
		q := &asked[i]
		r.Acts[q.Player.ID] = q.Result
		if q.Result == nil {
			// Everything within reach of the player is a guess now.
			from.MarkUnsure(q.At.X/up.World.Cell, q.At.Y/up.World.Cell)
			r.Acts[q.Player.ID] = up.acts.PluralityBatch(q)
		}
	}
	if up.Hardened {
		from.Activated = takePart(from.Activated, r.Acts)
	}
	s := &state.Snapshot{Of: c.to, Cover: c.circle, Grid: state.GridOver(&c.circle, &up.World, 0), Whole: up.Hardened}
	up.dormant.DropActivated(from)
	up.dormant.BeginStep(c.to)
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			how := s.Through(&s.Cover, x, y, up.World.Cell)
			if how == state.Outside {
				continue
			}
			if s.CopyFrozen(from, x, y, r.Ring) {
				continue
			}
			cell := up.Cache.Cell(r.Cell(x, y).Within(&s.Cover, how))
			if r.Guesses {
				s.SetTentative(x, y, cell)
			} else {
				s.Set(x, y, cell)
			}
			up.dormant.MakeDormant(cell)
			up.dormant.Awake(cell.Players)
		}
	}
	up.install(s)
	up.replica.PredictRing(&r, s)
}

// takePart are those of the woken whose players have signed that they have done something. It
// proves that they are back: nobody signs for somebody who is away.
func takePart(woken []*state.Object, acts map[id.ID]*state.Batch) []*state.Object {
	return slices.DeleteFunc(slices.Clone(woken), func(o *state.Object) bool {
		b := acts[o.Player.ID]
		return b == nil || len(b.Actions) == 0
	})
}

// install makes a snapshot the node's state.
func (up *updater) install(s *state.Snapshot) {
	s.IndexSizes(&up.World)
	up.replica.Install(s)
	up.dormant.AddActivated()
	if up.cfg.Events != nil {
		up.cfg.Events.Updated(up.replica.State)
	}
}

// failed is when an update cannot be made: what the node has is of the past now.
func (up *updater) failed(of int64) {
	if up.replica.State != nil && up.Hardened {
		up.replica.Restore(up.replica.State)
	}
	if up.Ready && up.Begun {
		up.hooks.failed(of)
	}
}
