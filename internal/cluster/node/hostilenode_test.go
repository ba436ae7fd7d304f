package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileNames: a node names more nodes than another one keeps. The latest are
// known, the earliest are forgotten, and those that are linked stay.
func TestHostileNames(t *testing.T) {
	c, g := playedCluster(t, 1, 3, 5*time.Second)
	w := c.node(0).net
	linked := 0
	for _, f := range w.links.Order {
		if f.State == peers.Up {
			linked++
		}
	}
	if linked == 0 {
		t.Fatal("no links")
	}
	nobody := func(i int) machine.Peer {
		p := machine.Peer{ID: id.Of(fmt.Append(nil, "nobody ", i))}
		p.Addr[15] = 9
		return p
	}
	const many = peers.MaxRemoteNodes + 500
	for i := range many {
		c.nodes[0].Call(func() {
			// As a hostile host of the region would: it names the gateway node.
			w.onRouted(w.links.Remotes[nodePeer(1).ID], &routing.Routed{To: shards.Lobby, From: shards.Shard{Region: g.home}, Gateway: nobody(i), Msg: &region.Awake{Region: g.home}})
			w.links.Reported(nobody(i))
		})
		if i%500 == 0 { // less than a beat in all: a beat forgets who was only named
			c.s.Run(time.Millisecond)
		}
	}
	c.s.Run(time.Millisecond)
	if n := len(w.links.Remotes); n > peers.MaxRemoteNodes || n != len(w.links.Tags) || n != len(w.links.Order) {
		t.Errorf("%d nodes are known by id, %d by tag, %d in order", n, len(w.links.Tags), len(w.links.Order))
	}
	if w.links.Remotes[nobody(0).ID] != nil || w.links.Remotes[nobody(many-1).ID] == nil {
		t.Error("it is not the oldest that was forgotten")
	}
	for _, f := range w.links.Order {
		if f.State == peers.Up {
			linked--
		}
	}
	if linked > 0 {
		t.Errorf("%d links are not known any more", linked)
	}
	c.checkLeaders()
}

// TestHostileRegion: a node that hosts a region which is not a player's home neither
// ends the player's session nor gets a frame to it that a client cannot decode.
func TestHostileRegion(t *testing.T) {
	c, g := playedCluster(t, 1, 4, 10*time.Second)
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

// TestHostileInvitation: a node that does not host a shard makes nobody a member of a
// group of it, and is not believed to speak in the shard's name.
func TestHostileInvitation(t *testing.T) {
	c, _ := playedCluster(t, 1, 7, 10*time.Second)
	victim := c.node(0).net
	// A shard that others host, and many that nobody does.
	var list []shards.Shard
	liar := -1
	for i := 1; i < len(c.nodes) && liar < 0; i++ {
		for _, p := range shards.Sorted(c.node(i).net.hosting.replicas) {
			for l := 1; l < len(c.nodes); l++ {
				if victim.hosting.replica(p) == nil && c.node(l).net.hosting.replica(p) == nil && liar < 0 {
					list, liar = append(list, p), l
				}
			}
		}
	}
	if liar < 0 {
		t.Fatal("everybody hosts everything")
	}
	for i := range int32(2 * maxInvitations) {
		list = append(list, shards.Shard{Region: world.RegionPos{X: 500 + i}})
	}
	had := len(victim.hosting.replicas)
	for range 5 {
		c.nodes[liar].Call(func() {
			for _, p := range list {
				c.node(liar).net.links.Send(nodePeer(0), &group.Message{Space: p.Space(), Gen: group.Gen{Number: 1, Fork: 1}, From: 1, To: 2, Term: 2, Fresh: true, SentAt: 1, Lease: 1})
			}
		})
		c.s.Run(time.Second)
		if n := len(victim.invitations.checks); n > maxInvitations {
			t.Fatalf("%d invitations are remembered", n)
		}
	}
	for _, p := range list {
		if victim.hosting.replica(p) != nil || victim.routes.Speakers.SpeaksFor(nodePeer(liar), p) && c.node(liar).net.hosting.replica(p) == nil {
			t.Errorf("the victim has become a host of %v, with the liar", p)
		}
	}
	if n := len(victim.hosting.replicas); n > had+3 {
		t.Errorf("it hosted %d parts and hosts %d", had, n)
	}
	c.s.Run(2 * invitedFor)
	if n := len(victim.invitations.checks); n > 0 {
		t.Errorf("%d invitations are still remembered", n)
	}
}

// TestSpeakers: a node that knows the id of a session tells it nothing in the name
// of a shard that it does not host, and does not end it.
func TestSpeakers(t *testing.T) {
	c, g := playedCluster(t, 1, 9, 10*time.Second)
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
