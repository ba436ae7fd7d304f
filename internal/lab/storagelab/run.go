package storagelab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// storageResult is all that the tables and figures want to know of a run. What
// is counted is what happens from t_0 until the last update is done.
type storageResult struct {
	Started, Nodes int
	Least, Most    int // nodes at a time
	Seconds        float64
	Sent           int64 // bytes on the link layer
	Types          []overlaylab.TrafficSum
	Queries        []storageQueries // by kind, and stores last
	Failed         int              // updates that nodes could not make

	Bandwidth   shape // upstream bytes a second, of nodes
	Stored      shape // bytes, of nodes, at the end
	Voronoi     shape // m², at each update
	Maintenance shape
	Update      shape // m² that are asked for
	Result      shape // bytes of what comes out
	UpMean      shape // ms that messages have waited for the channels, mean of each node
	UpMax       shape // and the longest
	DownMean    shape
	DownMax     shape

	Data *storageState // nil: not looked at

	Replays, Reused uint64
	Events          uint64
	Trace           string
}

// storageQueries are the retrievals of a kind.
type storageQueries struct {
	Kind             string
	Count            int
	None, Minority   int // without result; decided by less than half of the zones
	Incorrect        int // found what is not true, if that was looked at
	MedianMs, MeanMs float64
	Messages         float64 // answers
	Hops             float64
}

// shape describes how values are distributed over the nodes.
type shape struct {
	lab.Spread
	Median float64
}

func shapeOf(values []float64) shape {
	if len(values) == 0 {
		return shape{}
	}
	s := shape{Spread: lab.SpreadOf(values)}
	values = slices.Clone(values)
	slices.Sort(values)
	m := len(values) / 2
	s.Median = values[m]
	if len(values)%2 == 0 {
		s.Median = (values[m-1] + values[m]) / 2
	}
	return s
}

// storageProbe records what nodes do.
type storageProbe struct {
	net    *storageNet
	kinds  [messages.Kinds]storageKind
	hops   [messages.Kinds + 1]int64
	came   [messages.Kinds + 1]int64
	failed int
	right  func(*storage.Report) bool // nil: not looked at

	voronoi, maintenance, update, result []float64

	heard  func(storage.Report) // of every retrieval; nil: nobody
	signed func(*state.Batch)   // of what players sign; nil: nobody
}

type storageKind struct {
	count, answers, none, minority, wrong int64
	took                                  []float64 // ms
}

// Retrieved implements storage.Probe.
func (p *storageProbe) Retrieved(r storage.Report) {
	k := &p.kinds[r.Kind]
	k.count++
	k.answers += int64(r.Answers)
	k.took = append(k.took, r.Took.Seconds()*1000)
	if r.Votes == 0 {
		k.none++
	} else if 2*r.Votes < r.Zones {
		k.minority++
	}
	if p.heard != nil {
		p.heard(r)
	}
	if p.right != nil && !p.right(&r) {
		k.wrong++
	}
	if r.Kind == messages.ForUpdate {
		p.measure(r)
	}
}

// BatchSigned implements storage.Probe.
func (p *storageProbe) BatchSigned(b *state.Batch) {
	if p.signed != nil {
		p.signed(b)
	}
}

// measureLoad notes the areas of a node that has asked for its update area.
func (p *storageProbe) measure(r storage.Report) {
	square := float64(p.net.metre) * float64(p.net.metre)
	circle := func(c geom.Circle) float64 { return math.Pi * float64(c.R) * float64(c.R) / square }
	p.voronoi = append(p.voronoi, areaOf(r.By.Cell())/square)
	p.maintenance = append(p.maintenance, circle(r.By.Circle()))
	p.update = append(p.update, circle(r.Area.Circle))
	size := 0
	if r.Seen != nil {
		size = r.Seen.SizeOf(&r.Area, p.net.rules.World())
		for _, o := range r.Seen.Activated {
			size += o.Size
		}
	}
	p.result = append(p.result, float64(size))
}

// areaOf is the area of a polygon.
func areaOf(poly geom.Polygon) float64 {
	var twice float64
	for i, a := range poly {
		b := poly[(i+1)%len(poly)]
		twice += float64(a.X)*float64(b.Y) - float64(b.X)*float64(a.Y)
	}
	return math.Abs(twice) / 2
}

