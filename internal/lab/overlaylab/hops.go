package overlaylab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

var Hops = lab.Experiment{
	Name:          "overlay-hops",
	Shows:         "how far unicasts and areacasts travel in overlays of different sizes, and how many arrive while nodes come, leave and fail",
	Source:        "thesis 4.2.4 (as many hops as a key has digits at most), 4.7, 4.9",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "50,100,200,400", Text: "how many nodes there are"},
		{Name: "r", Default: "4", Text: "zones"},
		{Name: "messages", Default: "200", Text: "of each kind, without churn and with it"},
		{Name: "session", Default: "10", Unit: "min", Text: "how long a node stays on average, under churn; the thesis has 120"},
		{Name: "silent", Default: "3", Text: "every so many of those who go fail silently; 0: none, as in the thesis"},
		{Name: "ping", Default: "10", Unit: "s", Text: "how often links are looked after: a failure is noticed so much later"},
	},
	Differs: differsHops,
	Run:     runOverlayHops,
}

// hopsRun is one network, as a value.
type hopsRun struct {
	Nodes, R, Messages int
	Session            float64 // minutes
	Silent             int     // every so many fail; 0: none
	Ping               float64 // seconds
	Seed               uint64
}

func (o hopsRun) Name() string {
	return fmt.Sprintf("overlay-hops-n%d-r%d-m%d-s%g-f%d-p%g-seed%d", o.Nodes, o.R, o.Messages, o.Session, o.Silent, o.Ping, o.Seed)
}

func (o hopsRun) title() string {
	s := fmt.Sprintf("Messages while nodes stay %g minutes on average", o.Session)
	switch o.Silent {
	case 0:
		return s + " and say when they go"
	case 1:
		return s + fmt.Sprintf(" and fail silently, noticed by pings every %g s", o.Ping)
	}
	return s + fmt.Sprintf("; every %d. fails silently, noticed by pings every %g s", o.Silent, o.Ping)
}

type hopsResult struct {
	Quiet              scenarioResult
	P99, Most          float64 // hops of unicasts
	Depth, DepthMost   float64 // hops of areacasts to the last who received them
	Degree             float64
	Sent, Got, Twice   int // unicasts under churn
	Wanted, Had, Again int // areacasts under churn: nodes that should have got one, that have, more than once
	Astray             int // areacasts that nobody got: lost before they reached their area
	AstrayWanted       int // who should have got those
}

func (o hopsRun) Do(ctx context.Context) (r hopsResult, err error) {
	n := newOverlayNet(o.Seed, overlay.SpaceFor(o.R), 20*o.Nodes, func(in *sim.Internet) { in.Ping = lab.Duration(o.Ping) })
	n.mail = &mailbox{}
	n.grow(o.Nodes)
	for !n.exact() {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if n.sim.Now().Sub(0) > scenarioPatience {
			return r, fmt.Errorf("the neighbourhoods are not the Delaunay graph after %v", scenarioPatience)
		}
		n.sim.Run(time.Second)
	}
	n.sim.Run(2 * time.Minute) // routing tables fill
	r.Quiet.Nodes = len(n.live())
	n.sendUnicasts(&r.Quiet, o.Messages)
	r.P99, r.Most = lab.Percentile(n.mail.hops, .99), slices.Max(append(n.mail.hops, 0))
	n.sendAreacasts(&r.Quiet, o.Messages)
	var depths []float64
	for k := range o.Messages {
		if d, ok := n.mail.depth[k]; ok {
			depths = append(depths, d)
		}
	}
	r.Depth, r.DepthMost = lab.Mean(depths), slices.Max(append(depths, 0))
	for _, p := range n.live() {
		r.Degree += float64(len(p.machine().Neighbours(nil))) / float64(r.Quiet.Nodes)
	}
	return r, o.churn(ctx, n, &r)
}

