package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestSpeakers: a node that knows the id of a session tells it nothing in the name
// of a shard that it does not host, and does not end it.
func TestSpeakers(t *testing.T) {
	c := newCluster(t, 1, 9)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(10 * time.Second)
	home, entries := shards.Shard{Region: g.home}, g.entries
	gateway := c.node(0).net
	liar := -1
	for i := range c.nodes {
		if i != 0 && !gateway.routes.Speakers.SpeaksFor(nodePeer(i), home) && !gateway.routes.Speakers.SpeaksFor(nodePeer(i), shards.Lobby) {
			liar = i
		}
	}
	if liar < 0 {
		t.Fatal("everybody hosts something of the guest's")
	}
	session := c.guests[0].Peer().ID
	dropped := c.node(0).counts.Dropped
	for _, m := range []machine.Message{
		&region.Entered{Region: g.home, Player: g.player(), Epoch: 1 << 30, Position: spawn.Centre()},
		&region.Moved{Region: g.home, Player: g.player(), To: world.RegionPos{X: 50}, Epoch: 1 << 30},
		&region.Left{Region: g.home, Player: g.player(), Reason: region.LeftKicked},
		&region.Refused{Region: g.home, Player: g.player(), Code: "banned"},
		&region.NewHost{Region: g.home},
		&lobby.Refused{Code: "banned"}, &lobby.NewHost{}, &lobby.Chat{Text: "I am the operator"},
		&lobby.Order{}, &region.Handover{}, // what sessions do not get
	} {
		c.nodes[liar].Call(func() {
			c.node(liar).net.links.Send(nodePeer(0), &ToSessions{[]id.ID{session}, m})
			c.node(liar).net.links.Send(nodePeer(0), &EndSession{session, home})
			c.node(liar).net.links.Send(nodePeer(0), &EndSession{session, shards.Lobby})
			c.node(liar).net.links.Send(nodePeer(0), &ToWatchers{Region: g.home, Cells: []byte{0}, To: []Watcher{{session, region.Own{Corrected: true}}}})
		})
		c.s.Run(time.Second)
	}
	c.s.Run(12 * time.Second)
	if !c.node(0).links[machine.Peer{ID: session}] || !g.in || len(g.refused) > 0 || g.entries != entries {
		t.Errorf("the guest heard the liar: in %v, refused %v, %d entries", g.in, g.refused, g.entries-entries)
	}
	if n := c.node(0).counts.Dropped - dropped; n < 30 {
		t.Errorf("%d of 40 messages were dropped", n)
	}
	for _, f := range gateway.links.Remotes {
		if c.node(0).net.routes.Speakers.Remembers(f) {
			t.Error("messages are still doubted")
		}
	}
	c.checkPresence()
}