// Arrived implements storage.Probe.
func (p *storageProbe) Arrived(k storage.Arrival, hops int) {
	p.came[k]++
	p.hops[k] += int64(hops)
}

// Failed implements storage.Probe.
func (p *storageProbe) Failed(*storage.Node, int64) { p.failed++ }

func (p *storageProbe) queries() (out []storageQueries) {
	for k := range messages.Kinds {
		q := &p.kinds[k]
		s := shapeOf(q.took)
		out = append(out, storageQueries{
			Kind: k.String(), Count: int(q.count), None: int(q.none), Minority: int(q.minority), Incorrect: int(q.wrong), MedianMs: s.Median, MeanMs: s.Mean,
			Messages: float64(q.answers) / float64(max(1, q.count)),
			Hops:     float64(p.hops[k]) / float64(max(1, p.came[k])),
		})
	}
	n := p.came[storage.ArrivedStore]
	return append(out, storageQueries{Kind: "store", Count: int(n), Hops: float64(p.hops[storage.ArrivedStore]) / float64(max(1, n))})
}

func (o storageRun) Do(ctx context.Context) (storageResult, error) {
	n := newStorageNet(o)
	if o.Check {
		n.follow()
	}
	least, most := math.MaxInt, 0
	_, err := n.do(ctx, func() {
		if n.sim.Now() > n.begin {
			k := len(n.live())
			least, most = min(least, k), max(most, k)
		}
	})
	if err != nil {
		return storageResult{}, err
	}
	r := n.result()
	r.Least, r.Most = least, most
	return r, nil
}

// carried is what messages of the storage are told apart by.
func carried(m machine.Message) any {
	switch m := m.(type) {
	case *overlay.Unicast:
		return m.Body
	case *overlay.Areacast:
		return m.Body
	}
	return m
}

// result collects what a run has shown.
func (n *storageNet) result() storageResult {
	p, traffic := &n.probe, &n.traffic
	r := storageResult{
		Started: n.started, Nodes: len(n.live()), Seconds: (time.Duration(n.run.updates()) * storageInterval).Seconds(),
		Queries: p.queries(), Failed: p.failed, Types: overlaylab.RowsOf(traffic),
		Voronoi: shapeOf(p.voronoi), Maintenance: shapeOf(p.maintenance), Update: shapeOf(p.update), Result: shapeOf(p.result),
		Replays: n.memo.Steps, Reused: n.memo.Hits,
		Events: n.sim.Events(), Trace: fmt.Sprintf("%016x", n.sim.Trace()),
	}
	if n.truth != nil {
		r.Data = n.look()
	}
	var rates, stored []float64
	waits := [4][]float64{}
	for i, o := range n.all[:n.started] {
		if i < len(traffic.Sent) {
			r.Sent += traffic.Sent[i]
		}
		if o.machine() == nil {
			continue
		}
		if i < len(traffic.Sent) {
			rates = append(rates, float64(traffic.Sent[i])/r.Seconds)
		}
		stored = append(stored, float64(o.stored()))
		for k, list := range [...][]sim.Wait{traffic.Up, traffic.Down} {
			if i < len(list) && list[i].Messages > 0 {
				waits[2*k] = append(waits[2*k], float64(list[i].Sum)/1e6/float64(list[i].Messages))
				waits[2*k+1] = append(waits[2*k+1], float64(list[i].Max)/1e6)
			}
		}
	}
	r.Bandwidth, r.Stored = shapeOf(rates), shapeOf(stored)
	r.UpMean, r.UpMax, r.DownMean, r.DownMax = shapeOf(waits[0]), shapeOf(waits[1]), shapeOf(waits[2]), shapeOf(waits[3])
	return r
}

// stored is how many bytes of the world a node holds.
func (n *storageNode) stored() (size int) {
	m := n.machine()
	for _, o := range m.Static() {
		size += o.Size
	}
	if s := m.State(); s != nil {
		for _, o := range s.Objects(&s.Cover, m.World(), nil) {
			size += o.Size
		}
	}
	return size
}
