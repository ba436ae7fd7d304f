package kademlialab

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Attack = lab.Experiment{
	Name:          "kademlia-attack",
	Shows:         "lookups among malicious nodes: over one path and over several that share no node, and whether records are found when attackers surround their keys",
	Source:        "S/Kademlia (Baumgart and Mies 2007), section 5",
	Deterministic: true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "1000", Text: "honest and malicious ones together"},
		{Name: "build", Default: "fill", Text: "fill: tables are filled as those of a settled network; join: nodes join one after the other, among attackers"},
		{Name: "share", Default: "0.2", Text: "of malicious nodes"},
		{Name: "lookups", Default: "150", Text: "in each network"},
		{Name: "attack", Default: "collude", Text: "what malicious nodes answer: collude (name each other), ghosts (name nodes that do not exist), silent (nothing), or all three one after the other"},
		{Name: "paths", Default: "1,2,4,8", Text: "disjoint paths, one network for each; the last is what found_share tells of"},
		{Name: "sybils", Default: "10", Text: "attackers with ids next to a record's key, of which there are 20"},
	},
	Run: runKademliaAttack,
}

// theory is what S/Kademlia's paths should find with 20 % malicious nodes and
// lookups of 4 and of 3 hops: 1 − (1 − 0.8^h)^d.
var kadTheory = map[int][2]float64{1: {41, 51}, 2: {65, 76}, 4: {88, 94}, 8: {98.5, 99.7}}

