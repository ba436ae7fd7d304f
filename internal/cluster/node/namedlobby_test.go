package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
)

// TestLobbyGivesNameAway: whoever hosts the lobby lists its accomplice under the name of
// a player of an honest node; that node's sessions see who it is. It cannot admit a
// session as another player.
func TestLobbyGivesNameAway(t *testing.T) {
	c := newCluster(t, 2, 0)
	for i := range 3 {
		c.addNode(i)
	}
	c.s.Run(3 * time.Second)
	at := (c.leaderOf(shards.Lobby) + 1) % 3
	ann := c.addGuest(at)
	c.until("Ann is in", func() bool { return ann.in && ann.present[ann.name] })
	liar := c.leaderOf(shards.Lobby)
	if liar == at {
		t.Fatal("the lobby is with Ann: take another seed")
	}
	session := id.Of([]byte("session 0"))
	tells := func(m machine.Message) {
		c.nodes[liar].Call(func() { c.node(liar).net.links.Send(nodePeer(at), &ToSessions{[]id.ID{session}, m}) })
		c.s.Run(time.Second)
	}
	evil := id.Of([]byte("evil"))
	tells(&lobby.Players{Full: true, List: []lobby.PlayerInfo{{Player: evil, Name: ann.name, Present: true}}})
	if len(ann.present) != 1 || !ann.present[fmt.Sprintf("%s (%s)", ann.name, evil.Short())] {
		t.Errorf("Ann sees %v", ann.present)
	}
	entries := ann.entries
	tells(&lobby.Admitted{Player: evil, Name: "Evil"})
	if ann.entries != entries {
		t.Error("the session has entered as another player")
	}
	if n := c.node(at).net; len(n.sessions.entered) != 1 || n.names.Shown(evil, ann.name) == ann.name {
		t.Errorf("%d sessions have players", len(n.sessions.entered))
	}
	c.guests[0].Crash()
	c.until("Ann is gone", func() bool { return len(c.node(at).net.sessions.entered) == 0 })
}
