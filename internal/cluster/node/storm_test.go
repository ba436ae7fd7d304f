package node

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// storm is a country where everything goes wrong while settlers edit blocks
// across the borders of four regions: nodes are killed, some for so long that
// others take their places, frozen, cut off, have full disks, and disagree about
// the time.
type storm struct {
	*cluster
	settlers []*settler
	reader   *traveller
	off      map[id.ID]bool // cut off
	oneWay   bool
	log      []string
}

const (
	stormNodes    = 7
	stormSettlers = 3
)

func newStorm(t testing.TB, seed uint64, cfg sim.Config) *storm {
	cfg.Start, cfg.Carry = singleNodeStart, overBytes(nil)
	c := &cluster{TB: t, s: sim.NewWith(seed, cfg), spawn: corner.Add(-2, 0, -2), ahead: map[int]slewed{}}
	c.change = func(_ int, n *Net) { n.Founder = nodePeer(0).ID }
	for i := range stormNodes {
		c.addNode(i)
	}
	w := &storm{cluster: c, off: map[id.ID]bool{}}
	c.s.Cut(func(a, b machine.Peer) bool {
		if a.Addr.IsZero() || b.Addr.IsZero() { // sessions are with their node
			return false
		}
		return w.off[a.ID] && !w.off[b.ID] || !w.oneWay && w.off[b.ID] && !w.off[a.ID]
	})
	c.s.Run(3 * time.Second)
	for i := range stormSettlers {
		w.settlers = append(w.settlers, c.addSettler(i, stormSettlers))
	}
	c.s.Run(10 * time.Second)
	w.reader = c.addTraveller(0)
	return w
}

// replayed is how many ticks of regions followers have replayed since they were started.
func (w *storm) replayed() (n uint64) {
	for i, x := range w.nodes {
		if x.Machine() != nil {
			n += w.node(i).Stats().LogEntries
		}
	}
	return n
}

// compared is how many columns were compared, as sessions are shown them, with what
// leaders sign, and how many statements did not agree with what was shown.
func (w *storm) compared() (columns, unsigned, suspected uint64) {
	for i, x := range w.nodes {
		if x.Machine() != nil {
			c := w.node(i).Stats().Counts
			columns, unsigned, suspected = columns+c.ColumnsCompared, unsigned+c.ShownUnsigned, suspected+c.Suspected
		}
	}
	return columns, unsigned, suspected
}

func (w *storm) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%.2f s: ", w.s.Now().Sub(singleNodeStart).Seconds())+fmt.Sprintf(format, args...))
}

// well is how many nodes run and are not cut off.
func (w *storm) well() (n int) {
	for i, x := range w.nodes {
		if x.Machine() != nil && !x.Frozen() && !w.off[nodePeer(i).ID] {
			n++
		}
	}
	return n
}

// victim is a node, more often than not one that leads a region at the corner.
func (w *storm) victim() int {
	r := w.s.Rand()
	if r.OneIn(3) {
		return r.Intn(len(w.nodes))
	}
	at := corner.Add(-int32(r.Intn(2)), 0, -int32(r.Intn(2))).Column().Region()
	return max(0, w.leaderOf(shards.Shard{Region: at}))
}

// blow lets something go wrong, or ends something that does.
func (w *storm) blow() {
	r, i := w.s.Rand(), w.victim()
	n := w.nodes[i]
	fine := w.well() > stormNodes/2+1
	switch k := r.Intn(16); {
	case n.Machine() == nil:
		w.note("node %d starts again", i)
		n.Restart()
	case n.Frozen():
		w.note("node %d goes on", i)
		n.Thaw()
	case k < 5 && fine:
		d := time.Duration(200+r.Intn(6000)) * time.Millisecond
		w.note("node %d is frozen for %v", i, d)
		n.Freeze()
		w.s.At(w.s.Now().Add(d), func() { n.Thaw() })
	case k < 8 && fine:
		d := time.Duration(r.Intn(8000)) * time.Millisecond
		if r.OneIn(3) {
			d += 2 * hostpolicy.ReplaceAfter
		}
		w.note("node %d is killed for %v", i, d)
		n.Crash()
		w.s.At(w.s.Now().Add(d), func() {
			if n.Machine() == nil {
				n.Restart()
			}
		})
	case k < 12 && w.s.Config().Internet != nil:
		clear(w.off)
		if r.OneIn(3) || !fine {
			w.note("all can reach each other")
			return
		}
		w.off[nodePeer(i).ID], w.oneWay = true, r.OneIn(3)
		w.note("node %d is cut off, one way %v", i, w.oneWay)
	case k == 12:
		d := time.Duration(r.Intn(6000)) * time.Millisecond
		w.note("the disk of node %d is full for %v", i, d)
		n.Disk.Full = true
		w.s.At(w.s.Now().Add(d), func() { n.Disk.Full = false })
	case k == 13:
		now := w.s.Now()
		a := w.ahead[i]
		a = slewed{a.at(now), a.to + time.Duration(r.Intn(2000))*time.Millisecond, now}
		w.ahead[i] = a
		w.note("the clock of node %d goes from %v to %v ahead", i, a.from, a.to)
	}
}

