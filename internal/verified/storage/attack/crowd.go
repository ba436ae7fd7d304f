package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The goal of crowd: that the overlay has no time for anything else. While states are
// voted on, a member sends everybody that it has a link to one message of the overlay
// after the other: its view, with the question for the receiver's; requests for entries of
// routing tables and for a place, which travel through the network and are answered at
// their end; and questions for whom a neighbour knows.

// crowdTimes is how often a member sends each of them to a node in a moment.
const crowdTimes = 40

// Crowd lets a member send to all that it is linked to. It is called like a handler of the
// member.
func (g *Gang) Crowd(member *storage.Node, of int64) {
	if !g.ways.Crowd {
		return
	}
	env, self, bounds := g.envs[member.Self().ID], member.Self(), g.space.Bounds()
	around := member.Overlay().Neighbours(nil)
	for _, to := range member.Overlay().Linked(nil) {
		if g.Has(to.ID) {
			continue
		}
		for range crowdTimes {
			g.asked++
			g.Did["crowd"]++
			head := overlay.Route{Origin: self, Seq: 1<<40 + g.asked}
			head.Dest = geom.Point{
				X: bounds.Min.X + int32(env.Rand().Intn(int(bounds.Max.X-bounds.Min.X))),
				Y: bounds.Min.Y + int32(env.Rand().Intn(int(bounds.Max.Y-bounds.Min.Y))),
			}
			place := head
			place.Via, place.HasVia, place.Dest = head.Dest, true, self.Pos
			env.Send(to.Peer(), &overlay.NetworkView{Source: self, Neighbours: around, Ask: true, Stamp: env.Now()})
			env.Send(to.Peer(), &overlay.RtRequest{Route: head})
			env.Send(to.Peer(), &overlay.JoinRequest{Route: place})
			member.Overlay().Reply(to, &messages.PeerQuery{Query: g.asked, Zones: g.allZones()})
		}
	}
}

func (g *Gang) allZones() (zones []uint8) {
	for zone := range g.space.Zones() {
		zones = append(zones, uint8(zone))
	}
	return zones
}
