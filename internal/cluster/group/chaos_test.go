package group

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// chaos is a run in which everything goes wrong that may.
type chaos struct {
	*testnet
	rand   rng.Rand
	acks   map[uint64]bool // proposals that were acknowledged
	never  map[uint64]bool // that are known not to be applied
	owner  map[uint64]int
	cut    [][2]machine.Peer
	counts map[string]int
}

// lan is a quick network with a tail, which can be cut.
func lan() sim.Config {
	return sim.Config{Internet: &sim.Internet{
		Min: 500 * time.Microsecond, Max: 200 * time.Millisecond, Shape: 1.5,
		Header: 40, Segment: 40, Timeout: 800 * time.Millisecond,
		Clocks: sim.ThesisClocks(),
	}}
}

func newChaos(t testing.TB, seed uint64, cfg Config) *chaos {
	scfg := lan()
	if seed%3 == 0 { // slow disks: much is on its way when something goes wrong
		scfg.Sync = 30 * time.Millisecond
	}
	c := &chaos{
		testnet: newNet(t, seed, scfg, cfg, 5), rand: rng.New(seed, 0xc4a05),
		acks: map[uint64]bool{}, never: map[uint64]bool{}, owner: map[uint64]int{},
		counts: map[string]int{},
	}
	c.acked = func(node int, tag uint64) {
		if l := c.leader(); l >= 0 && l != node || !c.node(node).leads {
			t.Errorf("node %d acknowledges %d while %d leads", node, tag, l)
		}
		c.acks[tag] = true
	}
	return c
}

func (c *chaos) note(format string, a ...any) {
	if os.Getenv("CHAOS_LOG") != "" {
		c.t.Logf("%9.3f "+format, append([]any{float64(c.sim.Now()) / 1e9}, a...)...)
	}
}

// act does something at random.
func (c *chaos) act() {
	i := c.rand.Intn(len(c.nodes))
	k := c.node(i)
	switch n := c.rand.Intn(100); {
	case n < 58:
		c.change()
	case n < 61 && k != nil:
		c.note("crash %d", i)
		c.counts["crashes"]++
		c.nodes[i].Crash()
		c.consistent(i)
	case n < 69:
		for i := range c.nodes {
			if c.node(i) == nil && c.rand.OneIn(2) {
				c.note("restart %d", i)
				c.nodes[i].Restart()
			}
		}
	case n < 72:
		c.note("cut %d", i)
		c.counts["cuts"]++
		c.isolate(i)
	case n < 79:
		c.note("heal")
		c.cut = nil
	case n < 81:
		c.reshape(c.some(2 + c.rand.Intn(4)))
	case n < 83:
		c.lead("transfers", func(k *testNode) { k.Transfer(c.nodes[i].Peer().ID) })
	case n < 84:
		c.lead("sleeps", func(k *testNode) { k.Hibernate() })
	case n < 89 && k != nil:
		c.note("wake by %d", i)
		c.nodes[i].Call(func() { k.Wake() })
	case n < 90:
		c.note("full %d", i)
		c.counts["full disks"]++
		c.nodes[i].Disk.Full = true
	case n < 97:
		for _, n := range c.nodes {
			n.Disk.Full = false
		}
	case n < 98:
		c.counts["broken writes"]++
		c.nodes[i].Disk.FailNext = 1 + c.rand.Intn(3)
	}
}

// lead does something on the leader, if there is one.
func (c *chaos) lead(what string, do func(k *testNode)) {
	if l := c.leader(); l >= 0 {
		c.note("%s by %d", what, l)
		c.counts[what]++
		c.nodes[l].Call(func() { do(c.node(l)) })
	}
}

func (c *chaos) reshape(members []int) {
	c.note("members %v", members)
	c.lead("members", func(k *testNode) { _ = k.SetMembers(c.peers(members...)) })
}

// isolate cuts a node off from another, or from all, one way or both.
func (c *chaos) isolate(i int) {
	a, b := c.nodes[i].Peer(), c.nodes[c.rand.Intn(len(c.nodes))].Peer()
	c.cut = append(c.cut, [2]machine.Peer{a, b})
	if c.rand.OneIn(2) {
		c.cut = append(c.cut, [2]machine.Peer{b, a})
	}
	if c.rand.OneIn(2) {
		for _, o := range c.nodes {
			c.cut = append(c.cut, [2]machine.Peer{a, o.Peer()}, [2]machine.Peer{o.Peer(), a})
		}
	}
}

