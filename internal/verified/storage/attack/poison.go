package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of push: that newcomers, and the neighbours of who leaves, begin with a world
// that was tampered with, and without what players have signed.
//
// The goal of peers: that who asks its neighbours whom they know hears of members alone.
//
// The goal of wake: that a player who comes back stays asleep. Members pass on no
// Activate, and know of nobody who was woken.

// poisoned is what a member pushes.
func (g *Gang) poisoned(m *messages.Push, w state.World) *messages.Push {
	bad := *m
	bad.Static, bad.Batches = tamperList(m.Static), nil
	if m.Seen != nil {
		seen := *m.Seen
		seen.Cells = make([]*state.Cell, len(m.Seen.Cells))
		for i, c := range m.Seen.Cells {
			if c != nil {
				seen.Cells[i] = state.NewCell(tamperList(c.Objects))
			}
		}
		bad.Seen = &seen
	}
	return bad.Seal(w)
}

// misguides answers a neighbour's question for whom it knows; false: it is no such
// question.
func (g *Gang) misguides(n *storage.Node, m machine.Message) bool {
	u, ok := m.(*overlay.Unicast)
	if !ok || g.Has(u.Origin.ID) || u.Dest != n.Self().Pos {
		return false
	}
	q, ok := u.Body.(*messages.PeerQuery)
	if !ok || !g.ways.Peers {
		return false
	}
	reply := &messages.PeerReply{Query: q.Query}
	for _, zone := range q.Zones {
		for _, o := range g.know.Zone(int(zone)) {
			if g.Has(o.Self().ID) && len(reply.Nodes) < maxNamed {
				reply.Nodes = append(reply.Nodes, o.Self())
			}
		}
	}
	n.Overlay().Reply(u.Origin, reply)
	return true
}

// maxNamed is how many nodes a neighbour is believed to know.
const maxNamed = 24

// drowsy is an answer of somebody who knows of nobody who was woken.
func (g *Gang) drowsy(n *storage.Node, honest *messages.Result) *messages.Result {
	if !g.ways.Wake || honest.Seen == nil || len(honest.Seen.Activated) == 0 {
		return honest
	}
	bad, seen := *honest, *honest.Seen
	seen.Activated, bad.Seen = nil, &seen
	return bad.Seal(n.World())
}
