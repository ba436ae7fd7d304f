package mmve

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Replay returns what is in a step's target at its end (storage.Rules). The
// characters come first, because what they do concerns NPCs, and never the other
// way round.
func (w *World) Replay(s *state.Step) []*state.Object {
	people := firstCharacter(s.Objects)
	var characters []*state.Object
	var hits []hit
	deeds := byPlayer(s.Actions)
	for _, o := range s.Objects[people:] {
		if o.Static {
			continue
		}
		var next *state.Object
		next, hits = w.replayCharacter(o, deeds[o.Player.ID], s.To, s.Target, hits)
		if next != nil {
			characters = append(characters, next)
		}
	}
	sortHits(hits)
	out := make([]*state.Object, 0, len(s.Objects)/4+len(characters))
	for _, o := range s.Objects[:people] {
		var mine []hit
		if len(hits) > 0 {
			mine, hits = takeHits(hits, o.ID)
		}
		if next := w.replayNPC(o, mine, s.To, s.Target); next != nil {
			out = append(out, next)
		}
	}
	return append(out, characters...)
}

// firstCharacter returns the index of the first character among objects
// ascending by id.
func firstCharacter(objects []*state.Object) int {
	i, _ := slices.BinarySearchFunc(objects, state.ObjectID(characterBit), func(o *state.Object, at state.ObjectID) int {
		if o.ID < at {
			return -1
		}
		return 1
	})
	return i
}

// byPlayer sorts actions out, each player's in their order.
func byPlayer(actions []*state.Action) map[id.ID][]*state.Action {
	if len(actions) == 0 {
		return nil
	}
	out := make(map[id.ID][]*state.Action)
	for _, a := range actions {
		out[a.Player.ID] = append(out[a.Player.ID], a)
	}
	return out
}

// sortHits puts blows in the order of those who are hit. What two blows at the
// same time do does not depend on their order.
func sortHits(hits []hit) {
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.target != b.target && a.target < b.target, a.target == b.target && a.at < b.at:
			return -1
		case a.target == b.target && a.at == b.at:
			return 0
		}
		return 1
	})
}

// takeHits returns the blows that are meant for one, and those for greater ids.
func takeHits(hits []hit, who state.ObjectID) (mine, rest []hit) {
	for len(hits) > 0 && hits[0].target < who {
		hits = hits[1:]
	}
	n := 0
	for n < len(hits) && hits[n].target == who {
		n++
	}
	return hits[:n], hits[n:]
}
