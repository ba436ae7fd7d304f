package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// mismatch is a difference between what is shown and the voted state.
type mismatch struct {
	shown, voted world.Block
	audits       int
	accused      bool
}

// playerBlock names one kind of block in a player's inventory.
type playerBlock struct {
	player id.ID
	block  world.Block
}

// columnsPerAudit is how many columns are compared at a time, of those that have changed
// since they were compared.
const columnsPerAudit = 48

// maxInitialColumns bounds the columns whose initial differences are remembered.
const maxInitialColumns = 1 << 13

// maxEmptyAnswers is after how many empty answers the auditor is activated again.
const maxEmptyAnswers = 3

// OnSnapshot handles the voted state around the auditor; nil: there was no majority. It
// does not call the node.
func (a *Auditor) OnSnapshot(s *state.Snapshot) {
	if s == nil {
		// Zones answer only if the node has an auditor there.
		if a.emptyAnswers++; a.emptyAnswers >= maxEmptyAnswers && a.present && a.signUntil < a.env.Now() {
			a.present, a.emptyAnswers = false, 0
		}
		return
	}
	a.emptyAnswers = 0
	shape := a.cfg.Rules.World()
	knows := func(pos world.RegionPos) bool {
		return a.cfg.Rules.Holds(pos) && s.Knows(a.cfg.Rules.Middle(pos), shape)
	}
	v := voxelrules.NewView(s.Objects(&s.Cover, shape, nil))
	a.stats.Of = s.Of
	at, _, there := v.Auditor(a.cfg.Self.ID)
	if there && a.interval(a.env.Now()) == s.Of+1 {
		if a.at = at; a.moveAfter <= s.Of {
			a.moveAfter = 0
		}
	}
	if !there && knows(a.at) && a.signUntil <= a.intervalEnd(s.Of) {
		a.present = false // is activated again
	}
	for _, p := range a.players {
		if p.joined && p.joinedIn <= s.Of && there && !v.HasInventory(a.cfg.Self.ID, p.id) {
			p.joined = false // the batch was lost
		}
	}
	a.confirmEdits(s.Of, v, knows)
	a.compareColumns(s, v, shape)
	a.compareInventories(s.Of, v)
}

// compareColumns compares the observed blocks with the voted ones.
func (a *Auditor) compareColumns(s *state.Snapshot, v *voxelrules.View, shape state.World) {
	columns := slices.SortedFunc(maps.Keys(a.observed.columns), func(a, b world.ColumnPos) int {
		return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X))
	})
	now := map[world.Pos]bool{}
	left := columnsPerAudit
	if len(a.initial) > maxInitialColumns {
		clear(a.initial)
	}
	for _, pos := range columns {
		if !a.cfg.Rules.Holds(pos.Region()) || !s.Knows(a.cfg.Rules.ColumnPlace(pos), shape) {
			continue
		}
		c, right := a.observed.columns[pos], a.cfg.Rules.Column(v, pos)
		if c.comparedWith == right && c.comparedVersion == c.version {
			continue
		}
		if left == 0 {
			for at := range a.mismatches {
				now[at] = now[at] || at.Column() == pos // not compared: stays
			}
			continue
		}
		left--
		a.stats.Compared++
		if c.column.Equal(right) {
			c.comparedWith, c.comparedVersion = right, c.version
			a.initial[pos] = nil
			continue
		}
		old, looked := a.initial[pos]
		differs := map[world.Pos]bool{}
		differences(c.column, right, func(at world.Pos, shown, voted world.Block) {
			now[at] = true
			before := !looked || old[at]
			if before {
				differs[at] = true
			}
			a.noteMismatch(at, shown, voted, s.Of, before)
		})
		a.initial[pos] = differs
	}
	maps.DeleteFunc(a.mismatches, func(at world.Pos, _ *mismatch) bool { return !now[at] })
}

