package transfer

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/dormant"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// A node that has joined takes over what its neighbours push (thesis 5.4.1).

// awaitPushes takes over when every neighbour in the zone has pushed, or after
// the time that a question and its answer may take.
func (tr *Transfer) awaitPushes() {
	for _, c := range tr.Area.Now.Neighbours {
		if !tr.pushed[c.ID] {
			if !tr.waiting {
				tr.waiting = true
				tr.Env.SetTimer(tr.Env.Now().Add(2*tr.Time.LMax), machine.Timer{Kind: part.TimerPushes})
			}
			return
		}
	}
	tr.FinishJoin()
}

func (tr *Transfer) OnPush(from *overlay.Contact, m *messages.Push) {
	if tr.Space.Zone(from.Pos) != tr.Zone {
		return
	}
	if tr.Ready {
		if tr.Hardened && !tr.isNeighbour(from) {
			return
		}
		out := dormant.Data{Objects: m.Static, Names: messages.NamedAll(m.Names), Batches: m.Batches}
		tr.Dormant.AddPushed(out)
		tr.Dormant.KeepHandOff(from, out)
		return
	}
	if !tr.pushed[from.ID] {
		tr.pushed[from.ID] = true
		tr.pushes = append(tr.pushes, m)
	}
	if tr.waiting {
		tr.awaitPushes()
	}
}

// isNeighbour reports whether somebody is a neighbour now, or was when the node measured
// what is its own: one that leaves pushes last of all.
func (tr *Transfer) isNeighbour(who *overlay.Contact) bool {
	return slices.ContainsFunc(tr.Area.Now.Neighbours, placement.IsContact(who)) || slices.ContainsFunc(tr.Overlay.Neighbours(nil), placement.IsContact(who))
}

// FinishJoin begins to answer with what the neighbours have pushed (5.4.1), and
// compares its static data with that of the other zones after l_max.
func (tr *Transfer) FinishJoin() {
	if tr.Ready || tr.Stopped {
		return
	}
	tr.Ready = true
	if tr.Begun {
		tr.Replica.TakeOver(tr.mergePushes())
	}
	if tr.early && tr.Replica.State == nil {
		// Neighbours push to who is new to them, and knew this node before there was
		// anything to push.
		tr.MakeInitial()
	}
	for _, p := range tr.pushes {
		tr.Dormant.Add(dormant.Data{Objects: p.Static, Batches: p.Batches})
	}
	tr.pushes, tr.pushed = nil, nil
	tr.fetchLater(messages.ForJoin, tr.Area.Now.Cell)
	tr.CatchUp()
	tr.HandleDeferred()
}

// mergePushes makes a snapshot of the own cell from what was pushed; none if the
// neighbours were not at the same update (thesis 5.4.1: inconsistent).
func (tr *Transfer) mergePushes() *state.Snapshot {
	s := &state.Snapshot{Of: -1, Cover: overlay.Area{Polygon: tr.Area.Now.Cell}, Whole: tr.Hardened}
	for _, p := range tr.pushes {
		switch {
		case p.Seen == nil:
		case s.Of < 0:
			s.Of = p.Seen.Of
		case p.Seen.Of != s.Of:
			return nil
		}
	}
	if s.Of < 0 || len(tr.Area.Now.Cell) < 3 {
		return nil
	}
	s.Grid = state.GridOver(&s.Cover, &tr.World, 0)
	for _, p := range tr.pushes {
		if p.Seen == nil || len(p.Area.Polygon) < 3 {
			continue
		}
		p.Seen.Parts(&p.Area, &tr.World, func(v state.Part) {
			if v.X < s.X || v.Y < s.Y || v.X >= s.X+s.W || v.Y >= s.Y+s.H || v.Cell == nil {
				return
			}
			if have := s.At(v.X, v.Y); have != nil && have != v.Cell {
				s.Set(v.X, v.Y, state.Union(have, v.Cell))
			} else {
				s.Set(v.X, v.Y, v.Cell)
			}
		})
	}
	for _, p := range tr.pushes {
		s.CopyUnsure(p.Seen, &p.Area, tr.World.Cell)
	}
	if tr.Hardened {
		tr.markUnreportedUnsure(s)
	}
	return s
}

// markUnreportedUnsure makes unsure what no neighbour has told the node of: one that has
// just come in itself has nothing yet.
func (tr *Transfer) markUnreportedUnsure(s *state.Snapshot) {
	side := tr.World.Cell
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			told := slices.ContainsFunc(tr.pushes, func(p *messages.Push) bool {
				return p.Seen != nil && len(p.Area.Polygon) > 2 && state.Relate(&p.Area, x*side, y*side, side) != state.Outside && p.Seen.Covers(x, y, side) != state.Outside
			})
			if blank := s.IsUnsure(x, y) && s.At(x, y) == nil; (blank || !told) && state.Relate(&s.Cover, x*side, y*side, side) != state.Outside {
				s.SetTentative(x, y, tr.Replica.RestoredCell(x, y))
				s.SetFreeze(x, y, state.Waits)
			}
		}
	}
}
