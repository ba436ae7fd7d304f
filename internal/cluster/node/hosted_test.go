package node

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHosted: every node knows, or finds out, whether a region was ever made; asking makes
// none.
func TestHosted(t *testing.T) {
	c, g := playedCluster(t, 3, 5, 10*time.Second)
	far := world.RegionPos{X: 300, Z: -7}
	for at, want := range map[world.RegionPos]bool{g.home: true, far: false} {
		for i := range c.nodes {
			answered, is := false, false
			c.nodes[i].Call(func() { c.node(i).Hosted(at, func(yes bool) { answered, is = true, yes }) })
			c.until("an answer", func() bool { return answered })
			if is != want {
				t.Errorf("node %d: %v is made: %v", i, at, is)
			}
		}
	}
	for i := range c.nodes {
		if c.node(i).net.hosting.Hosts(shards.Shard{Region: far}) {
			t.Errorf("node %d hosts a region that was only asked for", i)
		}
	}
}

// TestLeaderThatKnowsNothing: a node that is taken for the leader of a shard, has
// left its group since and knows nothing of it any more says so when it is asked.
// That is believed although it names no term.
func TestLeaderThatKnowsNothing(t *testing.T) {
	c, g := playedCluster(t, 1, 6, 15*time.Second)
	home := shards.Shard{Region: g.home}
	var strangers []int
	for i := range c.nodes {
		if c.node(i).net.hosting.replicas[home] == nil && i != 0 {
			strangers = append(strangers, i)
		}
	}
	if len(strangers) < 2 {
		t.Fatalf("%d nodes do not host %v", len(strangers), home)
	}
	asks, former := strangers[0], strangers[1]
	leader := c.leaderOf(home)
	w := c.node(asks).net
	var speak func() // about something else: who falls silent is doubted anyway
	speak = func() {
		c.node(former).net.routes.Remove(home)
		c.node(former).net.links.SendDatagram(nodePeer(asks), &routing.LeaderQuery{Shard: shards.Lobby})
		c.s.At(c.s.Now().Add(100*time.Millisecond), speak)
	}
	speak()
	c.s.Run(time.Second)
	h := c.node(leader).net.hosting.replicas[home]
	w.routes.LeaderFor(home)
	w.routes.LeaderFound(home, nodePeer(former), h.group.Members(), h.group.Term())
	reader := c.addGuest(asks)
	from := c.s.Now()
	c.until("the reader's node to know the leader", func() bool { return w.routes.LeaderOf(home) == nodePeer(c.leaderOf(home)) })
	if took := c.s.Now().Sub(from); took > 5*time.Second {
		t.Errorf("that took %v", took)
	}
	reader.watch(g.home, region.RateEvery)
	c.until("the reader to see the land", func() bool { return reader.columns[g.home.Column(0)] != nil })
}

// TestRemovedHostKeepsCopy: hosts that were removed keep what they had, know of it after
// a restart, and do not serve it.
func TestRemovedHostKeepsCopy(t *testing.T) {
	c, g := playedCluster(t, 1, 6, 20*time.Second)
	g.quiet = true
	c.s.Run(2 * time.Second)
	home := shards.Shard{Region: g.home}
	hosts := c.hostsOf(home)
	var others []machine.Peer
	for i := range c.nodes {
		if !peers.Among([]machine.Peer{nodePeer(hosts[0]), nodePeer(hosts[1]), nodePeer(hosts[2])}, nodePeer(i).ID) {
			others = append(others, nodePeer(i))
		}
	}
	leader := c.leaderOf(home)
	had := len(c.nodes[leader].Disk.All(home.Space()))
	if len(hosts) != 3 || len(others) != 3 || had == 0 {
		t.Fatalf("hosts %v, others %v, %d records", hosts, others, had)
	}
	c.nodes[leader].Call(func() {
		if err := c.node(leader).net.hosting.replicas[home].group.Raft.SetMembers(others); err != nil {
			t.Error(err)
		}
	})
	copyOf := func(i int) *copies.Saved {
		for _, s := range c.node(i).net.copies.All() {
			if s.Shard == home {
				return &s
			}
		}
		return nil
	}
	for _, i := range hosts {
		c.until(fmt.Sprintf("node %d has a copy", i), func() bool { return copyOf(i) != nil && !c.node(i).net.hosting.Hosts(home) })
		s := *copyOf(i)
		c.nodes[i].Restart()
		c.until(fmt.Sprintf("node %d knows of it again", i), func() bool { return copyOf(i) != nil })
		if again := *copyOf(i); again != s || !s.Retired || s.Gen.Number != 1 || s.Index == 0 || s.Bytes == 0 {
			t.Errorf("node %d: %+v, before %+v", i, again, s)
		}
		if n := len(c.nodes[i].Disk.All(group.RetiredSpace(home.Space()))); n == 0 {
			t.Errorf("node %d: %d records in its copy, the leader had %d", i, n, had)
		}
		if c.node(i).net.hosting.Hosts(home) || len(c.nodes[i].Disk.All(home.Space())) > 0 {
			t.Errorf("node %d hosts it", i)
		}
	}
}