// rage lets the storm blow so many times, and then everybody come back.
func (w *storm) rage(times int) {
	for range times {
		w.s.Run(time.Duration(w.s.Rand().Intn(3000)) * time.Millisecond)
		w.blow()
		w.checkLeaders()
	}
	clear(w.off)
	for _, n := range w.nodes {
		n.Thaw()
		n.Disk.Full = false
		if n.Machine() == nil {
			n.Restart()
		}
	}
	w.note("calm")
	w.s.Run(15 * time.Second)
	acked := 0
	debugName = os.Getenv("DBG")
	for _, g := range w.settlers {
		g.acked, g.quiet = 0, false
	}
	ok := w.s.RunUntil(func() bool {
		for _, g := range w.settlers {
			if g.acked < 2 {
				return false
			}
		}
		return true
	}, 3*time.Minute)
	for _, g := range w.settlers {
		if g.quiet = true; !ok {
			w.Errorf("when all is well again: %s at %v: link %v, in %v, %d acknowledged, %d pending, refused %v", g.name, g.home, g.link, g.in, g.acked, len(g.pending), g.refused)
		}
		acked += g.acked
	}
	w.s.Run(25 * time.Second) // what is asked again is asked every 5 s
	w.travel(w.reader)
}

// check reads the world as one of the settlers and from all disks, and
// compares it with what was acknowledged.
func (w *storm) check() (lots int) {
	w.Helper()
	reader := w.settlers[0]
	for _, g := range w.settlers {
		for _, l := range g.lots {
			l.asked = 0
		}
	}
	clear(reader.columns)
	for i, all := 0, false; i < 12 && !all; i++ { // a host may change now too
		reader.env.SetTimer(reader.env.Now(), machine.Timer{Kind: timerLook})
		w.s.Run(10 * time.Second)
		all = true
		for _, l := range reader.lots {
			all = all && reader.columns[l.at.Column()] != nil
		}
	}
	for _, g := range w.settlers {
		for _, l := range g.lots {
			c := reader.columns[l.at.Column()]
			if c == nil {
				w.Errorf("%v cannot be read: the reader %s by %s: link %v, in %v, home %v, heard %v ago, watches %v", l.at.Column(), reader.name,
					reader.node.ID.Short(), reader.link, reader.in, reader.home, w.s.Now().Sub(reader.heard), reader.watching)
				break
			}
			if b := c.At(int(l.at.X&31), int(l.at.Y), int(l.at.Z&31)); !l.may[b] {
				w.Errorf("at the end: %s: %v is there, %v", g.name, b, l)
			}
			lots += len(l.story)
		}
		for _, x := range g.wrong {
			w.Error(x)
		}
		for seq, p := range g.pending {
			w.Errorf("%s: act %d, %.2f s, has no answer", g.name, seq, g.since(p.at))
		}
		if n := int(g.items[purseSlot].Count); n < g.purse.least || n > g.purse.most {
			w.Errorf("%s has %d coins at the end, there should be %d to %d", g.name, n, g.purse.least, g.purse.most)
		}
	}
	w.compareDisks()
	if w.Failed() {
		for _, l := range w.log {
			w.Log(l)
		}
		w.dump(shards.Lobby)
		for dx := range int32(2) {
			for dz := range int32(2) {
				p := shards.Shard{Region: corner.Add(-dx, 0, -dz).Column().Region()}
				w.Log(p)
				w.dump(p)
			}
		}
	}
	return lots
}

