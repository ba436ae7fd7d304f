package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The goal of adaptive: the same as that of silence, without being left out by those who
// have found out who is silent. Members answer and give receipts as honest nodes do. Only
// where they have a part in so many zones that the others are no majority do all of them
// answer nothing.

// saysNothing reports whether members do not answer a question at all.
func (g *Gang) saysNothing(body any) bool {
	switch q := body.(type) {
	case *messages.Retrieve:
		return g.mute(q.Of) || g.ways.Adaptive && g.blocks(func(n *storage.Node) bool { return n.Ready() && q.Area.Overlaps(n.Cell()) })
	case *messages.RetrieveActions:
		return g.mute(q.Of) || g.ways.Adaptive && g.blocks(func(n *storage.Node) bool { return n.Cell().Contains(q.Player.Home) })
	case *messages.Fetch:
		return g.mute(q.Of)
	}
	return false
}

// blocks reports whether members have a part in so many zones that no majority is left
// without them.
func (g *Gang) blocks(part func(*storage.Node) bool) bool {
	held := 0
	for zone := range g.space.Zones() {
		for _, n := range g.know.Zone(zone) {
			if g.Has(n.Self().ID) && part(n) {
				held++
				break
			}
		}
	}
	if g.space.Zones()-held > g.space.Zones()/2 {
		return false
	}
	g.Did["adaptive"]++
	return true
}

// swallows reports whether a question, or the message in which it travels, ends at a
// member.
func (g *Gang) swallows(m any) bool {
	switch m := m.(type) {
	case *overlay.Areacast:
		return !g.Has(m.Origin.ID) && g.saysNothing(m.Body)
	case *overlay.Unicast:
		return !g.Has(m.Origin.ID) && g.saysNothing(m.Body)
	}
	return false
}
