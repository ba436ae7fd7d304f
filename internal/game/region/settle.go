package region

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// What a player has taken out of containers goes back, and what it has put into some is taken
// out, only as the lobby finds out how much of it there is (package lobby, settlement):
// nothing is there twice.

// settles reports whether an order takes things back from a player besides blocks: that of
// an operator, about somebody else.
func (r *Region) settles(o *decision.Order) bool {
	return o.Kind == decision.Rollback && !o.Subject.IsZero() && o.Subject != o.By() &&
		r.cfg.rights(o.By()).Role >= decision.RoleOperator && !r.cfg.Rules.OwnItems
}

// moved is what a player has taken out of containers in a box since a tick, and what it has
// put into some, or dropped, and is there.
func (r *Region) moved(box world.Zone, since uint64, of id.ID) (looted, put []world.Owed) {
	for _, m := range r.history.moved(box, since, of) {
		if m.Count < 0 {
			looted = world.AddOwed(looted, m.Block, -m.Count)
		} else {
			put = world.AddOwed(put, m.Block, min(m.Count, r.contained(m.At, m.Block)))
		}
	}
	for _, it := range r.dropped(box, of) {
		put = world.AddOwed(put, it.Stack.Block, int(it.Stack.Count))
	}
	return looted, put
}

// contained is how many of a block are in a container.
func (r *Region) contained(at world.Pos, b world.Block) (n int) {
	if c := r.area.Contents(at); c != nil {
		for _, s := range c.Slots {
			if s.Block == b {
				n += int(s.Count)
			}
		}
	}
	return n
}

// dropped are the items in a box that a player has dropped, or that have fallen out of what
// it has broken.
func (r *Region) dropped(box world.Zone, of id.ID) (out []*world.Item) {
	for _, it := range r.area.Items() {
		if it.Owner == of && it.Stack.Count > 0 && it.Shot.Damage == 0 && box.Holds(it.Body.Pos.Block()) {
			out = append(out, it)
		}
	}
	return out
}

// settle takes things out of containers and from the ground, and puts others back.
func (r *Region) settle(m *Undo, o *decision.Order, u decision.Undo, out *Undone) {
	if !r.settles(o) || u.Preview {
		r.stats.Refused++
		r.env.Send(Lobby, out)
		return
	}
	var moves []world.Moved
	var items []world.Gathered
	take, give := world.CountOwed(m.Take), world.CountOwed(m.Give)
	for _, v := range r.history.moved(u.Box, tickOf(u.Since, r.cfg.Epoch), o.Subject) {
		v.By = o.Subject
		if v.Count > 0 {
			v.Count = -min(v.Count, take[v.Block], r.contained(v.At, v.Block))
			take[v.Block] += v.Count
		} else {
			v.Count = min(-v.Count, give[v.Block])
			give[v.Block] -= v.Count
		}
		if v.Count != 0 {
			moves = append(moves, v)
		}
	}
	for _, it := range r.dropped(u.Box, o.Subject) {
		if n := min(int(it.Stack.Count), take[it.Stack.Block]); n > 0 {
			take[it.Stack.Block] -= n
			items = append(items, world.Gathered{Entity: it.Entity, Count: n})
			out.Owed = world.AddOwed(out.Owed, it.Stack.Block, n)
		}
	}
	changes := r.area.Restock(o, moves, items)
	for _, v := range changes.Moves {
		out.Owed = world.AddOwed(out.Owed, v.Block, max(v.Count, -v.Count))
	}
	r.store.unsaved = true
	r.effects.apply(r.loop.now(), changes)
	r.activity.touch()
	r.store.then(r.answer(out))
	r.store.flush()
}

// moved returns what a player has put into containers in a box since a tick (positive), or
// taken out of them, less what was taken back.
func (h *history) moved(box world.Zone, since uint64, of id.ID) (out []world.Moved) {
	type kept struct {
		at    world.Pos
		block world.Block
	}
	places := map[kept]int{}
	for i := range h.steps {
		s := &h.steps[i]
		if s.tick < since || len(s.moves) == 0 || h.actors[s.by] != of {
			continue
		}
		for _, m := range s.moves {
			if !box.Holds(m.At) {
				continue
			}
			k := kept{m.At, m.Block}
			at, ok := places[k]
			if !ok && s.undo || len(out) >= regionlog.MaxRestocked {
				continue
			}
			if !ok {
				at = len(out)
				places[k] = at
				out = append(out, world.Moved{At: m.At, Block: m.Block})
			}
			out[at].Count = sum(out[at].Count, m.Count, s.undo)
		}
	}
	return slices.DeleteFunc(out, func(m world.Moved) bool { return m.Count == 0 })
}

// sum adds a move. What was taken back may be of before, so it makes nothing of it but less.
func sum(n, move int, undo bool) int {
	switch next := n + move; {
	case undo && n > 0:
		return min(n, max(next, 0))
	case undo:
		return max(n, min(next, 0))
	default:
		return next
	}
}
