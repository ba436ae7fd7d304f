package witness

import (
	"cmp"
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// suspect is something that is shown otherwise than it is voted.
type suspect struct {
	shown, voted world.Block
	looks        int
	charged      bool
}

// owned is how much of a block a player has.
type owned struct {
	player id.ID
	block  world.Block
}

// atOnce is how many columns are compared in one look, of those that have changed
// since they were compared.
const atOnce = 48

// maxOld is of how many columns it is known what has differed from the first look.
const maxOld = 1 << 13

// maxBlind is after how many looks that show nothing the witness is announced
// anew.
const maxBlind = 3

// Looked takes what the zones have voted to be around the witness; nil: nothing
// could be found out. It does not call the node.
func (w *Witness) Looked(s *storage.Snapshot) {
	if s == nil {
		// Where no witness stands the zones show nothing.
		if w.blind++; w.blind >= maxBlind && w.present && w.until < w.env.Now() {
			w.present, w.blind = false, 0
		}
		return
	}
	w.blind = 0
	shape := w.cfg.Rules.World()
	knows := func(pos world.RegionPos) bool {
		return w.cfg.Rules.Holds(pos) && s.Knows(w.cfg.Rules.Middle(pos), shape)
	}
	v := truth.NewView(s.Objects(&s.Cover, shape, nil))
	w.stats.Of = s.Of
	at, _, there := v.Witness(w.cfg.Self.ID)
	if there && w.interval(w.env.Now()) == s.Of+1 {
		if w.at = at; w.moved <= s.Of {
			w.moved = 0
		}
	}
	if !there && knows(w.at) && w.until <= w.end(s.Of) {
		w.present = false // is announced anew
	}
	for _, p := range w.players {
		if p.come && p.cameOf <= s.Of && there && !v.Carries(w.cfg.Self.ID, p.id) {
			p.come = false // the batch was lost
		}
	}
	w.settle(s.Of, v, knows)
	w.compare(s, v, shape)
	w.weigh(s.Of, v)
}

// compare looks for blocks that are shown otherwise than they are voted.
func (w *Witness) compare(s *storage.Snapshot, v *truth.View, shape storage.World) {
	columns := slices.SortedFunc(maps.Keys(w.eyes.seen), func(a, b world.ColumnPos) int {
		return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X))
	})
	now := map[world.Pos]bool{}
	left := atOnce
	if len(w.old) > maxOld {
		clear(w.old)
	}
	for _, pos := range columns {
		if !w.cfg.Rules.Holds(pos.Region()) || !s.Knows(w.cfg.Rules.ColumnPlace(pos), shape) {
			continue
		}
		y, right := w.eyes.seen[pos], w.cfg.Rules.Column(v, pos)
		if y.against == right && y.equal == y.version {
			continue
		}
		if left == 0 {
			for at := range w.suspects {
				now[at] = now[at] || at.Column() == pos // not looked at: stays
			}
			continue
		}
		left--
		w.stats.Compared++
		if y.column.Equal(right) {
			y.against, y.equal = right, y.version
			w.old[pos] = nil
			continue
		}
		old, looked := w.old[pos]
		differs := map[world.Pos]bool{}
		w.differences(y.column, right, func(at world.Pos, shown, voted world.Block) {
			now[at] = true
			before := !looked || old[at]
			if before {
				differs[at] = true
			}
			w.suspect(at, shown, voted, s.Of, before)
		})
		w.old[pos] = differs
	}
	maps.DeleteFunc(w.suspects, func(at world.Pos, _ *suspect) bool { return !now[at] })
}

// differences calls f for each block that differs by more than what blocks do by
// themselves.
func (w *Witness) differences(shown, voted *world.Column, f func(at world.Pos, shown, voted world.Block)) {
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

// maxSuspects bounds what is kept: who shows a whole world that is not there is
// accused of a part of it.
const maxSuspects = 1 << 12

// suspect notes a difference; one that stays is charged, but for an old one: that
// was there before the node has looked for the first time, and may be from when
// the world had no storage yet.
func (w *Witness) suspect(at world.Pos, shown, voted world.Block, of int64, old bool) {
	x := w.suspects[at]
	if x == nil || x.shown != shown || x.voted != voted {
		if x == nil && len(w.suspects) >= maxSuspects {
			return
		}
		x = &suspect{shown: shown, voted: voted}
		w.suspects[at] = x
	}
	if x.looks++; x.looks > w.cfg.Patience && !x.charged && !old && !w.open(at) {
		x.charged = true
		w.accuse(Charge{Kind: Differs, Region: at.Region(), At: at, Shown: shown, Voted: voted, Of: of})
	}
}

// open reports whether the own edits at a place are not in the storage yet.
func (w *Witness) open(at world.Pos) bool {
	return slices.ContainsFunc(w.pending, func(d *deed) bool {
		return d.At == at && (d.Kind == truth.EditBreak || d.Kind == truth.EditPlace)
	})
}

// inventory notes what a player has.
func (p *player) inventory(m *region.Inventory) {
	for _, s := range m.Slots {
		if s.Slot < world.Slots && s.Block < world.BlockCount {
			p.slots[s.Slot] = world.Stack{Block: s.Block, Count: uint8(min(s.Count, world.MaxStack))}
		}
	}
	p.full = p.full || len(m.Slots) == world.Slots
}

// weigh compares what players have with what their edits have brought.
func (w *Witness) weigh(of int64, v *truth.View) {
	now := map[owned]bool{}
	for _, p := range w.sorted() {
		if !p.full || p.gone || w.owes(p) {
			continue
		}
		known := false
		for b := range world.BlockCount {
			has := uint32(0)
			for _, s := range p.slots {
				if s.Count > 0 && s.Block == b {
					has += uint32(s.Count)
				}
			}
			earned, counted := v.Owns(w.cfg.Self.ID, p.id, b)
			known = known || counted
			if !counted || has <= earned {
				continue
			}
			k := owned{p.id, b}
			x := w.excess[k]
			if x == nil {
				x = &suspect{shown: b}
				w.excess[k] = x
			}
			now[k] = true
			if !p.weighed {
				x.charged = true // it was there before the node has looked
			}
			if x.looks++; x.looks > w.cfg.Patience && !x.charged {
				x.charged = true
				w.accuse(Charge{Kind: NotEarned, Region: p.home, Shown: b, Of: of, Player: p.id})
			}
		}
		p.weighed = p.weighed || known
	}
	maps.DeleteFunc(w.excess, func(k owned, _ *suspect) bool { return !now[k] })
}
