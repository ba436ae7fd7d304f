package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// A node that has joined takes over what its neighbours push (thesis 5.4.1).

// awaitPushes takes over when every neighbour in the zone has pushed, or after
// the time that a question and its answer may take.
func (tr *transfer) awaitPushes() {
	for _, c := range tr.area.part.neighbours {
		if !tr.pushed[c.ID] {
			if !tr.waiting {
				tr.waiting = true
				tr.env.SetTimer(tr.env.Now().Add(2*tr.time.lmax), machine.Timer{Kind: timerPushes})
			}
			return
		}
	}
	tr.finishJoin()
}

func (tr *transfer) onPush(from *overlay.Contact, m *Push) {
	if tr.space.Zone(from.Pos) != tr.zone {
		return
	}
	if tr.ready {
		out := outcome{static: m.Static, names: namedAll(m.Names), batches: m.Batches}
		tr.dormant.addStatic(out)
		tr.dormant.keepHandOff(from, out)
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

// finishJoin begins to answer with what the neighbours have pushed (5.4.1), and
// compares its static data with that of the other zones after l_max.
func (tr *transfer) finishJoin() {
	if tr.ready || tr.stopped {
		return
	}
	tr.ready = true
	if tr.begun {
		tr.replica.state = tr.mergePushes()
	}
	if tr.early && tr.replica.state == nil {
		// Neighbours push to who is new to them, and knew this node before there was
		// anything to push.
		tr.updates.makeInitial()
	}
	for _, p := range tr.pushes {
		tr.dormant.addStatic(outcome{static: p.Static, batches: p.Batches})
	}
	tr.pushes, tr.pushed = nil, nil
	tr.fetchLater(ForJoin, tr.area.part.cell)
	tr.updates.catchUp()
	tr.inbox.handleDeferred()
}

// mergePushes makes a snapshot of the own cell from what was pushed; none if the
// neighbours were not at the same update (thesis 5.4.1: inconsistent).
func (tr *transfer) mergePushes() *Snapshot {
	s := &Snapshot{Of: -1, Cover: overlay.Area{Polygon: tr.area.part.cell}, Whole: tr.hardened()}
	for _, p := range tr.pushes {
		switch {
		case p.Seen == nil:
		case s.Of < 0:
			s.Of = p.Seen.Of
		case p.Seen.Of != s.Of:
			return nil
		}
	}
	if s.Of < 0 || len(tr.area.part.cell) < 3 {
		return nil
	}
	s.Grid = gridOver(&s.Cover, &tr.world, 0)
	for _, p := range tr.pushes {
		if p.Seen == nil || len(p.Area.Polygon) < 3 {
			continue
		}
		p.Seen.parts(&p.Area, &tr.world, func(v part) {
			if v.x < s.X || v.y < s.Y || v.x >= s.X+s.W || v.y >= s.Y+s.H || v.cell == nil {
				return
			}
			if have := s.At(v.x, v.y); have != nil && have != v.cell {
				s.set(v.x, v.y, union(have, v.cell))
			} else {
				s.set(v.x, v.y, v.cell)
			}
		})
	}
	for _, p := range tr.pushes {
		s.copyUnsure(p.Seen, &p.Area, tr.world.Cell)
	}
	if tr.hardened() {
		tr.markUnreportedUnsure(s)
	}
	return s
}

// markUnreportedUnsure makes unsure what no neighbour has told the node of: one that has
// just come in itself has nothing yet.
func (tr *transfer) markUnreportedUnsure(s *Snapshot) {
	side := tr.world.Cell
	for y := s.Y; y < s.Y+s.H; y++ {
		for x := s.X; x < s.X+s.W; x++ {
			told := slices.ContainsFunc(tr.pushes, func(p *Push) bool {
				return p.Seen != nil && len(p.Area.Polygon) > 2 && relate(&p.Area, x*side, y*side, side) != outside && p.Seen.covers(x, y, side) != outside
			})
			if blank := s.unsure(x, y) && s.At(x, y) == nil; (blank || !told) && relate(&s.Cover, x*side, y*side, side) != outside {
				s.setTentative(x, y, tr.replica.restoredCell(x, y))
				s.setFreeze(x, y, waits)
			}
		}
	}
}