// churn sends messages while a node goes and another comes, so often that each
// stays for Session on average.
func (o hopsRun) churn(ctx context.Context, n *overlayNet, r *hopsResult) error {
	n.mail.unicasts, n.mail.areacasts = map[int][]*overlayNode{}, map[int][]*overlayNode{}
	every := time.Duration(o.Session * float64(time.Minute) / float64(o.Nodes))
	next, turn := n.sim.Now().Add(every), 0
	wanted := make([][]*overlayNode, o.Messages)
	for k := range o.Messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		live := n.live()
		from := live[n.sim.Rand().Intn(len(live))]
		to := n.anywhere()
		from.Call(func() { from.machine().Unicast(to, k) })
		from = live[n.sim.Rand().Intn(len(live))]
		size := 1 + n.sim.Rand().Intn(int(n.space.Side())/6)
		area := overlay.Area{Circle: geom.Circle{C: n.anywhere(), R: int32(size)}}
		for _, p := range live {
			if p.joined && area.Overlaps(p.machine().Cell(nil)) { // who is joining knows nobody yet, and takes the whole world for its cell
				wanted[k] = append(wanted[k], p)
			}
		}
		from.Call(func() { from.machine().Areacast(area, k) })
		n.sim.Run(time.Second)
		for ; n.sim.Now() >= next; next = next.Add(every) {
			live := n.live()
			if gone := live[n.sim.Rand().Intn(len(live))]; o.Silent > 0 && turn%o.Silent == 0 {
				n.crash(gone)
			} else {
				gone.Stop()
			}
			n.add()
			turn++
		}
	}
	n.sim.Run(time.Minute)
	for k := range o.Messages {
		r.Sent++
		r.Got += min(1, len(n.mail.unicasts[k]))
		r.Twice += max(0, len(n.mail.unicasts[k])-1)
		times := map[*overlayNode]int{}
		for _, p := range n.mail.areacasts[k] {
			if times[p]++; times[p] > 1 {
				r.Again++
			}
		}
		due := 0
		for _, p := range wanted[k] {
			if p.machine() != nil { // who has left meanwhile may have got it or not
				due++
				r.Had += min(1, times[p])
			}
		}
		r.Wanted += due
		if len(times) == 0 && due > 0 {
			r.Astray++
			r.AstrayWanted += due
		}
	}
	return nil
}

func runOverlayHops(t *lab.Trial) error {
	sizes, zones, messages, session := t.Ints("nodes", 4), t.Zones("r"), t.Int("messages", 1), t.Float("session", .1)
	silent, ping := t.Int("silent", 0), t.Float("ping", .1)
	if err := t.Settings(); err != nil {
		return err
	}
	var runs []hopsRun
	for _, r := range zones {
		for _, size := range sizes {
			for k := range t.Runs {
				runs = append(runs, hopsRun{size, r, messages, session, silent, ping, t.Seed + uint64(k)})
			}
		}
	}
	return lab.ReportAll(t, runs, reportHops)
}

func reportHops(t *lab.Trial, runs []hopsRun, results []hopsResult) (failed error) {
	quiet := lab.Table{Name: "hops", Title: "Hops in a quiet network",
		Columns: []string{"r", "nodes", "degree", "unicast hops", "p99", "at most", "areacast receivers", "hops to the last", "at most", "astray"}}
	churn := lab.Table{Name: "delivery", Title: runs[0].title(),
		Columns: []string{"r", "nodes", "unicasts", "received", "twice", "areacasts should reach", "reach", "lost on the way there", "lost within the area", "twice"}}
	for i := 0; i < len(runs); i += t.Runs {
		of, run := results[i:i+t.Runs], runs[i]
		avg := func(get func(hopsResult) float64) lab.Spread { return lab.Over(of, get) }
		sum := func(get func(hopsResult) int) (all int) {
			for _, r := range of {
				all += get(r)
			}
			return all
		}
		hops := avg(func(r hopsResult) float64 { return r.Quiet.Hops })
		astray := sum(func(r hopsResult) int { return r.Quiet.UnicastsWrong + r.Quiet.AreacastsWrong })
		if astray > 0 {
			failed = fmt.Errorf("%s: %d messages in a quiet network did not reach exactly those they are for", run.Name(), astray)
		}
		quiet.Row(run.R, run.Nodes, avg(func(r hopsResult) float64 { return r.Degree }).Mean, hops.PlusMinus(2),
			avg(func(r hopsResult) float64 { return r.P99 }).Mean, avg(func(r hopsResult) float64 { return r.Most }).Max,
			avg(func(r hopsResult) float64 { return r.Quiet.Receivers }).Mean, avg(func(r hopsResult) float64 { return r.Depth }).PlusMinus(2),
			avg(func(r hopsResult) float64 { return r.DepthMost }).Max, astray)
		sent, got := sum(func(r hopsResult) int { return r.Sent }), sum(func(r hopsResult) int { return r.Got })
		wanted, had := sum(func(r hopsResult) int { return r.Wanted }), sum(func(r hopsResult) int { return r.Had })
		astrayed := sum(func(r hopsResult) int { return r.AstrayWanted })
		reach := float64(had) / float64(max(wanted, 1))
		churn.Row(run.R, run.Nodes, sent, float64(got)/float64(sent), sum(func(r hopsResult) int { return r.Twice }),
			wanted, reach, float64(astrayed)/float64(max(wanted, 1)), float64(wanted-had-astrayed)/float64(max(wanted, 1)),
			sum(func(r hopsResult) int { return r.Again }))
		at := fmt.Sprintf("_r%d_n%d", run.R, run.Nodes)
		t.Metric("hops"+at, hops.Mean, "")
		t.Metric("unicasts_received"+at, float64(got)/float64(sent), "")
		t.Metric("areacasts_reach"+at, reach, "")
	}
	t.Table(quiet)
	t.Table(churn)
	return failed
}
