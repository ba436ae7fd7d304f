package storagelab

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// TruthLog is what players have signed, as their own nodes report it, and what any node
// was told of that. What is replayed is what was signed, so that an action which the
// network loses everywhere is missing from the network's world and not from the replay.
type TruthLog struct {
	signed map[int64]map[id.ID][]*state.Action
	told   map[int64]map[id.ID]map[uint64]bool // by the actions' numbers
}

// TruthCount counts signed actions.
type TruthCount struct {
	Signed int // by players who take part in the world then
	Lost   int // of these, those that no node was told of: they took effect nowhere
}

func NewTruthLog() TruthLog {
	return TruthLog{map[int64]map[id.ID][]*state.Action{}, map[int64]map[id.ID]map[uint64]bool{}}
}

// Sign notes what a player has signed.
func (l *TruthLog) Sign(b *state.Batch) {
	if l.signed[b.Of] == nil {
		l.signed[b.Of] = map[id.ID][]*state.Action{}
	}
	have := l.signed[b.Of][b.Player.ID]
	for _, a := range b.Actions {
		if !slices.ContainsFunc(have, func(o *state.Action) bool { return o.Seq == a.Seq }) {
			have = append(have, a)
		}
	}
	l.signed[b.Of][b.Player.ID] = have
}

// Tell notes what a node was told that a player has done.
func (l *TruthLog) Tell(b *state.Batch) {
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

// Take returns the signed actions of an interval, in order, and forgets it. takesPart
// says whose actions the world's rules look at in that step.
func (l *TruthLog) Take(of int64, takesPart func(id.ID) bool) (all []*state.Action, count TruthCount) {
	for who, list := range l.signed[of] {
		all = append(all, list...)
		if !takesPart(who) {
			continue
		}
		for _, a := range list {
			count.Signed++
			count.Lost += lab.Indicator(!l.told[of][who][a.Seq])
		}
	}
	slices.SortFunc(all, func(a, b *state.Action) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	delete(l.signed, of)
	delete(l.told, of)
	return all, count
}

func (c *TruthCount) Add(o TruthCount) {
	c.Signed += o.Signed
	c.Lost += o.Lost
}
