package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHostileWakes: a node that asks for one shard after the other, in any way, has only
// so many of them read from the disk and run.
func TestHostileWakes(t *testing.T) {
	for what, ask := range map[string]func(shards.Shard) machine.Message{
		"who leads":    func(p shards.Shard) machine.Message { return &routing.LeaderQuery{Shard: p} },
		"status":       func(p shards.Shard) machine.Message { return &shardgroup.GroupStatus{Shard: p, Reply: true} },
		"who hosts":    func(p shards.Shard) machine.Message { return &HostQuery{p} },
		"find hosts":   func(p shards.Shard) machine.Message { return &routing.Generate{Shard: p} },
		"make a group": func(p shards.Shard) machine.Message { return &CreateGroup{p, []machine.Peer{nodePeer(0)}} },
		"a message":    func(p shards.Shard) machine.Message { return &routing.Routed{To: p, From: shards.Lobby} },
		"say something": func(p shards.Shard) machine.Message {
			return &routing.Routed{To: p, From: shards.Lobby, Msg: &region.NewHost{}}
		},
	} {
		t.Run(what, func(t *testing.T) {
			c := newCluster(t, 2, 2)
			c.s.Run(3 * time.Second)
			victim := c.node(0).net.hosting
			const asleep = 3 * wakesAtOnce
			for i := range int32(asleep) {
				victim.dormant[shards.Shard{Region: world.RegionPos{X: 100 + i, Z: 9}}] = true
			}
			had := len(victim.replicas)
			const seconds = 10
			for i := range int32(seconds) {
				c.nodes[1].Call(func() {
					for k := range int32(asleep) {
						if p := (shards.Shard{Region: world.RegionPos{X: 100 + k, Z: 9}}); k%seconds == i {
							c.node(1).net.links.Send(nodePeer(0), ask(p))
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

// TestHostileGroupMessages: a node that sends messages of Raft groups, as a member of
// them or as nobody, wakes only so many of those that hibernate; and these hibernate
// again.
func TestHostileGroupMessages(t *testing.T) {
	const groups, atOnce, perSecond, liar = 60, 15, 2, 1
	for what, m := range map[string]group.Message{
		"a member":   {Kind: group.KindWake, From: 2, To: 1},
		"a stranger": {Kind: group.KindWake, From: 1 << 20, To: 1},
	} {
		t.Run(what, func(t *testing.T) {
			stranger := what == "a stranger"
			c := newCluster(t, 2, 0)
			c.change = func(i int, n *Net) {
				n.Full = func() bool { return i == liar && stranger } // becomes no member
			}
			c.start(2)
			victim := c.node(0).net
			var all []shards.Shard
			for i := range int32(groups) {
				all = append(all, shards.Shard{Region: world.RegionPos{X: 100 + i, Z: 9}})
			}
			c.nodes[0].Call(func() {
				for _, p := range all {
					victim.hosting.createGroup(p, group.Origin{}, []machine.Peer{nodePeer(0)})
				}
			})
			c.s.Run(time.Second)
			awake := func() (n int) {
				for _, p := range all {
					if !victim.hosting.replicas[p].group.Raft.Hibernates() {
						n++
					}
				}
				return n
			}
			c.until("all hibernate", func() bool { return awake() == 0 })
			if n := len(victim.hosting.replicas[all[0]].group.Raft.Status().Members); (n == 1) != stranger {
				t.Fatalf("the groups have %d members", n)
			}
			few := limit.NewBudget(perSecond, atOnce)
			if f := victim.links.Heard(nodePeer(liar)); stranger {
				victim.hosting.wakes.Of(f).others = &few
			} else {
				victim.hosting.wakes.Of(f).members = &few
			}
			woken := map[shards.Shard]bool{}
			const seconds = 4 // what is woken stays awake for longer
			for range seconds {
				c.nodes[liar].Call(func() {
					for _, p := range all {
						m := m
						m.Space, m.Gen = p.Space(), victim.hosting.replicas[p].group.Raft.Status().Gen
						c.node(liar).net.links.Send(nodePeer(0), &m)
					}
				})
				c.s.Run(time.Second)
				for _, p := range all {
					if !victim.hosting.replicas[p].group.Raft.Hibernates() {
						woken[p] = true
					}
				}
			}
			if n, most := len(woken), atOnce+(seconds+1)*perSecond; n > most {
				t.Errorf("%d groups of %d were woken, want at most %d", n, len(all), most)
			}
			c.until("all hibernate again", func() bool { return awake() == 0 })
		})
	}
}
