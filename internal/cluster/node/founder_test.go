package node

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// TestOnlyTheFounderIsLocal: a player on the machine of a node that is not the
// founder's is not the founder's own, also if that node leads the lobby.
func TestOnlyTheFounderIsLocal(t *testing.T) {
	self := id.Of([]byte("node"))
	for founder, want := range map[id.ID]bool{self: true, id.Of([]byte("another")): false} {
		cfg := testConfig(0)
		cfg.Net = &Net{Config: part.Config{Self: machine.Peer{ID: self}, Founder: founder}}
		node := sim.New(1).Add(func(env machine.Env) machine.Machine { return New(cfg, env) })
		node.Call(func() {
			n := node.Machine().(*Node)
			n.net.routes.LeaderFor(shards.Lobby)
			n.net.routes.LeaderFound(shards.Lobby, cfg.Net.Self, nil, 0)
			n.net.fromSession(id.Of([]byte("session")), shards.Lobby, &lobby.Enter{Player: id.Of([]byte("Ann")), Name: "Ann", Local: true})
			if len(n.queue) != 1 {
				t.Fatalf("%d messages wait for the lobby", len(n.queue))
			}
			if e := n.queue[0].Msg.(*lobby.Enter); e.Local != want {
				t.Errorf("on the founder's node %t: the lobby hears %+v", want, e)
			}
		})
	}
}
