package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The goal of digests: the same as that of flood, with questions that every node passes on
// and answers. A member asks by areacast for the digests of the whole world, and for the
// names of all who are asleep, in each zone: one message of the member becomes one of each
// node of the zone, and an answer of each.

// digestTimes is how often a member asks each zone in a moment.
const digestTimes = 20

// Digests lets a member ask all nodes. It is called like a handler of the member.
func (g *Gang) Digests(member *storage.Node, of int64) {
	if !g.ways.Digests {
		return
	}
	side := member.World().Side
	world := overlay.Area{Polygon: geom.Rect{Max: geom.Point{X: side, Y: side}}.Polygon(nil)}
	for zone := range g.space.Zones() {
		all := overlay.Area{Polygon: g.space.SubArea(zone).Polygon(nil)}
		for range digestTimes {
			g.asked++
			g.Did["digests"]++
			member.Overlay().Areacast(all, &messages.Retrieve{Query: g.asked, Kind: messages.ForUpdate, Of: of, Area: world})
			member.Overlay().Areacast(all, &messages.Retrieve{Query: g.asked, Kind: messages.ForJoin, Area: world})
		}
	}
}
