package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// destroy ends nodes and their disks.
func (c *cluster) destroy(nodes []int) {
	for _, i := range nodes {
		c.nodes[i].Crash()
		for _, space := range c.nodes[i].Disk.Spaces() {
			c.nodes[i].Disk.Drop(space)
		}
	}
}

// playedIn prepares a world of twenty nodes and a guest who has built, whose node hosts
// neither the guest's region nor the lobby.
func playedIn(t *testing.T, seed uint64) (c *cluster, g *wanderer, home shards.Shard) {
	c = newCluster(t, seed, 20)
	g, home = c.guestWhere(func(at int, home shards.Shard) bool {
		h := c.node(at).net.hosting
		return !h.Hosts(home) && !h.Hosts(shards.Lobby)
	})
	if g == nil {
		t.Fatal("all nodes host something")
	}
	c.lastReads()
	return c, g, home
}

// TestSpareCopyContinues: the three hosts of a region die with their disks; nobody was
// ever removed from it. It continues within seconds, and only the last edits are missing.
func TestSpareCopyContinues(t *testing.T) {
	c, g, home := playedIn(t, 1)
	hosts := c.hostsOf(home)
	c.s.Run(10 * time.Second) // the window
	c.destroy(hosts)
	died := c.s.Now()
	g.quiet = false
	c.until("somebody leads it", func() bool { return c.leaderOf(home) >= 0 })
	t.Logf("hosts %v; led again after %v", hosts, c.s.Now().Sub(died))
	if took := c.s.Now().Sub(died); took > 15*time.Second {
		t.Errorf("that took %v", took)
	}
	c.until("the guest reads it", func() bool { return g.reads("restored: 36") == 1 })
	c.buildsOn(g, g.acted+4)
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
	if n := g.reads("restored: 36"); n != 1 {
		t.Errorf("the guest was told %d times: %q", n, g.told)
	}
}

// reads counts what the player was told that begins with a text.
func (s *session) reads(text string) (n int) {
	for _, line := range s.told {
		if strings.HasPrefix(line, text) {
			n++
		}
	}
	return n
}

// TestSpareCopyOfTheLobby: the same with the hosts of the lobby. Who comes then gets in,
// and those who were there are known.
func TestSpareCopyOfTheLobby(t *testing.T) {
	c, g, _ := playedIn(t, 1)
	hosts := c.hostsOf(shards.Lobby)
	c.s.Run(10 * time.Second)
	c.destroy(hosts)
	died := c.s.Now()
	c.until("somebody leads it", func() bool { return c.leaderOf(shards.Lobby) >= 0 })
	t.Logf("hosts %v; led again after %v", hosts, c.s.Now().Sub(died))
	if took := c.s.Now().Sub(died); took > 15*time.Second {
		t.Errorf("that took %v", took)
	}
	if c.noted("the lobby lost its 3 hosts. It was restored to its state of") != 1 {
		t.Errorf("said: %q", c.notes)
	}
	late := c.addGuest(c.indexOf(g.node))
	c.until("another comes in", func() bool { return late.in })
	const text = "The list of players lost its hosts. It was restored to its state of 19"
	if !g.in || g.reads(text) != 1 || late.reads(text) != 1 {
		t.Errorf("the guest is in: %v; %q, %q", g.in, g.told, late.told)
	}
}

// spares are the shards of which nodes keep spare copies.
func (c *cluster) spares() map[shards.Shard]int {
	out := map[shards.Shard]int{}
	for i := range c.nodes {
		for _, s := range c.node(i).net.copies.All() {
			if s.IsSpare() {
				out[s.Shard]++
			}
		}
	}
	return out
}

// TestNoSpareCopyOfUntouched: a region that players only look at has no copies. One in
// which they have built has two, on nodes that do not host it, and so has the lobby.
func TestNoSpareCopyOfUntouched(t *testing.T) {
	c, _, home := playedIn(t, 1)
	spares, untouched := c.spares(), 0
	for i := range c.nodes {
		for p := range c.node(i).net.hosting.replicas {
			if p.Lobby || copies.Keeps(p, c.nodes[i].Disk.All(p.Space())) {
				continue
			}
			if untouched++; spares[p] > 0 {
				t.Errorf("%v has %d copies", p, spares[p])
			}
		}
	}
	if untouched == 0 || spares[home] != copies.SpareHolders || spares[shards.Lobby] != copies.SpareHolders {
		t.Errorf("%d replicas are untouched; copies: %v", untouched, spares)
	}
	for i := range c.nodes {
		if _, kept := c.node(i).net.copies.Spare(home); kept && c.node(i).net.hosting.Hosts(home) {
			t.Errorf("node %d hosts %v, and keeps a copy of it", i, home)
		}
	}
}

// TestForgedSpareCopy: a node that does not host a shard, and one that does, send what is
// no state of it. Nothing that was kept before is lost, and what they say costs little.
func TestForgedSpareCopy(t *testing.T) {
	c, _, home := playedIn(t, 1)
	c.s.Run(10 * time.Second)
	hosts := c.hostsOf(home)
	holder, stranger := -1, -1
	for i := range c.nodes {
		_, kept := c.node(i).net.copies.Spare(home)
		switch {
		case kept:
			holder = i
		case !slices.Contains(hosts, i):
			stranger = i
		}
	}
	before, _ := c.node(holder).net.copies.Spare(home)
	send := func(from int, m copies.Spare) {
		m.Shard = home
		end := hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Index}
		m.Proof = c.node(from).net.signatures.Sign(nodePeer(holder).ID, home, end, group.DigestOf([]machine.KV{{Key: []byte("x"), Value: []byte("y")}}).Sum()).Encoded()
		c.nodes[from].Call(func() { c.node(from).net.links.Send(nodePeer(holder), &m) })
		c.s.Run(time.Second)
	}
	newer := copies.Spare{Gen: before.Gen, Term: before.Term + 1, Index: before.Index + 1000, Last: true}
	content := newer
	content.Data = group.AppendContent(nil, []machine.KV{{Key: []byte("x"), Value: []byte("y")}})
	for range 3 { // the first asks the directory
		send(stranger, content)
	}
	damaged, beyond, late := newer, newer, newer
	damaged.Data = []byte{200}
	beyond.After, beyond.Data = before.Index+500, group.AppendChanges(nil, []machine.DiskWrite{{Delete: [][]byte{{1}}}})
	late.Part, late.Data = 3, content.Data
	other := content // than what is signed
	other.Data = group.AppendContent(nil, []machine.KV{{Key: []byte("x"), Value: []byte("z")}})
	for range 3 {
		send(hosts[0], other)
		send(hosts[0], damaged)
		send(hosts[0], beyond)
		send(hosts[0], late)
	}
	after, ok := c.node(holder).net.copies.Spare(home)
	if !ok || after.Index >= newer.Index || len(c.nodes[holder].Disk.All(after.Space)) < 2 {
		t.Errorf("the copy was %+v, and is %+v, %v", before, after, ok)
	}
	f := c.node(holder).net.links.ByID(nodePeer(hosts[1]).ID)
	keeping := c.node(holder).net.spares
	taken := 0
	for range 10 * copies.SpareBurst / copies.MaxSparePart {
		if keeping.Spends(f, copies.MaxSparePart) {
			taken += copies.MaxSparePart
		}
	}
	if taken > copies.SpareBurst {
		t.Errorf("%d bytes were taken at once", taken)
	}
}
