package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// commandQueue has the commands for the next step of the world that do not come
// from a player's inbox: orders, edits that neighbours ask for, and their answers.
type commandQueue struct {
	list      []world.Command
	lastOrder uint32
}

func (q *commandQueue) add(c world.Command) { q.list = append(q.list, c) }

// order lets the next tick run an order.
func (q *commandQueue) order(player id.ID, o *world.Order) {
	q.lastOrder++
	q.add(world.Command{Player: player, Kind: world.CmdOrder, Seq: q.lastOrder, Order: o})
}

// verdict says what happens to a command whose turn it is.
type verdict uint8

const (
	runIt verdict = iota
	keepIt
	dropIt
)

// take appends the commands whose turn it is.
func (q *commandQueue) take(to []world.Command, judge func(*world.Command) verdict) []world.Command {
	kept := q.list[:0]
	for _, c := range q.list {
		switch judge(&c) {
		case keepIt:
			kept = append(kept, c)
		case runIt:
			to = append(to, c)
		}
	}
	clear(q.list[len(kept):])
	q.list = kept
	return to
}
