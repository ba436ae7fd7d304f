package attack

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of guess: that what no majority knows becomes what members say. They answer as
// somebody does who is unsure of everything, and all of their tentative states are the
// same and wrong.

// guessed is an answer of somebody who only guesses.
func (g *Gang) guessed(n *storage.Node, by *overlay.Contact, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if !g.ways.Guess || honest.Seen == nil || honest.Seen.Of != q.Of {
		return honest
	}
	p := g.plan(by, q)
	bad, seen := *honest, *honest.Seen
	seen.Cells, seen.Unsure = slices.Clone(seen.Cells), slices.Clone(seen.Unsure)
	for y := seen.Y; y < seen.Y+seen.H; y++ {
		for x := seen.X; x < seen.X+seen.W; x++ {
			if c := seen.At(x, y); c != nil {
				seen.SetTentative(x, y, state.NewCell(tamperList(c.Objects)))
			}
		}
	}
	g.Did["guess"]++
	bad.Seen = &seen
	p.said[n.Self().ID] = &bad
	return bad.Seal(n.World())
}
