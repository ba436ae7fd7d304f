package node

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// confirmers are the nodes that say that what they got of a restored shard was signed.
func (c *cluster) confirmers(p shards.Shard) (n int) {
	for i, x := range c.nodes {
		if x.Machine() == nil {
			continue
		}
		if g := c.node(i).net.hosting.LoadedGroup(p); g != nil && g.Compared {
			n++
		}
	}
	return n
}

// restoreAs lets a holder restore a region without asking anybody, from what it says is its
// copy.
func (c *cluster) restoreAs(holder int, p shards.Shard, hosts []int, change func([]machine.KV) []machine.KV, basis func(copies.Saved, []machine.KV) copies.Basis) {
	w := c.node(holder).net
	c.nodes[holder].Call(func() {
		own, _ := w.copies.Spare(p)
		w.copies.Read(own, func(kvs []machine.KV, err error) {
			if err != nil {
				c.Error(err)
			}
			kvs = change(kvs)
			if len(kvs) == 0 {
				c.Error("the copy is empty")
			}
			from := group.Origin{Number: own.Gen.Number, Term: own.Term + 5, Restored: own.At, Content: kvs, Basis: basis(own, kvs).Encode()}
			members := []machine.Peer{nodePeer(holder)}
			for i := range c.nodes {
				if slices.Contains(hosts, i) {
					from.Former = append(from.Former, nodePeer(i))
				} else if i != holder && len(members) < 3 {
					members = append(members, nodePeer(i))
				}
			}
			w.hosting.createGroup(p, from, members)
		})
	})
}

// TestRestoredStateIsCompared: the hosts of a region die with their disks, and a holder of
// a copy restores it. Another node says that it is what the hosts had signed, and no player
// reads otherwise. If the holder puts in something else, also with a signature of its own,
// nobody does, and the player is told.
func TestRestoredStateIsCompared(t *testing.T) {
	same := func(kvs []machine.KV) []machine.KV { return kvs }
	less := func(kvs []machine.KV) []machine.KV { // without what was built of late
		return slices.DeleteFunc(slices.Clone(kvs), func(x machine.KV) bool { return x.Key[0] == 'l' })
	}
	signed := func(c *cluster, holder int) func(own copies.Saved, _ []machine.KV) copies.Basis {
		return func(own copies.Saved, _ []machine.KV) copies.Basis {
			return copies.Basis{Holder: nodePeer(holder).ID, End: own.End(), Proof: own.Proof}
		}
	}
	for _, x := range []struct {
		name      string
		change    func([]machine.KV) []machine.KV
		own       bool // it has signed the state itself
		confirmed bool
	}{
		{"the copy", same, false, true},
		{"something else", less, false, false},
		{"something else that it has signed itself", less, true, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c, g, home := playedIn(t, 1)
			c.s.Run(10 * time.Second)
			hosts, holder := c.hostsOf(home), c.holders(home)[0]
			basis := signed(c, holder)
			if x.own {
				basis = func(own copies.Saved, kvs []machine.KV) copies.Basis {
					b := copies.Basis{Holder: nodePeer(holder).ID, End: own.End()}
					b.Proof = c.node(holder).net.signatures.Sign(b.Holder, home, b.End, group.DigestOf(kvs).Sum())
					return b
				}
			}
			g.quiet = true
			c.destroy(hosts)
			c.s.Run(time.Second)
			c.restoreAs(holder, home, hosts, x.change, basis)
			g.quiet = false
			c.until("three host it", func() bool { return len(c.hostsOf(home)) == 3 })
			c.until("the guest reads it", func() bool { return g.reads("restored: ") == 1 })
			c.s.Run(confirmFor + 5*time.Second)
			if n := c.confirmers(home); (n > 0) != x.confirmed {
				t.Errorf("%d nodes confirm it", n)
			}
			if n := g.reads("unconfirmed: "); (n == 0) != x.confirmed || n > 1 {
				t.Errorf("the guest reads %d times that nobody confirms it; said: %q", n, c.notes)
			}
		})
	}
}

// TestRestorationWaitsForAComparison: a region that was restored serves nobody before another
// node has compared it, and no longer than compareFor if none says that it has.
func TestRestorationWaitsForAComparison(t *testing.T) {
	for _, silent := range []bool{false, true} {
		c, g, home := playedIn(t, 1)
		c.s.Run(10 * time.Second)
		c.slow = func(_ int, m machine.Message) time.Duration {
			if s, ok := m.(*shardgroup.GroupStatus); ok && silent {
				s.Compared = false
			}
			return 0
		}
		c.destroy(c.hostsOf(home))
		g.quiet = false
		leads := func() *shardgroup.Group {
			for i, n := range c.nodes {
				if n.Machine() == nil {
					continue
				}
				if h := c.node(i).net.hosting.LoadedGroup(home); h != nil && h.Leading {
					return h
				}
			}
			return nil
		}
		c.until("somebody has restored it", func() bool { return leads() != nil })
		led := c.s.Now()
		c.until("it serves", func() bool { h := leads(); return h != nil && h.Serves() })
		took := c.s.Now().Sub(led)
		t.Logf("others are silent: %v; it waited for %v", silent, took)
		if n := c.confirmers(home); n == 0 && !silent || took > compareFor+time.Second || (took >= compareFor) != silent {
			t.Errorf("others are silent: %v; it waited for %v, %d nodes have compared it", silent, took, n)
		}
		c.until("the guest is in", func() bool { return g.in })
		c.s.Run(confirmFor + 5*time.Second)
		if n := g.reads("unconfirmed: "); (n == 1) != silent {
			t.Errorf("others are silent: %v; the guest reads %d times that nobody confirms it", silent, n)
		}
		if c.checkEdits() == 0 {
			t.Error("nothing was built")
		}
	}
}