func runKademliaAttack(t *lab.Trial) error {
	nodes, share, lookups, sybils := t.Int("nodes", 50), t.Float("share", 0), t.Int("lookups", 1), t.Int("sybils", 0)
	paths := t.Ints("paths", 1)
	if build := t.Text("build"); build != "join" && build != "fill" {
		t.Reject("build", "join or fill")
	}
	attacks := kadAttacks
	if what := t.Text("attack"); what != "all" {
		if attacks = []string{what}; !slices.Contains(kadAttacks, what) {
			t.Reject("attack", "collude, ghosts, silent or all")
		}
	}
	if share > 0.9 {
		t.Reject("share", "at most 0.9")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	table := lab.Table{Name: "attack", Title: fmt.Sprintf("Lookups with %.0f %% malicious nodes", 100*share), Columns: []string{
		"attack", "paths", "found %", "theory %", "of the k closest %", "contacted", "without answer", "ms p50", "ms p99"}}
	records := lab.Table{Name: "sybils", Title: fmt.Sprintf("Records with %d Sybils at their keys", sybils), Columns: []string{
		"paths", "found %", "stored copies"}}
	lines := map[string]*lab.Series{}
	var took []float64 // of lookups over the most paths
	for _, d := range paths {
		worst := 1.0
		for _, what := range attacks {
			n, err := attackedNet(t, what, nodes, share, d)
			if err != nil {
				return err
			}
			s := n.measure(lookups, func() {})
			theory := "–"
			if v, ok := kadTheory[d]; ok && share == 0.2 && what != attackSilent {
				theory = fmt.Sprintf("%g–%g", v[0], v[1])
			}
			table.Row(what, d, 100*s.share(), theory, 100*s.recall(), lab.Mean(s.asked), lab.Mean(s.failed), lab.Percentile(s.took, 0.5), lab.Percentile(s.took, 0.99))
			if lines[what] == nil {
				lines[what] = &lab.Series{Name: what}
			}
			lines[what].Points = append(lines[what].Points, [2]float64{float64(d), 100 * s.share()})
			worst = min(worst, s.share())
			if d == paths[len(paths)-1] {
				took = append(took, s.took...)
			}
			t.Metric(fmt.Sprintf("found_share_%s_%d", what, d), s.share(), "")
			if what == attackCollude {
				found, copies := n.siege(sybils, 20)
				records.Row(d, 100*found, copies)
				t.Metric(fmt.Sprintf("sybil_found_share_%d", d), found, "")
			}
		}
		if d == paths[len(paths)-1] {
			t.Metric("found_share", worst, "")
			t.Metric("p50_ms", lab.Percentile(took, 0.5), "ms")
			t.Metric("p99_ms", lab.Percentile(took, 0.99), "ms")
		}
	}
	plot := lab.Plot{Name: "attack", Title: "Lookups that find the k closest", X: "disjoint paths", Y: "%"}
	for _, what := range attacks {
		plot.Series = append(plot.Series, *lines[what])
	}
	var low, high lab.Series
	for _, d := range paths {
		if v, ok := kadTheory[d]; ok && share == 0.2 {
			low.Points = append(low.Points, [2]float64{float64(d), v[0]})
			high.Points = append(high.Points, [2]float64{float64(d), v[1]})
		}
	}
	low.Name, low.Dashed, high.Name, high.Dashed = "theory, 4 hops", true, "theory, 3 hops", true
	plot.Series = append(plot.Series, low, high)
	t.Table(table)
	t.Table(records)
	t.Plot(plot)
	return nil
}

// attackedNet is a network that has grown with attackers in it.
func attackedNet(t *lab.Trial, what string, nodes int, share float64, paths int) (*kadNet, error) {
	n := newKadNet(t.Seed, 0.01, kademlia.Config{Paths: paths})
	gang := &kadGang{what: what}
	n.gang = gang
	n.wrap = func(m machine.Machine, env machine.Env, o *kadNode) machine.Machine {
		if !o.bad {
			return m
		}
		return &kadAttacker{Machine: m, env: env, gang: gang}
	}
	draw := rng.New(t.Seed, 0xbad)
	bad := func() bool { return len(n.live) > 0 && draw.Float64() < share }
	if t.Text("build") == "fill" {
		n.fill(nodes, bad)
	}
	err := n.grow(nodes, 20, bad, func() error {
		t.Logf("%s, %d paths: %d nodes", what, paths, len(n.live))
		return t.Context.Err()
	})
	n.sim.Run(time.Minute)
	return n, err
}

// siege stores records and then puts attackers next to their keys; it returns
// the share of searches that find a record all the same, and how many copies of
// each honest nodes hold.
func (n *kadNet) siege(sybils, records int) (found, copies float64) {
	keys := make([]id.ID, records)
	for i := range keys {
		keys[i] = id.Of(fmt.Append(nil, "record ", i))
		rec := &kademlia.Record{Kind: kademlia.Chunk, Key: keys[i], Version: 1, Until: n.sim.Now().Add(time.Hour)}
		by := n.honest()
		by.Call(func() { by.kad.Publish(0, rec) })
	}
	n.sim.Run(10 * time.Second)
	for k := range sybils {
		for _, key := range keys {
			self := machine.Peer{ID: key}
			self.ID[7] ^= byte(k + 1) // 56 bits in common
			n.addAs(self, true)
		}
		n.sim.Run(time.Second)
	}
	n.sim.Run(10 * time.Second)
	const rounds = 10
	for range rounds {
		for _, key := range keys {
			o := n.honest()
			o.found = func(r kademlia.Result) {
				if r.Record != nil {
					found++
				}
			}
			o.Call(func() { o.kad.Find(0, kademlia.Chunk, key) })
		}
		n.sim.Run(20 * time.Second)
		for _, o := range n.live {
			o.found = nil
		}
	}
	for _, o := range n.live {
		for _, key := range keys {
			if !o.bad && o.kad.Holds(kademlia.Chunk, key) {
				copies++
			}
		}
	}
	return found / float64(rounds*records), copies / float64(records)
}

// honest is a random honest node that looks for nothing.
func (n *kadNet) honest() *kadNode {
	for {
		if o := n.live[n.rand.Intn(len(n.live))]; !o.bad && o.found == nil {
			return o
		}
	}
}
