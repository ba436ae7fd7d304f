package storage

import "github.com/voxelpopuli/voxelpopuli/internal/core/id"

// budget bounds what one node is given by another in an interval. A question of a hundred
// bytes is answered with all that a node holds of an area; whoever asks for it again and
// again makes the node send nothing else (decision 117).
type budget struct {
	of    int64
	spent map[id.ID]int
}

const (
	// questionsFree is how many cells and static objects anybody is given, also by a node
	// that holds few.
	questionsFree = 1000
	// timesHeld is how often somebody is given all that the node holds. An honest node asks
	// for a cell when it votes, when its player looks, and once more if an answer is late.
	timesHeld = 4
)

// grants reports whether somebody may have so many cells and objects more of a node that
// holds so many.
func (b *budget) grants(to id.ID, of int64, want, held int) bool {
	if b.of != of || b.spent == nil {
		b.of, b.spent = of, map[id.ID]int{}
	}
	if b.spent[to]+want > questionsFree+timesHeld*held {
		return false
	}
	b.spent[to] += want
	return true
}
