package kademlialab

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// kadNet is a simulated network of directory nodes on the internet of the
// simulator, with the longest latencies cut off: a datagram that takes half a
// second is as good as lost.
type kadNet struct {
	sim   *sim.Sim
	seed  uint64
	cfg   kademlia.Config
	nodes []*kadNode // all that there ever were
	live  []*kadNode
	wrap  func(machine.Machine, machine.Env, *kadNode) machine.Machine // attackers
	gang  *kadGang
	rand  rng.Rand
}

// kadNode is one node and what it hears from its directory.
type kadNode struct {
	*sim.Node
	net    *kadNet
	kad    *kademlia.Node
	bad    bool
	joined machine.Time
	left   machine.Time // 0: is there
	found  func(kademlia.Result)
}

func newKadNet(seed uint64, loss float64, cfg kademlia.Config) *kadNet {
	in := &sim.Internet{
		Min: 20 * time.Millisecond, Max: 400 * time.Millisecond, Shape: 1.5,
		Rate: 100e6 / 8, Segment: 28 + 16 + 9, // UDP/IP, seal, session
		Loss: loss,
	}
	return &kadNet{
		sim: sim.NewWith(seed, sim.Config{Internet: in, Start: machine.Time(time.Hour)}), seed: seed, cfg: cfg, rand: rng.New(seed, 0x6ad),
	}
}

// add starts a node that joins by a random live one, of those that do not
// attack: the address that one joins by comes from somebody one trusts.
func (n *kadNet) add(bad bool) *kadNode { return n.addAs(n.nextPeer(), bad) }

func (n *kadNet) nextPeer() machine.Peer {
	return machine.Peer{ID: id.Of(fmt.Appendf(nil, "directory node %d of %d", len(n.nodes), n.seed))}
}

func (n *kadNet) addAs(self machine.Peer, bad bool) *kadNode {
	var by machine.Peer
	if len(n.live) > 0 {
		by = n.honest().Peer()
	}
	o := n.start(self, bad)
	if by != (machine.Peer{}) {
		o.Call(func() { o.kad.Join([]machine.Peer{by}) })
	}
	return o
}

// start starts a node that knows nobody.
func (n *kadNet) start(self machine.Peer, bad bool) *kadNode {
	o := &kadNode{net: n, bad: bad, joined: n.sim.Now()}
	o.Node = n.sim.AddAs(self, func(env machine.Env) machine.Machine {
		cfg := n.cfg
		cfg.Self, cfg.Events = self.ID, o
		o.kad = kademlia.New(cfg, env)
		if n.wrap != nil {
			return n.wrap(o.kad, env, o)
		}
		return o.kad
	})
	if bad {
		n.gang.members = append(n.gang.members, self)
	}
	n.nodes, n.live = append(n.nodes, o), append(n.live, o)
	return o
}

// remove lets a node fail silently.
func (n *kadNet) remove(o *kadNode) {
	o.Crash()
	o.kad, o.left = nil, n.sim.Now()
	n.live = slices.DeleteFunc(n.live, func(p *kadNode) bool { return p == o })
}

// grow adds nodes until there are size: at most rate a second, and no faster
// than a fifth of the network in a second, so that every join is over before
// most of the others begin.
func (n *kadNet) grow(size int, rate float64, bad func() bool, step func() error) error {
	for len(n.live) < size {
		n.add(bad())
		n.sim.Run(time.Duration(float64(time.Second) / min(rate, 1+float64(len(n.live))/5)))
		if len(n.live)%500 == 0 {
			if err := step(); err != nil {
				return err
			}
		}
	}
	n.sim.Run(30 * time.Second)
	return step()
}

// Found implements kademlia.Events.
func (o *kadNode) Found(_ uint64, r kademlia.Result) {
	if then := o.found; then != nil {
		o.found = nil
		then(r)
	}
}

// Stored implements kademlia.Events.
func (o *kadNode) Stored(uint64, int, map[kademlia.Code]int) {}

// Renew implements kademlia.Events.
func (o *kadNode) Renew(*kademlia.Record) {}

