package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestFalseLeader: a host that does not lead a region says that it does, in a high term and
// with accomplices as the only hosts. Sessions stay with the leader, whom the other hosts
// name; when it gives the lead to the third host they follow.
func TestFalseLeader(t *testing.T) {
	for seed, members := range []string{"itself", "accomplices", "the true ones"} {
		t.Run(members, func(t *testing.T) {
			c, g := playedCluster(t, uint64(seed+5), 7, 20*time.Second)
			leader, _ := c.liarFor(g)
			home := shards.Shard{Region: g.home}
			liar, third := c.followersOf(home, leader)
			lie := &routing.LeaderReply{Shard: home, Leader: nodePeer(liar), Term: 1 << 50}
			switch members {
			case "itself":
				lie.Members = []machine.Peer{nodePeer(liar)}
			case "accomplices":
				lie.Members = []machine.Peer{nodePeer(liar), nodePeer(90), nodePeer(91)}
			default:
				for _, i := range c.hostsOf(home) {
					lie.Members = append(lie.Members, nodePeer(i))
				}
			}
			c.slow = func(of int, m machine.Message) time.Duration {
				if x, ok := m.(*routing.LeaderReply); ok && of == liar && x.Shard == home && x != lie {
					return time.Hour
				}
				return 0
			}
			drawn := false
			until := c.s.Now().Add(30 * time.Second)
			var say func()
			say = func() {
				if c.s.Now() > until {
					return
				}
				c.nodes[liar].Call(func() { c.node(liar).net.links.SendDatagram(nodePeer(0), lie) })
				c.s.At(c.s.Now().Add(100*time.Millisecond), say)
				drawn = drawn || c.node(0).net.routes.LeaderOf(home) == nodePeer(liar) && c.leaderOf(home) != liar
			}
			say()
			g.acted = 0
			c.until("the guest builds", func() bool { return g.in && g.acted >= 3 })
			until = c.s.Now().Add(30 * time.Second)
			say()
			c.nodes[leader].Call(func() { c.node(leader).net.hosting.replicas[home].group.Raft.Transfer(nodePeer(third).ID) })
			c.until("the third host leads", func() bool { return c.leaderOf(home) == third })
			c.until("node 0 knows", func() bool { return c.node(0).net.routes.LeaderOf(home) == nodePeer(third) })
			if drawn {
				t.Error("drawn to the liar")
			}
		})
	}
}
