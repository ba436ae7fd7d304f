package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Slots is how many slots an inventory has: the hot bar first, then the rest of what is
// carried, then what is worn on head, body, legs and feet.
const (
	Carried = 36
	Slots   = Carried + pack.FeetSlot
)

// MaxStack is how many items a slot holds.
const MaxStack = 99

// Stack is a slot: Count of one kind of block; zero is empty.
type Stack struct {
	Block Block
	Count uint8
}

// Inventory is what a player carries.
type Inventory [Slots]Stack

// starterKit is what new players of a survival world carry.
var starterKit = Inventory{
	{Torch, 16}, {OakPlanks, 32}, {Ladder, 8}, {Glass, 8},
}

// creativeKit is what new players of a creative world have at hand: they take
// the rest from the catalogue.
var creativeKit = Inventory{
	{Grass, 1}, {Stone, 1}, {OakPlanks, 1}, {OakLog, 1}, {Bricks, 1},
	{Glass, 1}, {StoneSlab, 1}, {Lamp, 1}, {Torch, 1},
}

// Add puts n of a block into the inventory: onto stacks of the same kind first,
// then into empty slots. It returns how many found no room and a bit for each
// slot that changed.
func (v *Inventory) Add(b Block, n int) (left int, changed uint64) { return addTo(v[:Carried], b, n) }

// addTo is Add for any slots, at most 64.
func addTo(v []Stack, b Block, n int) (left int, changed uint64) {
	for _, empty := range [2]bool{false, true} {
		for i := range v {
			s := &v[i]
			if n == 0 || empty != (s.Count == 0) || !empty && s.Block != b {
				continue
			}
			take := min(n, MaxStack-int(s.Count))
			if take == 0 {
				continue
			}
			*s = Stack{b, s.Count + uint8(take)}
			n -= take
			changed |= 1 << i
		}
	}
	return n, changed
}

// hasRoom reports whether one more of a block finds room.
func (v *Inventory) hasRoom(b Block) bool {
	return slices.ContainsFunc(v[:Carried], func(s Stack) bool {
		return s.Count == 0 || s.Block == b && s.Count < MaxStack
	})
}

// Count returns how many of a block are carried.
func (v *Inventory) Count(b Block) (n int) {
	for _, s := range v[:Carried] {
		if s.Count > 0 && s.Block == b {
			n += int(s.Count)
		}
	}
	return n
}

// Take removes n of a block, from the last slots first so that the hot bar
// lasts, if there are that many. It returns a bit for each slot that changed
// and whether there were enough.
func (v *Inventory) Take(b Block, n int) (changed uint64, ok bool) {
	if v.Count(b) < n {
		return 0, false
	}
	for i := Carried - 1; i >= 0 && n > 0; i-- {
		if v[i].Count == 0 || v[i].Block != b {
			continue
		}
		n -= v.takeAt(i, n)
		changed |= 1 << i
	}
	return changed, true
}

// takeAt removes up to n items from a slot and returns how many it took.
func (v *Inventory) takeAt(slot, n int) int { return v[slot].take(n) }

// take removes up to n items from a slot and returns how many it took.
func (s *Stack) take(n int) int {
	n = min(n, int(s.Count))
	s.Count -= uint8(n)
	if s.Count == 0 {
		*s = Stack{}
	}
	return n
}

// Move moves count items (0: all; tools are moved whole) from one slot to another. Unlike kinds change
// places, if all of the first is moved. It reports whether anything moved.
func (v *Inventory) Move(from, to, count int) bool {
	next := *v
	if from == to || !moveStack(&next[from], &next[to], count) || !next.fits() {
		return false
	}
	*v = next
	return true
}

// fits reports whether everything that is worn is worn where it belongs.
func (v *Inventory) fits() bool {
	for i, s := range v[Carried:] {
		if s.Count > 0 && int(Info(s.Block).Armour.Slot) != i+1 {
			return false
		}
	}
	return true
}

// moveStack is Move for any two slots.
func moveStack(a, b *Stack, count int) bool {
	if a.Count == 0 {
		return false
	}
	if count <= 0 || count > int(a.Count) || a.Block.Lasts() {
		count = int(a.Count)
	}
	if b.Count > 0 && a.Block != b.Block {
		if count < int(a.Count) {
			return false
		}
		*a, *b = *b, *a
		return true
	}
	count = min(count, MaxStack-int(b.Count))
	if count == 0 {
		return false
	}
	*b = Stack{a.Block, b.Count + uint8(count)}
	a.take(count)
	return true
}
