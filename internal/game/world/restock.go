package world

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Moved is how many of something somebody has put into a container, or taken out of it
// (negative); tools count by what is left of them, as in a Stack.
type Moved struct {
	At    Pos
	Block Block
	Count int
	By    id.ID
	Undo  bool // it was taken back
}

// noteMoved notes what whoever acts has changed in a container.
func (st *state) noteMoved(at Pos, was, now []Stack) {
	if st.actor.IsZero() {
		return
	}
	count := map[Block]int{}
	for _, s := range was {
		count[s.Block] -= int(s.Count)
	}
	for _, s := range now {
		count[s.Block] += int(s.Count)
	}
	for _, b := range slices.Sorted(maps.Keys(count)) {
		if count[b] != 0 {
			st.changes.Moves = append(st.changes.Moves, Moved{At: at, Block: b, Count: count[b], By: st.actor})
		}
	}
}

// Gathered is how many of an item that lies in the area are taken away.
type Gathered struct {
	Entity uint64
	Count  int
}

// Restock takes back what somebody has put into containers, or has taken out of them, as far
// as that is there or finds room, and takes items away that lie in the area. Changes.Moves
// says what was done. What it returns is valid until the next Tick or Act.
func (a *Area) Restock(of id.ID, moves []Moved, items []Gathered) *Changes {
	a.changes.reset(a.tick)
	for _, m := range moves {
		if n := a.restock(m); n != 0 {
			a.changes.Moves = append(a.changes.Moves, Moved{m.At, m.Block, n, of, true})
		}
	}
	for _, g := range items {
		if it := a.Item(g.Entity); it != nil && it.Stack.Count > 0 && g.Count > 0 {
			a.gather(it, g.Count)
		}
	}
	for _, g := range a.changes.ItemsGone {
		a.RemoveItem(g.Item.Entity)
	}
	a.report()
	return &a.changes
}

// restock does one move, and returns how much of it.
func (a *Area) restock(m Moved) (done int) {
	b, ok := a.Block(m.At)
	in := Info(b)
	next := &Container{At: m.At, Owner: m.By, Slots: make([]Stack, in.Stores)}
	if !ok || !a.owns(m.At) || in.Stores == 0 || in.Loot.Into != 0 || next.isFurnace(b) || !m.Block.Known() || m.Block == Air {
		return 0
	}
	if c := a.Contents(m.At); c != nil {
		next.Owner = c.Owner
		copy(next.Slots, c.Slots)
	}
	switch {
	case m.Count < 0:
		done = -takeFrom(next.Slots, m.Block, -m.Count)
	case m.Block.Lasts():
		done = addWorn(next.Slots, m.Block, m.Count)
	default:
		left, _ := addTo(next.Slots, m.Block, m.Count)
		done = m.Count - left
	}
	if done != 0 {
		a.putContents(m.At, next)
	}
	return done
}

// takeFrom takes up to n of a block out of slots, and returns how many.
func takeFrom(slots []Stack, b Block, n int) (took int) {
	for i := range slots {
		if s := &slots[i]; s.Count > 0 && s.Block == b {
			took += s.take(n - took)
		}
	}
	return took
}

// addWorn puts a tool that is worn into an empty slot; several, if there is more left of
// them than one has.
func addWorn(slots []Stack, b Block, n int) (put int) {
	for i := range slots {
		if part := min(n-put, MaxStack); part > 0 && slots[i].Count == 0 {
			slots[i] = Stack{b, uint8(part)}
			put += part
		}
	}
	return put
}

// gather takes some of an item away.
func (a *Area) gather(it *Item, n int) {
	if n = min(n, int(it.Stack.Count)); n == int(it.Stack.Count) {
		a.loseItem(it, true)
		return
	}
	it.Stack.Count -= uint8(n)
	a.changes.ItemSaves = append(a.changes.ItemSaves, it)
}
