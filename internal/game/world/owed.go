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
