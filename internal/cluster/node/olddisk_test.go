package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// TestOldDisks: all hosts of a region are killed, and two of them come back with the
// disks that they had before more was built. They know what they have signed, elect nobody
// and go on with a copy that has it; those who run them are told. If the disks are as they
// were, nobody is told anything.
func TestOldDisks(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, old := range []bool{true, false} {
		c, g, home := sevenPlayedIn(t, 1)
		if g == nil {
			t.Fatal("all nodes host something")
		}
		hosts := c.hostsOf(home)
		var restore []func()
		for _, i := range hosts {
			restore = append(restore, c.nodes[i].Disk.Snapshot())
		}
		c.buildsOn(g, g.acted+5)
		c.s.Run(10 * time.Second) // the copies have it
		for _, i := range hosts {
			c.nodes[i].Crash()
		}
		if old {
			for i := range hosts[:2] {
				restore[i]()
			}
		}
		for _, i := range hosts[:2] {
			c.nodes[i].Restart()
		}
		g.quiet = false
		c.until("they lead again", func() bool {
			l := c.leaders(home)
			return len(l) == 1 && slices.Contains(hosts[:2], l[0])
		})
		c.s.Run(20 * time.Second)
		if said := c.noted("The disk of this node was put back to an older state: of "+home.String()) == 2; said != old {
			t.Errorf("old disks: %v; said: %q", old, c.notes)
		}
		c.rebuilds(g)
	}
}

// rebuilds lets a guest build after a loss, and looks that all that was acknowledged is
// there.
func (c *cluster) rebuilds(g *wanderer) {
	c.Helper()
	c.buildsOn(g, g.acted+3)
	if c.checkEdits() == 0 {
		c.Error("nothing was built")
	}
}

// TestStaleReplicaElectsNobody: of three hosts one sleeps, and the two others go on. Then
// the leader dies for good, the other's disk is put back to when the third fell asleep,
// and the third wakes up: two of three lack what was acknowledged, and a majority. What
// the copies have of it is there afterwards.
func TestStaleReplicaElectsNobody(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, replaced := range []bool{false, true} {
		c, g, home := sevenPlayedIn(t, 1)
		if g == nil {
			t.Fatal("all nodes host something")
		}
		lead, hosts := c.leaderOf(home), c.hostsOf(home)
		hosts = slices.DeleteFunc(hosts, func(i int) bool { return i == lead })
		stale, asleep := hosts[0], hosts[1]
		restore := c.nodes[stale].Disk.Snapshot()
		c.nodes[asleep].Crash()
		c.buildsOn(g, g.acted+1)
		c.s.Run(5 * time.Second) // the copies have it
		if replaced {
			c.s.Run(20 * time.Second)
		}
		c.destroy([]int{lead})
		c.nodes[stale].Crash()
		restore()
		c.nodes[stale].Restart()
		c.nodes[asleep].Restart()
		died := c.s.Now()
		c.until("somebody leads", func() bool { return c.leaderOf(home) >= 0 })
		t.Logf("led again after %v", c.s.Now().Sub(died))
		if copied := c.noted("it goes on with a copy") == 1; copied == replaced || c.noted("The disk of this node was put back to an older state: of "+home.String()) != 1 {
			t.Errorf("replaced: %v; said: %q", replaced, c.notes)
		}
		c.rebuilds(g)
	}
}

// TestOldDiskOfAFollower: the disk of a follower is put back while its leader lives, who
// knows that it has had more. It is removed, and is a host again with what the others have.
func TestOldDiskOfAFollower(t *testing.T) {
	c, g, home := sevenPlayedIn(t, 1)
	if g == nil {
		t.Fatal("all nodes host something")
	}
	hosts, lead := c.hostsOf(home), c.leaderOf(home)
	stale := hosts[0]
	if stale == lead {
		stale = hosts[1]
	}
	restore := c.nodes[stale].Disk.Snapshot()
	c.buildsOn(g, g.acted+5)
	c.nodes[stale].Crash()
	restore()
	c.nodes[stale].Restart()
	g.quiet = false
	c.until("it has what the leader has", func() bool {
		f, l := c.node(stale).net.hosting.replicas[home], c.node(lead).net.hosting.replicas[home]
		if f == nil || l == nil || !l.group.Raft.Leads() {
			return false
		}
		has, last := f.group.Raft.Status(), l.group.Raft.Status()
		return has.Member && has.Last+3 >= last.Last && len(c.hostsOf(home)) == 3
	})
	c.s.Run(20 * time.Second)
	if c.noted("cannot go on here") > 0 {
		t.Errorf("it ended: %q", c.notes)
	}
	if l := c.leaderOf(home); l != lead {
		t.Errorf("node %d leads, not %d", l, lead)
	}
	c.rebuilds(g)
}

// TestForgedWord: what others say about a replica's log counts for nothing, and neither
// does a word of this node about another shard.
func TestForgedWord(t *testing.T) {
	c, g, home := sevenPlayedIn(t, 1)
	if g == nil {
		t.Fatal("all nodes host something")
	}
	hosts := c.hostsOf(home)
	victim, liar := hosts[0], hosts[1]
	c.nodes[victim].Restart()
	w := c.node(victim).net
	c.until("it asks", func() bool {
		h := w.hosting.replica(home)
		return h.group.Raft.Status().Member && h.rollback.asks(nodePeer(liar).ID)
	})
	gen, term := w.hosting.replicas[home].group.Raft.Term()
	end := hostpolicy.Log{Gen: gen, Term: term + 5, Last: 1 << 40}
	own := w.signatures.Say(shards.Lobby, end)
	own.Shard = home
	for _, m := range []*copies.LogHeld{c.node(liar).net.signatures.Say(home, end), own, {Shard: home, Gen: gen, Term: term + 5, Index: 1 << 40}} {
		c.nodes[liar].Call(func() { c.node(liar).net.links.SendDatagram(nodePeer(victim), m) })
	}
	c.s.Run(10 * time.Second)
	if c.noted("was put back to an older state") > 0 {
		t.Errorf("it was believed: %q", c.notes)
	}
	c.rebuilds(g)
}
