package lab

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

// truthLog is what players have signed, as their own nodes report it, and what any node
// was told of that. What is replayed is what was signed, so that an action which the
// network loses everywhere is missing from the network's world and not from the replay.
type truthLog struct {
	signed map[int64]map[id.ID][]*storage.Action
	told   map[int64]map[id.ID]map[uint64]bool // by the actions' numbers
}

// truthCount counts signed actions.
type truthCount struct {
	signed int // by players who take part in the world then
	lost   int // of these, those that no node was told of: they took effect nowhere
}

func newTruthLog() truthLog {
	return truthLog{map[int64]map[id.ID][]*storage.Action{}, map[int64]map[id.ID]map[uint64]bool{}}
}

// sign notes what a player has signed.
func (l *truthLog) sign(b *storage.Batch) {
	if l.signed[b.Of] == nil {
		l.signed[b.Of] = map[id.ID][]*storage.Action{}
	}
	have := l.signed[b.Of][b.Player.ID]
	for _, a := range b.Actions {
		if !slices.ContainsFunc(have, func(o *storage.Action) bool { return o.Seq == a.Seq }) {
			have = append(have, a)
		}
	}
	l.signed[b.Of][b.Player.ID] = have
}

// tell notes what a node was told that a player has done.
func (l *truthLog) tell(b *storage.Batch) {
	if l.told[b.Of] == nil {
		l.told[b.Of] = map[id.ID]map[uint64]bool{}
	}
	if l.told[b.Of][b.Player.ID] == nil {
		l.told[b.Of][b.Player.ID] = map[uint64]bool{}
	}
	for _, a := range b.Actions {
		l.told[b.Of][b.Player.ID][a.Seq] = true
	}
}

// take returns the signed actions of an interval, in order, and forgets it. takesPart
// says whose actions the world's rules look at in that step.
func (l *truthLog) take(of int64, takesPart func(id.ID) bool) (all []*storage.Action, count truthCount) {
	for who, list := range l.signed[of] {
		all = append(all, list...)
		if !takesPart(who) {
			continue
		}
		for _, a := range list {
			count.signed++
			count.lost += one(!l.told[of][who][a.Seq])
		}
	}
	slices.SortFunc(all, func(a, b *storage.Action) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	delete(l.signed, of)
	delete(l.told, of)
	return all, count
}

func (c *truthCount) add(o truthCount) {
	c.signed += o.signed
	c.lost += o.lost
}
