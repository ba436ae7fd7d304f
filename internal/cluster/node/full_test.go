package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// TestFullNodes: a node keeps no more shards than it says, and takes on none while
// it says that it is full; others are asked.
func TestFullNodes(t *testing.T) {
	c := newCluster(t, 1, 0)
	full := true
	c.change = func(i int, n *Net) {
		switch i {
		case 0:
			n.MaxHosted = 1
		case 1:
			n.Full = func() bool { return full }
		}
	}
	c.start(4)
	for i := range 4 {
		c.addGuest(i)
	}
	c.s.Run(20 * time.Second)
	c.settle()
	if n := len(c.node(0).net.hosting.replicas); n > 1 {
		t.Errorf("the full node hosts %d parts", n)
	}
	if n := len(c.node(1).net.hosting.replicas); n > 0 {
		t.Errorf("a node that says it is full hosts %d parts", n)
	}
	others := 0
	for i := 2; i < 4; i++ {
		others += len(c.node(i).net.hosting.replicas)
	}
	if others < 6 {
		t.Errorf("the others host %d parts", others)
	}
	c.checkPresence()
	full = false
	c.until("the node that is not full any more takes its share", func() bool { return len(c.node(1).net.hosting.replicas) > 0 })
}

// TestFullOfPlayers: a node with as many players as it may have takes on nothing
// more until somebody has left.
func TestFullOfPlayers(t *testing.T) {
	c := newCluster(t, 1, 4)
	c.s.Run(3 * time.Second)
	g := c.enterGuest(0)
	leader := c.leaderOf(shards.Shard{Region: g.home})
	if leader < 0 {
		t.Fatal("nobody leads")
	}
	w := c.node(leader).net
	for most, room := range map[int]bool{0: true, 1: false, 2: true} {
		if w.cfg.MaxPlayers = most; w.hosting.hasRoomHere() != room {
			t.Errorf("with one player of %d: room %v", most, w.hosting.hasRoomHere())
		}
	}
	w.cfg.MaxPlayers = 1
	g.tell(g.home, &region.Leave{Player: g.player()})
	c.until("the guest to have left", w.hosting.hasRoomHere)
}
