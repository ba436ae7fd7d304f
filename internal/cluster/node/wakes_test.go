package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileWakes: a node that asks for one shard after the other, in any way, has only
// so many of them read from the disk and run.
func TestHostileWakes(t *testing.T) {
	for what, ask := range map[string]func(Shard) machine.Message{
		"who leads":     func(p Shard) machine.Message { return &LeaderQuery{p} },
		"status":        func(p Shard) machine.Message { return &GroupStatus{Shard: p, Reply: true} },
		"who hosts":     func(p Shard) machine.Message { return &HostQuery{p} },
		"find hosts":    func(p Shard) machine.Message { return &Generate{p} },
		"make a group":  func(p Shard) machine.Message { return &CreateGroup{p, []machine.Peer{nodePeer(0)}} },
		"a message":     func(p Shard) machine.Message { return &Routed{To: p, From: theLobby} },
		"say something": func(p Shard) machine.Message { return &Routed{To: p, From: theLobby, Msg: &region.NewHost{}} },
	} {
		t.Run(what, func(t *testing.T) {
			c := newCluster(t, 2, 2)
			c.s.Run(3 * time.Second)
			victim := c.node(0).net.hosting
			const shards = 3 * wakesAtOnce
			for i := range int32(shards) {
				victim.dormant[Shard{Region: world.RegionPos{X: 100 + i, Z: 9}}] = true
			}
			had := len(victim.replicas)
			const seconds = 10
			for i := range int32(seconds) {
				c.nodes[1].Call(func() {
					for k := range int32(shards) {
						if p := (Shard{Region: world.RegionPos{X: 100 + k, Z: 9}}); k%seconds == i {
							c.node(1).net.links.send(nodePeer(0), ask(p))
						}
					}
				})
				c.s.Run(time.Second)
			}
			if n, most := len(victim.replicas)-had, wakesAtOnce+(seconds+1)*wakesPerSecond; n > most {
				t.Errorf("%d replicas were read, want at most %d", n, most)
			}
		})
	}
}
