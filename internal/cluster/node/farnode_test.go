package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
)

// TestHostileNames: a node names more nodes than another one keeps. The latest are
// known, the earliest are forgotten, and those that are linked stay.
func TestHostileNames(t *testing.T) {
	c := newCluster(t, 1, 3)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(5 * time.Second)
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
