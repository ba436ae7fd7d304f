package attack

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of shout: to silence all players. Members tell every honest node, at the
// moment when it begins to ask, that nobody around it has done anything, with receipts
// as in forge. They have not been asked and guess the numbers of the questions: that of
// an interval, and the place of the player among those around the node.

// numberBits is how many bits of a question's number are not the interval's.
const numberBits = 20

// rankError is by how much a guess of a player's place may be wrong.
const rankError = 3

// Shout lets a member shout at its share of the honest nodes, about the interval before
// t_of. It is called like a handler of the member.
func (g *Gang) Shout(member *storage.Node, of int64) {
	if !g.ways.Shout {
		return
	}
	members, honest := g.everyone()
	mine := slices.Index(members, member)
	for i, n := range honest {
		if mine >= 0 && i%len(members) == mine {
			g.shoutAt(member, n, of)
		}
	}
}

// everyone lists members and honest nodes.
func (g *Gang) everyone() (members, honest []*storage.Node) {
	for zone := range g.space.Zones() {
		for _, n := range g.know.Zone(zone) {
			if g.Has(n.Self().ID) {
				members = append(members, n)
			} else {
				honest = append(honest, n)
			}
		}
	}
	return members, honest
}

func (g *Gang) shoutAt(member, to *storage.Node, of int64) {
	for rank, p := range g.playersAround(to, of-1) {
		for i := max(0, rank-rankError); i <= rank+rankError; i++ {
			q := &messages.RetrieveActions{Query: uint64(of)<<numberBits | uint64(i*len(to.StorePlaces(p, 0))), Player: p, Of: of}
			member.Overlay().Reply(to.Self(), g.forged(q))
		}
	}
}

// playersAround are those whose actions a node will ask for, in about the order in
// which it does.
func (g *Gang) playersAround(n *storage.Node, of int64) (out []*state.Player) {
	truth := g.know.At(of)
	if truth == nil {
		return nil
	}
	w := n.World()
	area := overlay.Area{Circle: geom.Circle{C: n.Circle().C, R: n.Circle().R + w.Reach(interval) + 2*w.Cell}}
	x0, y0, x1, y1 := within(&area, w)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			if c := truth.At(x, y); c != nil {
				for _, o := range c.Objects {
					if o.Player != nil && area.Circle.Contains(o.Pos) {
						out = append(out, o.Player)
					}
				}
			}
		}
	}
	for _, o := range truth.Activated {
		if o.Player != nil && area.Circle.Contains(o.Pos) {
			out = append(out, o.Player)
		}
	}
	return out
}

// interval is that of the simulations, 5·l_max.
const interval = 5 * storage.DefaultLMax