// some are n nodes at random.
func (c *chaos) some(n int) (out []int) {
	for len(out) < n {
		if i := c.rand.Intn(len(c.nodes)); !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// change proposes up to three changes at once, on whoever leads, or thinks so.
func (c *chaos) change() {
	i := c.leader()
	if i < 0 || c.rand.OneIn(10) {
		i = c.rand.Intn(len(c.nodes))
	}
	k := c.node(i)
	if k == nil || k.phase != member {
		return
	}
	for n := 1 + c.rand.Intn(3); n > 0; n-- {
		c.tags++
		tag := c.tags
		c.owner[tag] = i
		key := fmt.Sprintf("%c%d", 'a'+c.rand.Intn(3), c.rand.Intn(8))
		w := machine.DiskWrite{Put: []machine.KV{
			{Key: []byte(key), Value: append(fmt.Append(nil, tag, " "), make([]byte, c.rand.Intn(400))...)},
			{Key: []byte("last"), Value: fmt.Append(nil, tag)},
		}}
		switch c.rand.Intn(8) {
		case 0:
			w.DeletePrefix = [][]byte{[]byte(key[:1])}
		case 1:
			w.Delete = [][]byte{[]byte("a1"), []byte("b2")}
		}
		c.nodes[i].Call(func() { k.Propose(tag, w) })
	}
}

// collect notes how proposals ended.
func (c *chaos) collect() {
	for i := range c.nodes {
		k := c.node(i)
		if k == nil {
			continue
		}
		for tag, err := range k.results {
			if errors.Is(err, ErrNotLeader) || errors.Is(err, ErrBusy) {
				c.never[tag] = true
			}
		}
	}
}

// model is the space after the entries up to an index, by the log that was seen.
func (c *chaos) model(g Gen, to uint64) map[string]string {
	m := map[string]string{}
	var whole partialWrite
	for i := uint64(2); i <= to; i++ {
		entry, ok := c.log[[3]uint64{g.Number, g.Fork, i}]
		if !ok {
			c.t.Fatalf("nobody applied entry %d, but somebody is at %d", i, to)
		}
		for _, w := range c.writes(entry, &whole) {
			applyTo(m, w)
		}
	}
	return m
}

// writes are what an entry, together with the parts before it, does.
func (c *chaos) writes(entry string, whole *partialWrite) []machine.DiskWrite {
	var data []byte
	_, hex, _ := strings.Cut(entry, " ")
	if hex == "" {
		*whole = nil
		return nil
	}
	if _, err := fmt.Sscanf(hex, "%x", &data); err != nil {
		c.t.Fatal(err)
	}
	data = whole.join(pb.EntryNormal, data)
	if len(data) == 0 {
		return nil
	}
	_, ws, err := decodeWrites(space, data)
	if err != nil {
		return nil // a change of members may begin with any byte
	}
	return ws
}

func applyTo(m map[string]string, w machine.DiskWrite) {
	for _, p := range w.DeletePrefix {
		maps.DeleteFunc(m, func(k, _ string) bool { return strings.HasPrefix(k, string(p)) })
	}
	for _, k := range w.Delete {
		delete(m, string(k))
	}
	for _, kv := range w.Put {
		m[string(kv.Key)] = string(kv.Value)
	}
}

// consistent checks that a disk has the space exactly as it was at the index
// that is said on the same disk: nothing is applied twice, or half.
func (c *chaos) consistent(i int) {
	c.t.Helper()
	raw, ok := c.nodes[i].Disk.Get(OwnSpace(space), "m")
	if !ok {
		return
	}
	st, err := decodeState(raw)
	if err != nil {
		c.t.Fatal(err)
	}
	if st.Applied == 0 {
		return // on its way in: what it had before stays until the snapshot is complete
	}
	want, got := c.model(st.Gen, st.Applied), c.content(i)
	if !maps.Equal(want, got) {
		c.t.Errorf("node %d at index %d has %d keys, last %q; it should have %d, last %q",
			i, st.Applied, len(got), got["last"], len(want), want["last"])
	}
}

func (c *chaos) content(i int) map[string]string {
	got := map[string]string{}
	for _, kv := range c.nodes[i].Disk.All(space) {
		got[string(kv.Key)] = string(kv.Value)
	}
	return got
}

// run goes wrong for a while, then lets everything be well and looks.
func (c *chaos) run(d time.Duration) {
	c.sim.Cut(func(a, b machine.Peer) bool { return slices.Contains(c.cut, [2]machine.Peer{a, b}) })
	c.create(0, 1, 2)
	for end := c.sim.Now().Add(d); c.sim.Now() < end; {
		c.act()
		next := c.sim.Now().Add(time.Duration(c.rand.Intn(int(150 * time.Millisecond))))
		for c.sim.Now() < next {
			c.sim.Run(2 * time.Millisecond)
			c.leader() // two are an error
		}
		c.collect()
		if c.t.Failed() {
			return
		}
	}
	c.note("peace")
	c.cut = nil
	for i, n := range c.nodes {
		n.Disk.Full, n.Disk.FailNext = false, 0
		if c.node(i) == nil {
			n.Restart()
		}
	}
	wake := func() {
		for i := range c.nodes {
			c.nodes[i].Call(func() { c.node(i).Wake() })
		}
	}
	wake()
	c.until("there is a leader", func() bool { return c.leader() >= 0 })
	var all []int
	for i := range c.nodes {
		all = append(all, i)
	}
	asked := c.sim.Now()
	c.until("all are wanted", func() bool {
		l := c.leader()
		if l >= 0 && c.sim.Now() > asked {
			asked = c.sim.Now().Add(time.Second) // a leader may lose it
			c.nodes[l].Call(func() { _ = c.node(l).SetMembers(c.peers(all...)) })
		}
		return l >= 0 && len(c.node(l).Status().Wanted) == len(all)
	})
	c.until("all are voters", func() bool { return c.settled(all...) })
	c.sim.Run(2 * time.Second)
	c.look()
}

// look compares what is there with what was acknowledged.
func (c *chaos) look() {
	l := c.leader()
	if l < 0 {
		c.t.Fatal("nobody leads")
	}
	g, last := c.node(l).st.Gen, c.node(l).st.Applied
	inLog := map[uint64]bool{}
	var whole partialWrite
	for i := uint64(2); i <= last; i++ {
		for _, w := range c.writes(c.log[[3]uint64{g.Number, g.Fork, i}], &whole) {
			tag, _ := strconv.ParseUint(string(w.Put[1].Value), 10, 64)
			if inLog[tag] {
				c.t.Errorf("proposal %d is in the log twice", tag)
			}
			inLog[tag] = true
		}
	}
	for tag := range c.acks {
		if !inLog[tag] {
			c.t.Errorf("proposal %d was acknowledged by node %d and is lost", tag, c.owner[tag])
		}
	}
	for tag := range c.never {
		if inLog[tag] {
			c.t.Errorf("proposal %d was said not to be applied, but is", tag)
		}
	}
	first := c.content(0)
	for i := range c.nodes {
		c.consistent(i)
		if got := c.content(i); !maps.Equal(got, first) {
			c.t.Errorf("nodes 0 and %d differ in the end", i)
		}
	}
	if len(c.acks) == 0 || bytes.Equal(nil, []byte(first["last"])) {
		c.t.Error("nothing was acknowledged: the run shows nothing")
	}
}

// TestLongChaos throws everything at groups that come and go. It prints the seed of
// a run that fails.
func TestLongChaos(t *testing.T) {
	simtest.Long(t)
	runs := 6 * scale()
	if testing.Short() {
		runs = 3
	}
	from := uint64(1)
	if s := os.Getenv("CHAOS_SEED"); s != "" {
		from, _ = strconv.ParseUint(s, 10, 64)
		runs = 1
	}
	for seed := from; seed < from+uint64(runs); seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			cfg := Config{}
			if seed%2 == 0 { // much is cut off, much is sent whole
				cfg = Config{KeepEntries: 8, MaxLogBytes: 4 << 10, Chunk: 700, MaxEntry: 300}
			}
			c := newChaos(t, seed, cfg)
			c.run(40 * time.Second)
			t.Logf("seed %d: %d acknowledged of %d, %v", seed, len(c.acks), c.tags, c.counts)
		})
	}
}
