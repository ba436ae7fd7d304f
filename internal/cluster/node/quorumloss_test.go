package node

import (
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// noted reports whether a node has told its people something.
func (c *cluster) noted(text string) (n int) {
	for _, s := range c.notes {
		if strings.Contains(s, text) {
			n++
		}
	}
	return n
}

// indexOf is the node with a peer.
func (c *cluster) indexOf(p machine.Peer) int {
	for i := range c.nodes {
		if nodePeer(i) == p {
			return i
		}
	}
	c.Fatalf("no node %v", p)
	return -1
}

// TestLongMajorityGone: two of three hosts of a region die for good, in a world so small
// that the others may be cut off as well. What is left goes on by itself after minutes,
// not before, and says so; those who come back put aside what they had.
func TestLongMajorityGone(t *testing.T) {
	simtest.Long(t)
	c, g := playedCluster(t, 4, 5, 20*time.Second)
	home := shards.Shard{Region: g.home}
	leader := c.leaderOf(home)
	members := c.node(leader).net.hosting.replicas[home].group.Members()
	if len(members) != 3 {
		t.Fatalf("%d members", len(members))
	}
	g.quiet = true
	c.s.Run(5 * time.Second)
	// The guest's own node must live, and one member.
	left := -1
	var dead []int
	for _, m := range members {
		if i := c.indexOf(m); left < 0 && (i == 0 || len(dead) == 2) {
			left = i
		} else {
			dead = append(dead, i)
		}
	}
	if len(dead) > 2 {
		left, dead = dead[0], dead[1:]
	}
	old := c.node(left).net.hosting.replicas[home].group.Raft.Status().Gen
	for _, i := range dead {
		c.nodes[i].Crash()
	}
	c.s.Run(hostpolicy.MemberLostAfter - 30*time.Second)
	if c.leaderOf(home) >= 0 || c.noted("goes on with what this node has") > 0 || c.noted("It was restored") > 0 {
		t.Fatal("a minority went on before its time")
	}
	c.s.Run(3 * time.Minute)
	if l := c.leaderOf(home); l < 0 {
		c.dump(home)
		t.Fatal("nobody leads what is left")
	}
	if c.noted("goes on with what this node has") == 0 {
		t.Error("nobody was told")
	}
	g.quiet = false
	c.until("the guest builds again", func() bool { c.s.Run(time.Second); return g.in && g.acted > 3 })
	for _, i := range dead {
		c.nodes[i].Restart()
	}
	c.settle()
	c.s.Run(30 * time.Second)
	c.checkLeaders()
	c.checkPresence()
	if c.checkEdits() == 0 {
		t.Error("nothing was built")
	}
	for _, i := range dead {
		if h := c.node(i).net.hosting.replica(home); h != nil && h.group.Raft.Status().Gen == old {
			t.Errorf("node %d is still in the old generation", i)
		}
		if aside := c.nodes[i].Disk.All(group.SupersededSpace(region.Space(home.Region), old)); len(aside) == 0 {
			t.Errorf("node %d has put nothing aside", i)
		}
	}
}

// TestInvalidMessageEndsReplicaForSeconds: a member that says what makes no sense ends another's replica
// for a moment only: its disk is read again, and it is a member as before.
func TestInvalidMessageEndsReplicaForSeconds(t *testing.T) {
	c, g := playedCluster(t, 2, 3, 20*time.Second)
	home := shards.Shard{Region: g.home}
	leader := c.leaderOf(home)
	victim := (leader + 1) % 3
	h := c.node(victim).net.hosting.replicas[home]
	if h == nil {
		t.Fatal("the victim has no replica")
	}
	st, first := h.group.Raft.Status(), h.group.Raft
	c.nodes[leader].Call(func() {
		for i := range uint64(81) { // the numbers of the members are their own business
			from, to := 1+i/9, 1+i%9
			// An entry that does not follow on the one that it is said to follow on.
			entry := &raftpb.Entry{Index: new(st.Last + 100), Term: &st.Term}
			nonsense, _ := proto.Marshal(&raftpb.Message{Type: raftpb.MsgApp.Enum(), From: &from, To: &to, Term: &st.Term, Index: &st.Last, LogTerm: &st.LastTerm, Entries: []*raftpb.Entry{entry}})
			c.node(leader).net.links.Send(nodePeer(victim), &group.Message{Space: home.Space(), Gen: st.Gen, From: from, To: to, Term: st.Term, Raft: [][]byte{nonsense}})
		}
	})
	c.s.Run(time.Second)
	if !h.seat.HasLeft() || h.group.Raft.Status().Member {
		t.Fatal("the replica takes nonsense for truth")
	}
	if c.noted("a member sent an invalid message") != 1 {
		t.Error("nobody was told")
	}
	c.s.Run(rereadAfter + 5*time.Second)
	if w := c.node(victim).net; h.group.Raft == first || !h.group.Raft.Status().Member || w.hosting.replicas[home] != h || w.hosting.damaged[home] {
		t.Error("the replica has not come back")
	}
	c.nodes[leader].Crash()
	c.until("the others lead without the liar", func() bool { return c.leaderOf(home) >= 0 })
}

// TestLongAllGone: all hosts of a region are gone for hours. It begins anew, said
// in the log; those who come back put aside what they had.
func TestLongAllGone(t *testing.T) {
	simtest.Long(t)
	const goneAfter = 20 * time.Minute
	c := changedCluster(t, 8, 8, func(_ int, n *Net) { n.GoneAfter = goneAfter })
	c.enterGuest(0)
	c.s.Run(30 * time.Second)
	var lost shards.Shard
	var hosts []machine.Peer
	keep := c.node(c.leaderOf(shards.Lobby)).net.hosting.replicas[shards.Lobby].group.Members()
	for _, r := range c.node(0).net.routes.All() {
		p, l := r.Shard, c.leaderOf(r.Shard)
		if p.Lobby || max(p.Region.X, -p.Region.X, p.Region.Z, -p.Region.Z) > 1 || l < 0 {
			continue
		}
		m := c.node(l).net.hosting.replicas[p].group.Members()
		shared := 0
		for _, q := range m {
			if slices.Contains(keep, q) {
				shared++
			}
		}
		if len(m) == 3 && shared < 2 && !slices.Contains(m, nodePeer(0)) && len(c.holders(p)) == 0 {
			lost, hosts = p, m
		}
	}
	if hosts == nil {
		t.Fatal("no region to lose")
	}
	old := c.node(c.indexOf(hosts[0])).net.hosting.replicas[lost].group.Raft.Status().Gen
	c.guests[0].Crash()
	c.s.Run(10 * time.Second)
	had := map[int]int{}
	for _, p := range hosts {
		i := c.indexOf(p)
		c.nodes[i].Crash()
		had[i] = len(c.nodes[i].Disk.All(lost.Space()))
	}
	c.s.Run(goneAfter - time.Minute)
	c.guests[0].Restart()
	c.until("the guest is in again", func() bool { return c.wanderer(0).in })
	need := func() bool {
		c.nodes[0].Call(func() { c.node(0).net.routes.Search(lost) })
		c.s.Run(5 * time.Second)
		return c.leaderOf(lost) >= 0
	}
	if need() || c.noted("begins anew") > 0 {
		t.Fatal("it began anew before its time")
	}
	c.s.Run(2 * time.Minute)
	c.until(lost.String()+" begins anew", need)
	if n := c.noted("hosts of " + lost.String() + " have been gone"); n != 1 {
		t.Errorf("said %d times", n)
	}
	for _, p := range hosts {
		c.nodes[c.indexOf(p)].Restart()
	}
	c.s.Run(10 * time.Second)
	c.until("the old hosts have given way", func() bool {
		for _, p := range hosts { // somebody needs what they had
			i := c.indexOf(p)
			c.nodes[i].Call(func() { c.node(i).net.routes.Search(lost) })
		}
		c.s.Run(time.Second)
		for _, p := range hosts {
			i := c.indexOf(p)
			if h := c.node(i).net.hosting.replica(lost); h != nil && h.group.Raft.Status().Gen.Number <= old.Number {
				return false
			}
			if had[i] > 0 && len(c.nodes[i].Disk.All(group.SupersededSpace(lost.Space(), old))) == 0 {
				return false
			}
		}
		return true
	})
	c.settle()
	c.until("one group of each part is left", func() bool {
		c.s.Run(time.Second)
		for i := range c.nodes {
			for p := range c.node(i).net.hosting.replicas {
				if len(c.leaders(p)) > 1 {
					return false
				}
			}
		}
		return true
	})
	c.settle() // the guest may have played in one that gave way
	c.checkPresence()
}
