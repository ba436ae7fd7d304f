package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// removals lets a member tell another in every way that a shard's group goes on without
// that one, that it was added again with nothing, that others lost their logs, and that the
// shard has ended or is hosted by the liar alone.
func (c *cluster) removals(liar, victim int, p shards.Shard) {
	gen := c.node(victim).net.hosting.replicas[p].group.Raft.Status().Gen
	c.claims(liar, victim, p, group.Gen{Number: gen.Number + 1, Fork: 7})
	c.nodes[liar].Call(func() {
		links, self := c.node(liar).net.links, []machine.Peer{nodePeer(liar)}
		for from := range uint64(8) { // its own number is one of them, those of others as well
			for to := range uint64(12) {
				for _, kind := range []group.Kind{group.KindRemoved, group.KindLogLost} {
					links.Send(nodePeer(victim), &group.Message{Space: p.Space(), Kind: kind, Gen: gen, From: from, To: to})
				}
				links.Send(nodePeer(victim), &group.Message{Space: p.Space(), Gen: gen, From: from, To: to, Fresh: true})
			}
		}
		links.SendDatagram(nodePeer(victim), &shardgroup.GroupStatus{Shard: p}) // it has no replica
		links.SendDatagram(nodePeer(victim), &HostReply{Shard: p, Room: true, Members: self})
		links.SendDatagram(nodePeer(victim), &routing.LeaderReply{Shard: p, Leader: self[0], Members: self, Term: 1 << 40})
		links.SendDatagram(nodePeer(victim), &CreateGroup{p, []machine.Peer{nodePeer(victim)}})
		links.Send(nodePeer(victim), &copies.Spare{Shard: p, Gen: gen, Term: 1 << 40, Index: 1 << 40, Last: true})
	})
}

// TestMaliciousMember: a member that does not lead says for a minute that the others were
// removed, and that the shard has ended. They go on, and have what they had.
func TestMaliciousMember(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c, g, home := playedIn(t, 1)
	hosts, leader := c.hostsOf(home), c.leaderOf(home)
	others := slices.DeleteFunc(slices.Clone(hosts), func(i int) bool { return i == leader })
	liar := others[0]
	others = []int{leader, others[1]}
	began, acted := c.s.Now(), g.acted
	g.quiet = false
	for c.s.Now().Sub(began) < time.Minute {
		for _, victim := range others {
			if h := c.node(victim).net.hosting.replicas[home]; h == nil {
				t.Fatalf("after %v node %d is no host any more", c.s.Now().Sub(began), victim)
			}
			c.removals(liar, victim, home)
		}
		c.s.Run(time.Second)
		c.checkLeaders()
	}
	for _, victim := range others {
		if had := c.aside(victim); len(had) > 0 || len(c.nodes[victim].Disk.All(home.Space())) == 0 {
			t.Errorf("node %d has put aside %v", victim, had)
		}
	}
	if g.acted < acted+10 {
		t.Errorf("the guest has built %d blocks meanwhile", g.acted-acted)
	}
	c.destroy([]int{liar})
	acted = g.acted
	c.until("the guest builds without the liar", func() bool { return g.in && g.acted > acted+3 })
	g.quiet = true
	c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestMaliciousLeader: a leader removes the other members, tells them so, and goes away with
// all that it had. They have put aside what they had, and the region goes on with that
// within seconds.
func TestMaliciousLeader(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c, g, home := playedIn(t, 1)
	c.s.Run(10 * time.Second)
	hosts, leader := c.hostsOf(home), c.leaderOf(home)
	others := slices.DeleteFunc(slices.Clone(hosts), func(i int) bool { return i == leader })
	w := c.node(leader).net
	w.cfg.Replicas = 1 // it takes no other hosts
	for range 20 {     // it is refused while another change is under way
		c.nodes[leader].Call(func() { _ = w.hosting.replicas[home].group.Raft.SetMembers([]machine.Peer{nodePeer(leader)}) })
		c.s.Run(time.Second)
	}
	if got := c.hostsOf(home); len(got) != 1 {
		t.Fatalf("%v host it", got)
	}
	c.until("the others have stopped", func() bool {
		return !slices.ContainsFunc(others, func(i int) bool { return c.node(i).net.hosting.Hosts(home) })
	})
	for _, i := range others {
		if len(c.aside(i)) == 0 || len(c.nodes[i].Disk.All(group.RetiredSpace(home.Space()))) == 0 {
			t.Errorf("node %d has put nothing aside: %v", i, c.aside(i))
		}
	}
	c.destroy([]int{leader})
	died, acted := c.s.Now(), g.acted
	g.quiet = false
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	if took := c.s.Now().Sub(died); took > 15*time.Second {
		t.Errorf("led again after %v", took)
	}
	c.until("the guest builds again", func() bool { return g.in && g.acted > acted+3 })
	g.quiet = true
	c.until("all acts are answered", func() bool { return g.in && len(g.pending) == 0 })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}
