package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// MaxRestocked bounds the moves, and the items, of one rollback in a region.
const MaxRestocked = 4096

// Restock is that of world.Area. It is done by a signed rollback of a player only, within
// the box that it names; how much is moved is the leader's word.
func (a *Area) Restock(o *decision.Order, moves []world.Moved, items []world.Gathered) *world.Changes {
	if a.rec.on {
		a.rec.event(evRestock)
		a.rec.put(o.Append(nil))
		a.rec.uint(uint64(len(moves)))
		for _, m := range moves {
			a.rec.pos(m.At)
			a.rec.uint(uint64(m.Block))
			a.rec.int(int64(m.Count))
		}
		a.rec.uint(uint64(len(items)))
		for _, g := range items {
			a.rec.uint(g.Entity)
			a.rec.uint(uint64(g.Count))
		}
	}
	return a.Area.Restock(o.Subject, moves, items)
}

// applyRestock does what a rollback says, after verifying that it was signed.
func (a *Area) applyRestock(r *reader) error {
	signed := r.Bytes(decision.MaxSize)
	var moves []world.Moved
	for n := r.Uint(MaxRestocked); n > 0 && !r.Bad(); n-- {
		moves = append(moves, world.Moved{At: r.pos(), Block: r.block(), Count: int(r.Int(maxU32))})
	}
	var items []world.Gathered
	for n := r.Uint(MaxRestocked); n > 0 && !r.Bad(); n-- {
		items = append(items, world.Gathered{Entity: r.Uint(1<<64 - 1), Count: int(r.Uint(maxU32))})
	}
	if r.Bad() {
		return ErrFormat
	}
	o, err := decision.DecodeOrder(signed)
	var u decision.Undo
	if err == nil {
		u, err = o.Undo()
	}
	if err != nil || o.World != a.world || !o.Signed() || o.Kind != decision.Rollback || o.Subject.IsZero() || u.Preview {
		return fmt.Errorf("%w: containers were changed by an order that nobody has signed", errRule)
	}
	for i := range moves {
		if moves[i].By = o.Subject; !u.Box.Holds(moves[i].At) {
			return fmt.Errorf("%w: an order does not say that the container at %v is changed", errRule, moves[i].At)
		}
	}
	a.Restock(o, moves, items)
	return nil
}
