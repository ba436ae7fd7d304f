package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Amend is that of world.Area. It is done by a signed order only, within the box that it
// names; which of the blocks there were changed, and by whom, is the leader's word.
func (a *Area) Amend(signed []byte, by id.ID, edits []world.BlockChange, undo bool) *world.Changes {
	if a.rec.on {
		a.rec.event(evAmend)
		a.rec.put(signed)
		a.rec.changes(edits)
	}
	return a.Area.Amend(by, edits, undo)
}

// maxAmended bounds the blocks of one order in a region: what a box holds that is as high
// as the world.
const maxAmended = world.RegionSize * world.RegionSize * world.Height

// applyAmend does what an order says, after verifying that it was signed.
func (a *Area) applyAmend(r *reader) error {
	signed := r.Bytes(decision.MaxSize)
	edits := r.changes()
	if r.Bad() {
		return ErrFormat
	}
	o, err := decision.DecodeOrder(signed)
	if err != nil || o.World != a.world || !o.Signed() || o.Kind == decision.Inspect {
		return fmt.Errorf("%w: blocks were changed by an order that nobody has signed", errRule)
	}
	if o.Kind == decision.Build {
		return a.applyBuilding(signed, o, edits)
	}
	u, err := o.Undo()
	for _, e := range edits {
		if err != nil || u.Preview || !u.Box.Holds(e.At) {
			return fmt.Errorf("%w: an order does not say that %v is changed", errRule, e.At)
		}
	}
	a.Amend(signed, o.By(), edits, true)
	return nil
}

// applyBuilding does what an order to build says, each block as it says; of what is pasted
// it says only where.
func (a *Area) applyBuilding(signed []byte, o *decision.Order, edits []world.BlockChange) error {
	b, err := o.Building()
	for _, e := range edits {
		if err != nil || !b.Makes(e) {
			return fmt.Errorf("%w: an order does not say that %v becomes %v", errRule, e.At, e.Now)
		}
	}
	a.Amend(signed, o.By(), edits, false)
	return nil
}

// changes appends changes of blocks.
func (r *recorder) changes(list []world.BlockChange) {
	r.uint(uint64(len(list)))
	for _, c := range list {
		r.pos(c.At)
		r.uint(uint64(c.Was))
		r.uint(uint64(c.Now))
	}
}

// changes reads what the recorder's changes wrote.
func (r *reader) changes() (list []world.BlockChange) {
	for n := r.Uint(maxAmended); n > 0 && !r.Bad(); n-- {
		list = append(list, world.BlockChange{At: r.pos(), Was: r.block(), Now: r.block()})
	}
	return list
}

// Merged is how many blocks the leader has merged since it was called last.
func (r *Replayer) Merged() int {
	if r.area == nil {
		return 0
	}
	n := r.area.merged
	r.area.merged = 0
	return n
}

func (r *reader) block() world.Block {
	b := world.Block(r.Uint(uint64(world.BlockLimit) - 1))
	if !b.Known() {
		r.Fail()
	}
	return b
}
