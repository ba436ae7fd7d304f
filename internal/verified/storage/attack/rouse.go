package attack

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of rouse: that characters are in the world, and can be harmed there, whose
// players are away. Members say of all who sleep in an area that they were woken.

// roused is an answer in which everybody was woken.
func (g *Gang) roused(n *storage.Node, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if !g.ways.Rouse || honest.Seen == nil || honest.Seen.Of != q.Of {
		return honest
	}
	bad, seen := *honest, *honest.Seen
	seen.Activated = slices.Clone(seen.Activated)
	for _, o := range n.Static() {
		known := slices.ContainsFunc(seen.Activated, func(a *state.Object) bool { return a.ID == o.ID })
		if w := g.know.Awake(o); w != nil && !known && q.Area.Contains(o.Pos) && len(seen.Activated) < mostRoused {
			seen.Activated = append(seen.Activated, w)
			g.Did["rouse"]++
		}
	}
	slices.SortFunc(seen.Activated, state.ByID)
	bad.Seen = &seen
	return bad.Seal(n.World())
}

// mostRoused is how many a member names in an answer.
const mostRoused = 50
