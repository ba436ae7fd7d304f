package node

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// pathEnv is a node's Env that knows which of its links are relayed.
type pathEnv struct {
	machine.Env
	c    *cluster
	node int
}

// Relayed makes pathEnv a machine.Relayer.
func (e pathEnv) Relayed(to machine.Peer) bool {
	return e.c.relay != nil && to != (machine.Peer{}) && e.c.relay(e.node, e.c.indexOf(to))
}

// Backlog makes pathEnv a machine.Backlogger.
func (e pathEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// TestRelayedFollower: a host that reaches the leader over a relay only does not follow its
// log, and does not suspect it for that; as soon as there is a direct path it follows.
func TestRelayedFollower(t *testing.T) {
	c := newCluster(t, 3, 0)
	far := -1
	c.relay = func(a, b int) bool { return a == far || b == far }
	c.start(3)
	g := c.enterGuest(0)
	// The guest walks about, from region to region.
	follows := func(i int) bool {
		h := c.node(i).net.hosting.replicas[shards.Shard{Region: g.home}]
		return h != nil && h.followed.IsFollowing()
	}
	others := func() (out []int) {
		for i := range c.nodes {
			if i != c.leaderOf(shards.Shard{Region: g.home}) {
				out = append(out, i)
			}
		}
		return out
	}
	allFollow := func() bool {
		o := others()
		return len(o) == 2 && follows(o[0]) && follows(o[1])
	}
	c.until("both others follow", allFollow)
	far = others()[1]
	c.until("it does not follow", func() bool { return !follows(far) })
	for range 60 {
		c.s.Run(time.Second)
		if follows(far) {
			t.Fatal("it follows over a relay")
		}
	}
	if n := c.node(far).Stats().Suspected; n > 0 {
		t.Errorf("%d suspicions", n)
	}
	far = -1
	c.until("both follow again", allFollow)
}
