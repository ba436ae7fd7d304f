package voxelrules

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Edit is something that a player has done in a region that is played, signed by
// the node that the player is connected to: what the storage replays of the play
// plane. The body is not replayed, only what was done to blocks and what that
// takes and gives.
type Edit struct {
	Kind   EditKind
	Player id.ID
	Tick   uint64      // when it was done; ascending within a batch
	At     world.Pos   // EditBreak, EditPlace
	Block  world.Block // that was broken or placed
	Recipe uint32      // EditCraft
	Times  uint32
}

// EditKind is what was done.
type EditKind uint8

// The kinds of edit.
const (
	EditBreak EditKind = iota + 1
	EditPlace
	EditCraft
	EditJoin  // the player plays at this node from now on
	EditLeave // and not any more
	editEnd
)

// MaxEdits is how many edits a batch has at most.
const MaxEdits = 400

// newPlayer marks an edit that is of another player than the one before.
const newPlayer = 0x80

func appendEdits(out []byte, first uint64, edits []Edit) []byte {
	var last id.ID
	for i := range edits {
		e := &edits[i]
		if e.Player == last {
			out = append(out, byte(e.Kind))
		} else {
			last = e.Player
			out = append(append(out, byte(e.Kind)|newPlayer), last[:]...)
		}
		out = appendUints(out, e.Tick-first)
		first = e.Tick
		switch e.Kind {
		case EditBreak, EditPlace:
			out = appendInts(out, int64(e.At.X), int64(e.At.Y), int64(e.At.Z))
			out = appendUints(out, uint64(e.Block))
		case EditCraft:
			out = appendUints(out, uint64(e.Recipe), uint64(e.Times))
		}
	}
	return out
}

func readEdits(r *reader, first uint64) (edits []Edit) {
	var last id.ID
	for r.Len() > 0 && !r.Bad() {
		kind := r.Byte()
		if kind&newPlayer != 0 {
			last = id.ID(r.Take(id.Size))
		}
		e := Edit{Kind: EditKind(kind &^ newPlayer), Player: last, Tick: first + r.Uint(1<<32)}
		switch e.Kind {
		case EditBreak, EditPlace:
			e.At, e.Block = r.pos(), r.block()
		case EditCraft:
			e.Recipe, e.Times = uint32(r.Uint(1<<16)), uint32(r.Uint(1<<16))
		}
		if e.Kind == 0 || e.Kind >= editEnd || len(edits) > 0 && e.Tick == first || len(edits) == MaxEdits {
			r.Fail()
		}
		first = e.Tick
		edits = append(edits, e)
	}
	return edits
}

// inventory is what a player has won and not used, as far as it is counted: what
// drifts, what mobs leave, and what comes of plants that topple cannot be
// replayed, and is not counted.
type inventory struct {
	player id.ID
	items  []item // ascending by block, none of them 0
}

type item struct {
	block world.Block
	count uint32
}

// maxItems bounds a count: more is thrown away.
const maxItems = 1 << 20

func (inv *inventory) count(b world.Block) uint32 {
	if i, ok := inv.find(b); ok {
		return inv.items[i].count
	}
	return 0
}

func (inv *inventory) find(b world.Block) (int, bool) {
	return slices.BinarySearchFunc(inv.items, b, func(x item, b world.Block) int { return int(x.block) - int(b) })
}

// add adds or, with a number below 0, takes.
func (inv *inventory) add(b world.Block, n int64) {
	if !world.Counted(b) || n == 0 {
		return
	}
	i, ok := inv.find(b)
	if !ok {
		inv.items = slices.Insert(inv.items, i, item{block: b})
	}
	now := min(max(int64(inv.items[i].count)+n, 0), maxItems)
	if inv.items[i].count = uint32(now); now == 0 {
		inv.items = slices.Delete(inv.items, i, i+1)
	}
}

// craft does a recipe if there is enough of what is counted.
func (inv *inventory) craft(recipe, times uint32) {
	if recipe >= uint32(len(world.Recipes)) {
		return
	}
	r := &world.Recipes[recipe]
	if r.Ticks > 0 {
		return // it needs a furnace
	}
	for _, in := range r.In {
		if world.Counted(in.Block) && int64(inv.count(in.Block)) < int64(in.Count)*int64(times) {
			return
		}
	}
	for _, in := range r.In {
		inv.add(in.Block, -int64(in.Count)*int64(times))
	}
	inv.add(r.Out.Block, int64(r.Out.Count)*int64(times))
}