// comparedCopies is how many regions were compared as they are logged and as they are kept.
// All hosts are honest: none is suspected of letting others keep something else.
func (w *storm) comparedCopies() (compared uint64) {
	for i, x := range w.nodes {
		if x.Machine() != nil {
			c := w.node(i).Stats().Counts
			compared += c.CopiesCompared
			if c.CopiesFalse > 0 {
				w.Errorf("node %d suspects honest hosts: %q", i, w.notes)
			}
		}
	}
	return compared
}

// compareDisks: replicas that have come equally far are equal.
func (w *storm) compareDisks() {
	type copyOf struct {
		node int
		kept group.SavedState
		kvs  []machine.KV
	}
	newest := map[string]copyOf{}
	for i, n := range w.nodes {
		for _, space := range n.Disk.Spaces() {
			p, ok := shards.InSpace(space)
			if !ok {
				continue
			}
			kept, err := group.ReadSavedState(n.Disk.All(group.OwnSpace(space)))
			if err != nil {
				w.Errorf("node %d: %s: %v", i, space, err)
				continue
			}
			if kept.Removed {
				continue
			}
			c := copyOf{i, kept, n.Disk.All(space)}
			o, ok := newest[space]
			switch {
			case !ok || kept.Gen.Compare(o.kept.Gen) > 0 || kept.Gen == o.kept.Gen && kept.Applied > o.kept.Applied:
				newest[space] = c
			case kept.Gen == o.kept.Gen && kept.Applied == o.kept.Applied && !slices.EqualFunc(c.kvs, o.kvs, sameKV):
				w.Errorf("%v: nodes %d and %d differ at entry %d", p, o.node, i, kept.Applied)
			}
		}
	}
	for _, g := range w.settlers {
		for _, l := range g.lots {
			at := l.at.Column()
			c, ok := newest[region.Space(at.Region())]
			if !ok {
				continue
			}
			col, err := region.Stored(at, c.kvs, func(p world.ColumnPos) *world.Column {
				flat := flatChunks.Clone()
				flat.Pos = p
				return flat
			})
			if err != nil {
				w.Fatal(err)
			}
			if b := col.At(int(l.at.X&31), int(l.at.Y), int(l.at.Z&31)); !l.may[b] {
				w.Errorf("on the disk of node %d: %s: %v is there, %v", c.node, g.name, b, l)
			}
		}
	}
}

func sameKV(a, b machine.KV) bool {
	return string(a.Key) == string(b.Key) && string(a.Value) == string(b.Value)
}

// TestLongStorm: nothing that was acknowledged is lost, nothing that was refused is
// done, nothing is done late or twice, and all that is asked for is answered as
// long as somebody waits for it, whatever goes wrong. Of a failure run one
// seed again with SEED=n.
func TestLongStorm(t *testing.T) {
	simtest.Long(t)
	edits, replayed := 0, uint64(0)
	var compared, unsigned, suspected, copied uint64
	var all common
	for _, seed := range seeds(t, 12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			cfg := sim.Config{Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond}
			if seed%2 == 0 {
				cfg = wide()
			}
			w := newStorm(t, seed, cfg)
			w.rage(25)
			edits += w.check()
			replayed += w.replayed()
			copied += w.comparedCopies()
			c, u, x := w.compared()
			compared, unsigned, suspected = compared+c, unsigned+u, suspected+x
			for _, g := range w.settlers {
				all.add(g.common)
			}
		})
	}
	t.Logf("%d edits, %d ticks of others replayed; chests and doors: %+v", edits, replayed, all)
	t.Logf("%d columns compared with what is signed, %d statements about others than came, %d leaders suspected, %d copies compared", compared, unsigned, suspected, copied)
	if edits == 0 || replayed == 0 || compared == 0 || copied == 0 || all.placed == 0 || all.stored == 0 || all.turned == 0 || all.broken == 0 {
		t.Fatal("nobody edited, or replayed, or used chests and doors")
	}
}
