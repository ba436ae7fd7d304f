package overlaylab

import (
	"context"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// overlayRun is one simulation of the overlay (thesis 6.3.1), as a value.
type overlayRun struct {
	IAD   float64 // mean time between two arrivals, in seconds
	R     int     // zones
	Hours float64
	Seed  uint64
	// Wide gives nodes the whole sub-areas of 4.5.4, see narrowSetting.
	Wide bool
	// Start is how many nodes join within the first ten minutes (6.4.1); 0 begins
	// with nobody.
	Start int
	// Honest and Malicious: once so many honest nodes have joined, so many
	// malicious ones do, and stay (6.3.4).
	Honest, Malicious int
	Wary              bool // attack.Greedy
}

// SetUp is how long the first nodes take to join (6.4.1).
const SetUp = 10 * time.Minute

func (o overlayRun) Name() string {
	s := fmt.Sprintf("overlay-iad%g-r%d-%gh", o.IAD, o.R, o.Hours)
	if o.Start > 0 {
		s += fmt.Sprintf("-start%d", o.Start)
	}
	if o.Malicious > 0 {
		s += fmt.Sprintf("-h%d-m%d", o.Honest, o.Malicious)
	}
	if o.Wary {
		s += "-wary"
	}
	if o.Wide {
		s += "-wide"
	}
	return fmt.Sprintf("%s-seed%d", s, o.Seed)
}

// narrowSetting is where nodes stand with r = 9.
var narrowSetting = lab.Setting{Name: "narrow", Default: "yes", Text: "yes: with r = 9 nodes stand in the first ninth of their zones, as the thesis' must have; no: in the whole sub-area of 4.5.4"}

func thesisSpace(r int, narrow bool) overlay.Space {
	s := overlay.SpaceFor(r)
	s.Narrow = narrow
	return s
}

// overlayResult is all that the tables and figures want to know of a run.
type overlayResult struct {
	Started, Nodes  int
	Wrong, Shaky    int // neighbourhoods that are not the Delaunay star; unstable nodes
	Degree          lab.Spread
	Fill            lab.Spread // filled share of all table entries
	FillTop         lab.Spread // of the top layer's
	Fourth          []int      // nodes by how many entries of the fourth layer they have
	Fillable        int        // entries for which there is a node
	Filled          int
	Closest         int // entries with the node nearest to their target
	Symmetric       int
	Traffic         []TrafficSum
	UpstreamBs      float64    // bytes a second on the link layer, mean over all nodes that ever were
	Malicious       lab.Spread // share in the tables of honest nodes
	MaliciousTop    lab.Spread // in their top layers
	Eclipsed        int        // nodes to whom the bootstrapping service named malicious ones only
	Caught, Wronged int        // malicious, honest nodes that are kept out of tables (overlay.Distrusts), summed over the honest nodes' tables
	Events          uint64
	Trace           string
}

// TrafficSum is the messages of one type.
type TrafficSum struct {
	Type                     string
	Messages, Payload, Gross int64
	Hops, DelayMs            float64 // means
}

func (o overlayRun) Do(ctx context.Context) (overlayResult, error) {
	n, err := o.simulate(ctx)
	if err != nil {
		return overlayResult{}, err
	}
	s := n.look()
	r := overlayResult{
		Started: len(n.nodes), Nodes: s.nodes, Wrong: s.wrong, Shaky: s.shaky,
		Degree: lab.SpreadOf(s.degree), Fill: lab.SpreadOf(s.fill), FillTop: lab.SpreadOf(s.fillTop), Fourth: s.fourth,
		Fillable: s.fillable, Filled: s.filled, Closest: s.closest, Symmetric: s.symmetric,
		Traffic: n.trafficRows(), UpstreamBs: n.upstream(),
		Malicious: lab.SpreadOf(s.malicious), MaliciousTop: lab.SpreadOf(s.maliciousTop), Eclipsed: n.eclipsed,
		Caught: n.distrusted(true), Wronged: n.distrusted(false),
		Events: n.sim.Events(), Trace: fmt.Sprintf("%016x", n.sim.Trace()),
	}
	return r, nil
}

// simulate runs it to its end.
func (o overlayRun) simulate(ctx context.Context) (*overlayNet, error) {
	n := newOverlayNet(o.Seed, thesisSpace(o.R, !o.Wide), max(IDs, int((o.Hours*3600/o.IAD+float64(o.Start+o.Malicious))*1.3)))
	length := time.Duration(o.Hours * float64(time.Hour))
	for k := range o.Start {
		n.sim.At(machine.Time(SetUp)*machine.Time(k)/machine.Time(o.Start), func() {
			if node := n.add(); node != nil {
				n.sim.Session(node, sim.Churn{Session: Session, Until: machine.Time(length - time.Minute)})
			}
		})
	}
	n.attackAt, n.attackers, n.wary = o.Honest, o.Malicious, o.Wary
	n.sim.At(machine.Time(time.Duration(min(o.Start, 1))*SetUp), func() {
		n.churn(lab.Duration(o.IAD), Session, length-n.sim.Now().Sub(0))
	})
	for step := length / 200; n.sim.Now() < machine.Time(length); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n.sim.Run(step)
		lab.Progress(ctx, n.sim.Now().Sub(0), length)
	}
	return n, nil
}

// Session is how long a player stays on average (6.2.3).
const Session = 2 * time.Hour

func (n *overlayNet) trafficRows() []TrafficSum { return RowsOf(&n.traffic) }

func RowsOf(t *sim.Traffic) (out []TrafficSum) {
	rows := append(t.Rows(), t.Control)
	rows[len(rows)-1].Name = handshakes
	for _, r := range rows {
		k := max(1, float64(r.Messages))
		out = append(out, TrafficSum{r.Name, r.Messages, r.Payload, r.Gross, float64(r.Hops) / k, r.Delay.Seconds() * 1000 / k})
	}
	return out
}

// handshakes is the name of what the network itself sends.
const handshakes = "handshakes, closings"

// upstream is what a node sends on the link layer in a second of its life, the
// mean over all nodes (figure 6.6).
func (n *overlayNet) upstream() float64 {
	var rates []float64
	for i, bytes := range n.traffic.Sent {
		o := n.nodes[i]
		left := o.left
		if o.machine() != nil {
			left = n.sim.Now()
		}
		if life := left.Sub(o.came).Seconds(); life > 0 {
			rates = append(rates, float64(bytes)/life)
		}
	}
	return lab.Mean(rates)
}