// kadLookup is one lookup and what came of it.
type kadLookup struct {
	from   *kadNode
	target id.ID
	begin  machine.Time
	took   time.Duration
	result kademlia.Result
	over   bool
}

// look starts a lookup of a random target at a random good node that joined a
// while ago and looks for nothing else.
func (n *kadNet) look() *kadLookup {
	l := &kadLookup{begin: n.sim.Now()}
	for i := range l.target {
		l.target[i] = byte(n.rand.Uint64())
	}
	for l.from == nil || l.from.bad || l.from.found != nil || n.sim.Now().Sub(l.from.joined) < 20*time.Second {
		l.from = n.live[n.rand.Intn(len(n.live))]
	}
	o := l.from
	o.found = func(r kademlia.Result) { l.result, l.over, l.took = r, true, n.sim.Now().Sub(l.begin) }
	o.Call(func() { o.kad.Lookup(0, l.target) })
	return l
}

// nearest are the k nodes nearest to a target of those that are ok, nearest
// first.
func (n *kadNet) nearest(target id.ID, k int, ok func(*kadNode) bool) []id.ID {
	out := make([]id.ID, 0, k+1)
	for _, o := range n.live {
		who := o.Peer().ID
		if len(out) == k && !kademlia.Closer(target, who, out[k-1]) || !ok(o) {
			continue
		}
		i := len(out)
		for i > 0 && kademlia.Closer(target, who, out[i-1]) {
			i--
		}
		out = slices.Insert(out, i, who)
		out = out[:min(len(out), k)]
	}
	return out
}

// tally is what a number of lookups gave.
type kadTally struct {
	lookups, exact      int // exact: found all of the k nearest
	wanted, got         int // nodes, over all lookups
	asked, failed, took []float64
}

func (t *kadTally) share() float64  { return float64(t.exact) / float64(max(1, t.lookups)) }
func (t *kadTally) recall() float64 { return float64(t.got) / float64(max(1, t.wanted)) }

// judge counts a lookup. It has to have found the k nearest of the nodes that
// are there now and had been for 20 seconds when it began; attackers need not be
// among them, and newer nodes may be.
func (n *kadNet) judge(l *kadLookup, t *kadTally) {
	t.lookups++
	if !l.over {
		return
	}
	settled := func(o *kadNode) bool { return o != l.from && l.begin.Sub(o.joined) >= 20*time.Second }
	want := n.nearest(l.target, n.k(), func(o *kadNode) bool { return o != l.from })
	missing := 0
	for _, who := range want {
		o := n.byID(who)
		if o.bad || !settled(o) {
			continue
		}
		t.wanted++
		if slices.ContainsFunc(l.result.Closest, func(p machine.Peer) bool { return p.ID == who }) {
			t.got++
		} else {
			missing++
		}
	}
	if missing == 0 {
		t.exact++
	}
	t.asked = append(t.asked, float64(l.result.Asked))
	t.failed = append(t.failed, float64(l.result.Failed))
	t.took = append(t.took, l.took.Seconds()*1e3)
}

func (n *kadNet) k() int {
	if n.cfg.K != 0 {
		return n.cfg.K
	}
	return kademlia.DefaultK
}

// byID returns a live node.
func (n *kadNet) byID(who id.ID) *kadNode {
	i := slices.IndexFunc(n.live, func(o *kadNode) bool { return o.Peer().ID == who })
	return n.live[i]
}

// measureLoad runs lookups, eight a second, and judges each when it is over.
func (n *kadNet) measure(lookups int, each func()) *kadTally {
	t, open := &kadTally{}, []*kadLookup(nil)
	for i := 0; i < lookups || len(open) > 0; i++ {
		if i < lookups {
			open = append(open, n.look())
		}
		n.sim.Run(time.Second / 8)
		each()
		open = slices.DeleteFunc(open, func(l *kadLookup) bool {
			if l.from.left != 0 {
				return true // its node is gone: nobody waits for it
			}
			late := n.sim.Now().Sub(l.begin) > 5*time.Minute
			if l.over || late {
				n.judge(l, t)
			}
			return l.over || late
		})
	}
	return t
}
