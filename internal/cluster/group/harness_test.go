package group

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// testNode is a node with one replica, and its owner.
type testNode struct {
	*Replica
	net     *testnet
	n       int
	leads   bool
	onLead  func()              // beside what is noted here; nil: nothing
	drops   func(*Message) bool // nil: hears everything
	newer   int                 // times that a member spoke of a newer generation
	doubts  bool                // does not believe it
	follows []error
	gone    []error
	last    uint64 // applied in this life
	results map[uint64]error
	reads   map[uint64][]machine.KV
}

func (k *testNode) OnLead() {
	if k.leads = true; k.onLead != nil {
		k.onLead()
	}
}
func (k *testNode) OnFollow(why error) { k.leads = false; k.follows = append(k.follows, why) }
func (k *testNode) OnChange()          {}

// OnNewer believes members, unless a test says otherwise.
func (k *testNode) OnNewer(from machine.Peer, gen Gen) {
	k.newer++
	if !k.doubts {
		k.YieldTo(gen)
	}
}
func (k *testNode) OnGone(why error) { k.gone = append(k.gone, why) }
func (k *testNode) OnResult(tag uint64, result any, err error) {
	if _, twice := k.results[tag]; twice {
		k.net.t.Errorf("node %d: proposal %d ended twice", k.n, tag)
	}
	k.results[tag] = err
	if kvs, ok := result.([]machine.KV); ok {
		k.reads[tag] = kvs
	}
	if err == nil && k.net.acked != nil {
		k.net.acked(k.n, tag)
	}
}

// OnMessage looks that no message is larger than links like.
func (k *testNode) OnMessage(from machine.Peer, m machine.Message) {
	if s, ok := m.(sim.Sizer); !ok || s.Size() > 2<<20 {
		k.net.t.Errorf("node %d gets a %T that is too large, or does not know how large it is", k.n, m)
	}
	if g, ok := m.(*Message); ok && k.drops != nil && k.drops(g) {
		return
	}
	k.Replica.OnMessage(from, m)
}

func (k *testNode) raftStatus() raftStatus { return k.raft.status() }

// testnet is a network of nodes that may keep the space.
type testnet struct {
	t     testing.TB
	sim   *sim.Sim
	cfg   Config
	nodes []*sim.Node
	acked func(node int, tag uint64)
	// log is what was applied at each index, on whichever node: it must be the
	// same on all.
	log  map[[3]uint64]string
	tags uint64
}

const space = "r.0.0"

func newNet(t testing.TB, seed uint64, scfg sim.Config, cfg Config, nodes int) *testnet {
	net := &testnet{t: t, sim: sim.NewWith(seed, scfg), cfg: cfg, log: map[[3]uint64]string{}}
	for i := range nodes {
		peer := machine.Peer{ID: id.Of(fmt.Appendf(nil, "node %d", i))}
		net.nodes = append(net.nodes, net.sim.AddAs(peer, func(env machine.Env) machine.Machine {
			k := &testNode{net: net, n: i, results: map[uint64]error{}, reads: map[uint64][]machine.KV{}}
			c := cfg
			c.Space, c.Self = space, peer
			k.Replica = New(c, env, k)
			k.applier.onApply = func(index, term uint64, data []byte) { net.applied(k, index, term, data) }
			return k
		}))
	}
	return net
}

func (net *testnet) applied(k *testNode, index, term uint64, data []byte) {
	if data == nil { // a snapshot
		k.last = index
		return
	}
	key := [3]uint64{k.st.Gen.Number, k.st.Gen.Fork, index}
	entry := fmt.Sprintf("%d %x", term, data)
	if was, ok := net.log[key]; ok && was != entry {
		net.t.Errorf("node %d applied another entry at %d than others", k.n, index)
	}
	net.log[key] = entry
	if k.last == 0 {
		k.last = k.st.Applied
	}
	if index != k.last+1 {
		net.t.Errorf("node %d applied %d after %d", k.n, index, k.last)
	}
	k.last = index
}

func (net *testnet) node(i int) *testNode {
	k, _ := net.nodes[i].Machine().(*testNode)
	return k
}

func (net *testnet) peers(nodes ...int) (ps []machine.Peer) {
	for _, i := range nodes {
		ps = append(ps, net.nodes[i].Peer())
	}
	return ps
}

// leader is the node that leads, -1 if none does. Two are an error.
func (net *testnet) leader() int {
	found := -1
	for i := range net.nodes {
		if k := net.node(i); k != nil && k.phase == member && k.Leads() {
			if found >= 0 && net.node(found).st.Gen == k.st.Gen {
				net.t.Errorf("nodes %d and %d lead at once at %v", found, i, time.Duration(net.sim.Now()))
			}
			found = i
		}
	}
	return found
}

func (net *testnet) until(what string, cond func() bool) {
	net.t.Helper()
	if !net.sim.RunUntil(cond, time.Minute) {
		for i := range net.nodes {
			if k := net.node(i); k != nil {
				net.t.Logf("node %d at %d: phase %d %+v", i, k.env.Now(), k.phase, k.Status())
				net.t.Logf("  lead %+v clock %+v disk %+v flight %v sleep %v", k.leadership.leads, k.election.electAt, k.disk.err, k.disk.busy(), k.hibernation.asleep)
			}
		}
		net.t.Fatalf("waited for a minute until %s", what)
	}
}

// create makes a group of the nodes and waits until all are voters.
func (net *testnet) create(nodes ...int) {
	net.t.Helper()
	first := net.nodes[nodes[0]]
	first.Call(func() { net.node(nodes[0]).Create(net.peers(nodes...)) })
	net.until("all are voters", func() bool { return net.settled(nodes...) })
}

// settled reports whether exactly these nodes are the members, all with a vote
// (of two only one), with a leader, and all agree on it.
func (net *testnet) settled(nodes ...int) bool {
	votes := len(nodes)
	if votes == 2 {
		votes = 1
	}
	l := net.leader()
	if l < 0 {
		return false
	}
	for _, i := range nodes {
		k := net.node(i)
		if k == nil || k.phase != member || k.st.Gen != net.node(l).st.Gen || len(k.st.Members) != len(nodes) || k.st.voters() != votes ||
			k.raftStatus().lead != net.node(l).st.Self || k.st.Applied != net.node(l).st.Applied {
			return false
		}
		if k.st.findPeer(net.nodes[l].Peer().ID) == nil {
			return false
		}
	}
	return true
}

// put proposes a write on a node; the tag is also the value.
func (net *testnet) put(node int, key string) uint64 {
	net.tags++
	tag := net.tags
	k := net.node(node)
	net.nodes[node].Call(func() {
		k.Propose(tag, machine.DiskWrite{Put: []machine.KV{{Key: []byte(key), Value: fmt.Append(nil, tag)}}})
	})
	return tag
}

func (net *testnet) ended(node int, tag uint64) func() bool {
	k := net.node(node)
	return func() bool { _, ok := k.results[tag]; return ok }
}

// write puts and waits until it is done.
func (net *testnet) write(node int, key string) uint64 {
	net.t.Helper()
	tag := net.put(node, key)
	net.until("a write has ended", net.ended(node, tag))
	if err := net.node(node).results[tag]; err != nil {
		net.t.Fatalf("a write failed: %v", err)
	}
	return tag
}

func (net *testnet) has(node int, key string) string {
	v, _ := net.nodes[node].Disk.Get(space, key)
	return string(v)
}
