package kademlialab

import (
	"fmt"
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Lookups = lab.Experiment{
	Name:          "kademlia-lookups",
	Shows:         "how many nodes a lookup contacts as the network grows, and whether it finds the k closest; at the end also while nodes come and go",
	Source:        "dissertation figure 4.2",
	Deterministic: true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "3000", Text: "size of the network at the end; the full size is 100000"},
		{Name: "lookups", Default: "300", Text: "lookups at each size"},
		{Name: "paths", Default: "1", Text: "disjoint paths of a lookup"},
		{Name: "build", Default: "join", Text: "join: nodes join one after the other; fill: tables are filled as those of a settled network, a network for each size"},
		{Name: "loss", Default: "0.01", Text: "share of datagrams that are lost"},
		{Name: "rate", Default: "200", Unit: "1/s", Text: "nodes that join, at most"},
		{Name: "churn", Default: "10", Unit: "min", Text: "of churn at the end; 0: none"},
		{Name: "session", Default: "60", Unit: "min", Text: "mean time that a node stays; all fail silently"},
	},
	Run: runKademliaLookups,
}

func runKademliaLookups(t *lab.Trial) error {
	nodes, lookups, paths := t.Int("nodes", 10), t.Int("lookups", 1), t.Int("paths", 1)
	build := t.Text("build")
	if build != "join" && build != "fill" {
		t.Reject("build", "join or fill")
	}
	loss, rate, churn, session := t.Float("loss", 0), t.Float("rate", 0.1), t.Float("churn", 0), t.Float("session", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	begin := time.Now()
	n := newKadNet(t.Seed, loss, kademlia.Config{Paths: paths})
	peak := 0.0
	step := func() error {
		peak = max(peak, lab.ReadMemory().Resident)
		t.Logf("%d nodes, %v", len(n.live), time.Since(begin).Round(time.Second))
		return t.Context.Err()
	}
	table := lab.Table{Name: "lookups", Title: "Lookups by size of the network (figure 4.2)", Columns: []string{
		"nodes", "contacted", "without answer", "found %", "of the k closest %", "ms p50", "ms p99", "contacts"}}
	curve := lab.Series{Name: "nodes contacted"}
	static, grown := kadTally{}, [][2]float64(nil)
	for _, size := range sizesUpTo(nodes) {
		if build == "fill" {
			n = newKadNet(t.Seed, loss, n.cfg)
			n.fill(size, func() bool { return false })
		}
		if err := n.grow(size, rate, func() bool { return false }, step); err != nil {
			return err
		}
		s := n.measure(lookups, func() {})
		n.row(&table, fmt.Sprint(size), s)
		curve.Points = append(curve.Points, [2]float64{math.Log2(float64(size)), lab.Mean(s.asked)})
		if size > 2*n.k() { // below, everybody is asked
			grown = append(grown, curve.Points[len(curve.Points)-1])
		}
		static.lookups, static.exact = static.lookups+s.lookups, static.exact+s.exact
		static.asked = s.asked
	}
	t.Metric("found_share", static.share(), "")
	t.Metric("contacted_mean", lab.Mean(static.asked), "")
	slope, r2 := fitLine(grown)
	t.Metric("contacted_per_doubling", slope, "")
	t.Metric("log_fit_r2", r2, "")
	if churn > 0 {
		s := n.churn(lookups, time.Duration(churn*float64(time.Minute)), time.Duration(session*float64(time.Minute)))
		n.row(&table, fmt.Sprintf("%d, churn", nodes), s)
		t.Metric("churn_found_share", s.share(), "")
		t.Metric("churn_contacted_mean", lab.Mean(s.asked), "")
	}
	if err := step(); err != nil {
		return err
	}
	t.Table(table)
	t.Plot(lab.Plot{Name: "contacted", Title: "Nodes contacted in a lookup (figure 4.2)", X: "log2 of the number of nodes", Y: "nodes", Series: []lab.Series{curve}})
	t.Metric("events", float64(n.sim.Events()), "")
	t.Fact("trace", fmt.Sprintf("%016x", n.sim.Trace()))
	t.Logf("%.0f s, %.0f MB", time.Since(begin).Seconds(), peak)
	return nil
}

// sizesUpTo are the sizes at which is measured: 10, 32, 100, … and the last.
func sizesUpTo(nodes int) (out []int) {
	for e := 1.0; ; e += 0.5 {
		size := int(math.Round(math.Pow(10, e)))
		if size >= nodes {
			return append(out, nodes)
		}
		out = append(out, size)
	}
}

func (n *kadNet) row(table *lab.Table, name string, s *kadTally) {
	contacts := 0
	for _, o := range n.live {
		contacts += o.kad.Table().Len()
	}
	table.Row(name, lab.Mean(s.asked), lab.Mean(s.failed), 100*s.share(), 100*s.recall(),
		lab.Percentile(s.took, 0.5), lab.Percentile(s.took, 0.99), float64(contacts)/float64(len(n.live)))
}

// churn lets nodes fail silently and others join while lookups run, all through
// the time given.
func (n *kadNet) churn(lookups int, length, session time.Duration) *kadTally {
	until := n.sim.Now().Add(length)
	gap := session / time.Duration(len(n.live))
	next := n.sim.Now()
	turnover := func() {
		for ; next < n.sim.Now() && n.sim.Now() < until; next = next.Add(gap) {
			n.remove(n.live[n.rand.Intn(len(n.live))])
			n.add(false)
		}
	}
	for n.sim.Now() < until.Add(-time.Duration(lookups)*time.Second/8) { // the tables age
		n.sim.Run(time.Second)
		turnover()
	}
	return n.measure(lookups, turnover)
}

// fitLine returns the slope of the straight line nearest to the points and how
// well it fits (R²).
func fitLine(points [][2]float64) (slope, r2 float64) {
	var x, y []float64
	for _, p := range points {
		x, y = append(x, p[0]), append(y, p[1])
	}
	mx, my := lab.Mean(x), lab.Mean(y)
	var sxy, sxx, syy float64
	for i := range x {
		sxy += (x[i] - mx) * (y[i] - my)
		sxx += (x[i] - mx) * (x[i] - mx)
		syy += (y[i] - my) * (y[i] - my)
	}
	return lab.Finite(sxy / sxx), lab.Finite(sxy * sxy / (sxx * syy))
}
