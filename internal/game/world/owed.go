package world

import (
	"maps"
	"slices"
)

// Owed is how many of a block somebody still has who has dug them, though they are in the
// world again.
type Owed struct {
	Block Block
	Count uint32
}

// MaxOwed bounds the kinds of blocks that are told of one player.
const MaxOwed = 64

// AddOwed adds to how many of a block are in a list, CountOwed sums it up.
func AddOwed(list []Owed, b Block, n int) []Owed {
	i := slices.IndexFunc(list, func(o Owed) bool { return o.Block == b })
	switch {
	case n <= 0:
	case i >= 0:
		list[i].Count += uint32(n)
	case len(list) < MaxOwed:
		list = append(list, Owed{b, uint32(n)})
	}
	return list
}

func CountOwed(list []Owed) map[Block]int {
	out := map[Block]int{}
	for _, o := range list {
		out[o.Block] += int(min(o.Count, 1<<20))
	}
	return out
}

// OwedFor is what is left of blocks that edits put back, less what is left of those that
// they take away: who has dug the ones and placed the others has the difference.
func OwedFor(edits []BlockChange) (out []Owed) {
	count := map[Block]int{}
	for _, e := range edits {
		count[Info(e.Now).Drop]++
		count[Info(e.Was).Drop]--
	}
	for _, b := range slices.Sorted(maps.Keys(count)) {
		if b != Air && count[b] > 0 && len(out) < MaxOwed {
			out = append(out, Owed{b, uint32(count[b])})
		}
	}
	return out
}
