package node

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestRemovedHostKeepsCopy: hosts that were removed keep what they had, know of it after
// a restart, and do not serve it.
func TestRemovedHostKeepsCopy(t *testing.T) {
	c := newCluster(t, 1, 6)
	c.s.Run(3 * time.Second)
	g := c.addGuest(0)
	c.until("the guest is in", func() bool { return g.in })
	c.s.Run(20 * time.Second)
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
	copyOf := func(i int) *savedCopy {
		for _, s := range c.node(i).net.copies.list {
			if s.shard == home {
				return &s
			}
		}
		return nil
	}
	for _, i := range hosts {
		c.until(fmt.Sprintf("node %d has a copy", i), func() bool { return copyOf(i) != nil && !c.node(i).net.hosting.hosts(home) })
		s := *copyOf(i)
		c.nodes[i].Restart()
		c.until(fmt.Sprintf("node %d knows of it again", i), func() bool { return copyOf(i) != nil })
		if again := *copyOf(i); again != s || !s.Retired || s.Gen.Number != 1 || s.Index == 0 || s.Bytes == 0 {
			t.Errorf("node %d: %+v, before %+v", i, again, s)
		}
		if n := len(c.nodes[i].Disk.All(group.RetiredSpace(home.Space()))); n == 0 {
			t.Errorf("node %d: %d records in its copy, the leader had %d", i, n, had)
		}
		if c.node(i).net.hosting.hosts(home) || len(c.nodes[i].Disk.All(home.Space())) > 0 {
			t.Errorf("node %d hosts it", i)
		}
	}
}

// jobs notes what a component has the disk do.
type jobs []machine.Job

func (j *jobs) Do(_ string, _ uint64, job machine.Job) { *j = append(*j, job) }

// TestCopiesAreBounded: the oldest of too many copies go, with what is in them. Those of
// replicas that gave way to another group stay.
func TestCopiesAreBounded(t *testing.T) {
	const day = 24 * time.Hour
	region := func(n int) shards.Shard { return shards.Shard{Region: world.RegionPos{X: int32(n)}} }
	aside := func(bytes int, ages ...time.Duration) (*copies, *jobs) {
		did := &jobs{}
		now := machine.Time(0).Add(100 * day)
		cfg := part.Config{}.WithDefaults()
		c := &copies{Part: part.Part{Cfg: &cfg}, disk: did}
		for i, age := range ages {
			c.Env = &fixedClock{now: now.Add(-age)}
			p := region(i)
			c.setAside(p)(group.Copy{Space: group.RetiredSpace(p.Space()), Retired: true, Bytes: bytes})
			c.setAside(p)(group.Copy{Space: group.SupersededSpace(p.Space(), group.Gen{Number: 1}), Bytes: bytes})
		}
		c.beat(now)
		return c, did
	}
	for _, x := range []struct {
		name  string
		bytes int
		ages  []time.Duration
		want  int
	}{
		{"all are kept", 1, []time.Duration{1, 2, 6 * day}, 3},
		{"old ones go", 1, []time.Duration{1, 8 * day, 6 * day}, 2},
		{"too many bytes", maxCopiesBytes / 2, []time.Duration{3, 1, 2}, 2},
		{"too many", 1, make([]time.Duration, maxCopies+5), maxCopies},
	} {
		c, did := aside(x.bytes, x.ages...)
		if got := len(c.list) - len(x.ages); got != x.want || len(*did) != len(x.ages)-x.want {
			t.Errorf("%s: %d are left, %d were dropped", x.name, got, len(*did))
		}
		for _, j := range *did {
			if w := j.(machine.DiskWrite); len(w.Delete) != 1 || len(w.Then) != 1 || string(w.Delete[0]) != copyKey+w.Then[0].Space {
				t.Errorf("%s: dropped by %+v", x.name, w)
			}
		}
	}
}

func FuzzDecodeCopy(f *testing.F) {
	s := savedCopy{Copy: group.Copy{Space: "old.hall", Gen: group.Gen{Number: 1, Fork: 2}, Term: 3, Index: 4, Retired: true, Bytes: 5}, shard: shards.Lobby, at: 6, proof: copyProof{7}}
	f.Add(s.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, ok := decodeCopy("old.hall", b); ok && got.shard != shards.Lobby {
			t.Errorf("%+v", got)
		}
	})
	if got, ok := decodeCopy("old.hall", s.encode()); !ok || got != s {
		f.Errorf("%+v", got)
	}
	plain := slices.Concat([]byte{copyLayoutPlain}, s.encode()[1:50], []byte(shards.Lobby.Space()))
	s.proof = copyProof{}
	if got, ok := decodeCopy("old.hall", plain); !ok || got != s {
		f.Errorf("of the layout without proofs: %+v", got)
	}
}
