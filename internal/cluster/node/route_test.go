package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
)

// TestIdleLobbyIsNotQueried: while nobody comes, goes or talks, nodes whose players the
// lobby knows ask seldom who leads it.
func TestIdleLobbyIsNotQueried(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := newCluster(t, 4, 9)
	for n := range 3 {
		c.addGuest(n).quiet = true
	}
	c.s.Run(time.Minute)
	asked := 0
	c.slow = func(_ int, m machine.Message) time.Duration {
		if q, ok := m.(*routing.LeaderQuery); ok && q.Shard.Lobby {
			asked++
		}
		return 0
	}
	const minutes = 2
	c.s.Run(minutes * time.Minute)
	t.Logf("%d questions in %d minutes", asked, minutes)
	if asked > 60 {
		t.Errorf("%d nodes asked %d times in %d minutes who leads the lobby", len(c.nodes), asked, minutes)
	}
}

// TestLobbyMovesUnnoticed: the lobby is given to another node, and nobody who used it hears
// so. The nodes find out, and their players come to the new lobby.
func TestLobbyMovesUnnoticed(t *testing.T) {
	c := newCluster(t, 5, 9)
	for n := range 4 {
		c.addGuest(n).quiet = true
	}
	c.s.Run(2 * time.Minute)
	from := c.leaderOf(shards.Lobby)
	var to machine.Peer
	for _, m := range c.node(from).net.hosting.replicas[shards.Lobby].group.Members() {
		if m != nodePeer(from) {
			to = m
		}
	}
	moved, came := c.s.Now(), map[id.ID]bool{}
	c.slow = func(_ int, m machine.Message) time.Duration {
		switch m := m.(type) {
		case *routing.LeaderReply:
			if m.Shard.Lobby && c.s.Now().Sub(moved) < 2*time.Second {
				return 1000 * time.Hour
			}
		case *routing.Routed:
			if e, ok := m.Msg.(*lobby.Enter); ok && m.To.Lobby && e.Resume {
				came[e.Player] = true
			}
		}
		return 0
	}
	c.nodes[from].Call(func() { c.node(from).net.hosting.replicas[shards.Lobby].group.Raft.Transfer(to.ID) })
	c.until("the lobby to be elsewhere", func() bool { return c.leaderOf(shards.Lobby) == c.indexOf(to) })
	c.until("all to come to it", func() bool {
		for i := range c.guests {
			if g := c.wanderer(i); g.node != to && !came[g.player()] {
				return false
			}
		}
		return true
	})
}