// differences calls f for each block that differs, unless both blocks drift
// (world.Drifts).
func differences(shown, voted *world.Column, f func(at world.Pos, shown, voted world.Block)) {
	low := shown.Pos.Origin()
	for i := range shown.Chunks {
		a, b := &shown.Chunks[i], &voted.Chunks[i]
		if a.Equal(b) {
			continue
		}
		for y := range world.ChunkSize {
			for z := range world.ChunkSize {
				for x := range world.ChunkSize {
					p, q := a.At(x, y, z), b.At(x, y, z)
					if p != q && !(world.Drifts(p) && world.Drifts(q)) {
						f(low.Add(int32(x), int32(i*world.ChunkSize+y), int32(z)), p, q)
					}
				}
			}
		}
	}
}

// maxMismatches bounds the mismatches: a leader that shows a whole false world is
// accused of a part of it.
const maxMismatches = 1 << 12

// noteMismatch counts a difference; one that stays leads to an accusation. It stays as
// long as the vote does: a leader that shows another false block each time is accused of
// the last one. If others build there all the time, the vote follows, and counting begins
// anew. An initial difference, which the first comparison of the column found, does not
// count: it may date from before the world had a storage.
func (a *Auditor) noteMismatch(at world.Pos, shown, voted world.Block, of int64, old bool) {
	m := a.mismatches[at]
	if m == nil || m.voted != voted || m.accused && m.shown != shown {
		if m == nil && len(a.mismatches) >= maxMismatches {
			return
		}
		m = &mismatch{voted: voted}
		a.mismatches[at] = m
	}
	m.shown = shown
	if m.audits++; m.audits > a.cfg.AccuseAfter && !m.accused && !old && !a.hasPendingEditAt(at) {
		m.accused = true
		a.accuse(Accusation{Kind: Differs, Region: at.Region(), At: at, Shown: shown, Voted: voted, Of: of})
	}
}

// hasPendingEditAt reports whether own edits at a place are not in the storage yet.
func (a *Auditor) hasPendingEditAt(at world.Pos) bool {
	return slices.ContainsFunc(a.pending, func(e *pendingEdit) bool {
		return e.At == at && (e.Kind == voxelrules.EditBreak || e.Kind == voxelrules.EditPlace)
	})
}

// updateInventory notes slots of a player.
func (p *player) updateInventory(m *region.Inventory) {
	for _, s := range m.Slots {
		if s.Slot < world.Slots && s.Block.Known() {
			p.slots[s.Slot] = world.Stack{Block: s.Block, Count: uint8(min(s.Count, world.MaxStack))}
		}
	}
	p.allSlotsKnown = p.allSlotsKnown || len(m.Slots) == world.Slots
}

// compareInventories compares players' inventories with what their edits have earned.
func (a *Auditor) compareInventories(of int64, v *voxelrules.View) {
	now := map[playerBlock]bool{}
	for _, p := range a.sortedPlayers() {
		if !p.allSlotsKnown || p.gone || a.hasPendingEdit(p) {
			continue
		}
		known := false
		for b := range world.AllBlocks() {
			has := uint32(0)
			for _, s := range p.slots {
				if s.Count > 0 && s.Block == b {
					has += uint32(s.Count)
				}
			}
			earned, counted := v.ItemCount(a.cfg.Self.ID, p.id, b)
			known = known || counted
			if !counted || has <= earned {
				continue
			}
			k := playerBlock{p.id, b}
			m := a.excess[k]
			if m == nil {
				m = &mismatch{shown: b}
				a.excess[k] = m
			}
			now[k] = true
			if !p.compared {
				m.accused = true // it was there before the first comparison
			}
			if m.audits++; m.audits > a.cfg.AccuseAfter && !m.accused {
				m.accused = true
				a.accuse(Accusation{Kind: NotEarned, Region: p.home, Shown: b, Of: of, Player: p.id})
			}
		}
		p.compared = p.compared || known
	}
	maps.DeleteFunc(a.excess, func(k playerBlock, _ *mismatch) bool { return !now[k] })
}
