package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileRegion: a node that hosts a region which is not a player's home neither
// ends the player's session nor gets a frame to it that a client cannot decode.
func TestHostileRegion(t *testing.T) {
	c := newCluster(t, 1, 4)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(10 * time.Second)
	gateway := c.node(0).net
	liar, theirs := -1, shards.Shard{}
	for _, r := range gateway.routes.All() {
		p := r.Shard
		for i := 1; i < len(c.nodes); i++ {
			if !p.Lobby && p.Region != g.home && gateway.routes.Speakers.SpeaksFor(nodePeer(i), p) {
				liar, theirs = i, p
			}
		}
	}
	if liar < 0 {
		t.Fatal("the others host nothing")
	}
	session, dropped, entries := c.guests[0].Peer().ID, c.node(0).counts.Dropped, g.entries
	now := region.TickAt(c.s.Now(), c.node(0).cfg.Region.Epoch)
	remote := region.Own{Corrected: true, Position: world.Vec{X: fixed.Num(1) << 62}}
	frames := []*region.Frame{
		{Tick: now, Cells: []byte{1}},
		{Tick: now, Cells: nil},
		{Tick: now, Cells: []byte{0, 0}},
		{Tick: now, Cells: []byte{0}, Own: remote},
		{Tick: 1 << 63, Cells: []byte{0}},
		{Tick: now - 2*wrongClock, Cells: []byte{0}},
	}
	for _, m := range frames {
		m.Region = theirs.Region
		c.nodes[liar].Call(func() {
			w := c.node(liar).net
			w.links.Send(nodePeer(0), &ToSessions{[]id.ID{session}, m})
			w.links.Send(nodePeer(0), &ToWatchers{Region: m.Region, Tick: m.Tick, Cells: m.Cells, To: []Watcher{{session, m.Own}}})
			w.links.Send(nodePeer(0), &EndSession{session, theirs})
		})
		c.s.Run(200 * time.Millisecond)
	}
	if !c.node(0).links[machine.Peer{ID: session}] || !g.in || g.entries != entries {
		t.Error("the session has ended")
	}
	if n := c.node(0).counts.Dropped - dropped; n < uint64(3*len(frames)) {
		t.Errorf("%d of %d messages were dropped", n, 3*len(frames))
	}
}
