package attack

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The goal of delay: that honest nodes disagree about what came in time, and wait for
// members as long as they wait at all. What a player deposits at t_i reaches some storers
// just before t^a and others just after. Questions are answered, or passed on, just before
// the time of the asker is up.

const (
	// beforeLMax is how much less than l_max a message is held up that should come in time.
	beforeLMax = 200 * time.Millisecond
	// afterLMax is how much more another one is held up.
	afterLMax = 50 * time.Millisecond
	// answersAfter is for how long questions are held up: askers wait 2·l_max.
	answersAfter = 2*storage.DefaultLMax - 500*time.Millisecond
)

// holdsUp reports whether a message of an honest node waits at a member. It comes again.
func (g *Gang) holdsUp(n *storage.Node, from machine.Peer, m machine.Message) bool {
	if !g.ways.Delay {
		return false
	}
	if g.late[m] {
		delete(g.late, m)
		return false
	}
	wait := g.waitOf(m)
	if wait == 0 {
		return false
	}
	g.Did["delay"]++
	g.know.After(n, wait, func() {
		g.late[m] = true
		n.OnMessage(from, m)
	})
	return true
}

// waitOf is how long a message waits.
func (g *Gang) waitOf(m machine.Message) time.Duration {
	var origin *overlay.Contact
	var body any
	var zone int
	switch m := m.(type) {
	case *overlay.Areacast:
		origin, body = m.Origin, m.Body
	case *overlay.Unicast:
		origin, body, zone = m.Origin, m.Body, g.space.Zone(m.Dest)
	}
	if origin == nil || g.Has(origin.ID) {
		return 0
	}
	switch body.(type) {
	case *messages.Deposit, *messages.Exchange:
		if zone%2 == 0 {
			return storage.DefaultLMax - beforeLMax
		}
		return storage.DefaultLMax + afterLMax
	case *messages.Retrieve, *messages.RetrieveActions, *messages.Fetch:
		return answersAfter
	}
	return 0
}
