package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// holders are the nodes that keep a spare copy of a shard.
func (c *cluster) holders(p shards.Shard) (out []int) {
	for i := range c.nodes {
		if _, ok := c.node(i).net.copies.Spare(p); ok {
			out = append(out, i)
		}
	}
	return out
}

// makeUp lets a node say that it has a copy of a shard that is newer than an honest one,
// of the same term.
func (c *cluster) makeUp(liar int, p shards.Shard, honest copies.Saved, proof copies.Proof) {
	made := honest
	made.Space, made.Retired = group.RetiredSpace(p.Space()), true
	made.Index, made.Proof = honest.Index+1000, proof
	c.nodes[liar].Call(func() {
		c.node(liar).net.copies.Write(made, []machine.DiskWrite{{Space: made.Space, Put: []machine.KV{{Key: []byte("h"), Value: []byte{1}}}}}, func(error) {})
	})
}

// TestMadeUpCopyIsNotRestored: all hosts of a region die, and nodes claim newer copies
// than its leader has signed: without a signature, with that of another state, and with
// their own. The newest signed one continues, and everything that was built is there.
func TestMadeUpCopyIsNotRestored(t *testing.T) {
	c, g, home := playedIn(t, 1)
	c.s.Run(10 * time.Second)
	hosts, holders := c.hostsOf(home), c.holders(home)
	honest, _ := c.node(holders[0]).net.copies.Spare(home)
	if honest.Proof == (copies.Proof{}) || len(holders) != copies.SpareHolders {
		t.Fatalf("the copies of %v are not signed: %+v", holders, honest)
	}
	made := honest
	made.Index += 1000
	liars := 0
	for i := range c.nodes {
		if liars == 3 || slices.Contains(hosts, i) || slices.Contains(holders, i) || i == c.indexOf(g.node) {
			continue
		}
		w := c.node(i).net
		proofs := []copies.Proof{{}, honest.Proof, w.signatures.Sign(nodePeer(i).ID, home, made.End(), group.DigestOf(nil).Sum())}
		c.makeUp(i, home, honest, proofs[liars])
		liars++
	}
	c.s.Run(time.Second)
	c.destroy(hosts)
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	if leader := c.leaderOf(home); !slices.Contains(holders, leader) {
		t.Errorf("node %d has restored it; %v have what the leader has signed", leader, holders)
	}
	c.until("the guest is in", func() bool { return g.in })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestLongDamagedCopyIsNotRestored: the disk of the holder that would restore a region has
// lost part of its copy. It notices, and the other one's copy continues.
func TestLongDamagedCopyIsNotRestored(t *testing.T) {
	simtest.Long(t)
	c, g, home := playedIn(t, 1)
	c.s.Run(10 * time.Second)
	hosts, holders := c.hostsOf(home), c.holders(home)
	nearest := c.node(0).net.dir.InOrder(home, []machine.Peer{nodePeer(holders[0]), nodePeer(holders[1])})
	damaged := c.indexOf(nearest[0])
	c.nodes[damaged].Disk.Drop(group.SpareSpace(home.Space()))
	c.destroy(hosts)
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	if leader := c.leaderOf(home); leader == damaged || !slices.Contains(holders, leader) {
		t.Errorf("node %d has restored it; %v had copies, that of %d was damaged", leader, holders, damaged)
	}
	if c.noted("is not what its host has signed") != 1 {
		t.Errorf("said: %q", c.notes)
	}
	c.until("the guest is in", func() bool { return g.in })
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
}

// TestLongNewLeaderSignsCopies: a leader that takes over signs what the holders have, so that
// their copies are signed by somebody whom the directory names.
func TestLongNewLeaderSignsCopies(t *testing.T) {
	simtest.Long(t)
	c, _, home := playedIn(t, 1)
	c.s.Run(10 * time.Second)
	before, _ := c.node(c.holders(home)[0]).net.copies.Spare(home)
	old := c.leaderOf(home)
	c.nodes[old].Crash()
	c.until("another leads", func() bool { now := c.leaderOf(home); return now >= 0 && now != old })
	c.until("it has signed all copies", func() bool {
		now := []machine.Peer{nodePeer(c.leaderOf(home))}
		for i := range c.nodes {
			if c.nodes[i].Machine() == nil {
				continue
			}
			if s, ok := c.node(i).net.copies.Spare(home); ok {
				k := c.node(i).net.signatures
				if !k.SignedBy(now, nodePeer(i).ID, home, s.End(), s.Proof) {
					return false
				}
			}
		}
		return true
	})
	if before.Proof.Signature().Key != (testSigner{nodePeer(old).ID}).Sign(nil).Key {
		t.Errorf("node %d did not sign before", old)
	}
}
