package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The goal of flood: that honest nodes send so much to members that nothing else gets
// through in time. A question of a hundred bytes is answered with all cells that a node
// has; members ask every honest node for all of the world, again and again, about the
// state that is voted on.

// floodTimes is how often a member asks each honest node for everything in an interval.
const floodTimes = 20

// Flood lets a member ask every honest node. It is called like a handler of the member.
func (g *Gang) Flood(member *storage.Node, of int64) {
	if !g.ways.Flood {
		return
	}
	w := member.World()
	q := messages.Retrieve{Query: uint64(of), Kind: messages.ForUpdate, Of: of, Area: overlay.Area{}}
	q.Area.Circle.C, q.Area.Circle.R = member.Home(), w.Side
	_, honest := g.everyone()
	for _, to := range honest {
		s := to.State()
		if s == nil || s.Of != of {
			continue
		}
		f := &messages.Fetch{Retrieve: q}
		for y := s.Y; y < s.Y+s.H; y++ {
			for x := s.X; x < s.X+s.W; x++ {
				if s.At(x, y) != nil {
					f.Cells = append(f.Cells, messages.CellAt{X: x, Y: y})
				}
			}
		}
		g.Did["flood"]++
		for range floodTimes {
			member.Overlay().Reply(to.Self(), f)
		}
	}
}
