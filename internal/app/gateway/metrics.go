package gateway

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// Stats is what the node tells operators.
type Stats struct {
	transport.Stats
	Tick    uint64 `json:"tick"`
	Players int    `json:"players"`
	Regions int    `json:"regions"` // awake
	Writes  int    `json:"writes"`  // on their way to the disk
	// Ticks is how long the ticks of all regions took lately, Slowest the
	// regions whose ticks take longest, the slowest first.
	Ticks   timing.Histogram `json:"-"`
	Slowest []RegionLoad     `json:"slowest"`
	Hosting Hosting          `json:"hosting"`
	Disk    Disk             `json:"disk"`
}

// RegionLoad is what a region costs. Times are in milliseconds.
type RegionLoad struct {
	X       int32   `json:"x"`
	Z       int32   `json:"z"`
	Players int     `json:"players"`
	Mobs    int     `json:"mobs"`
	Watched int     `json:"watched"` // by so many sessions
	P50     float64 `json:"tick_p50_ms"`
	P99     float64 `json:"tick_p99_ms"`
	Max     float64 `json:"tick_max_ms"`
}

// SetTicks fills in the times.
func (l *RegionLoad) SetTicks(h *timing.Histogram) {
	l.P50, l.P99, l.Max = quantile(h, 0.5), quantile(h, 0.99), quantile(h, 1)
}

// statsTime bounds how long the node may take to tell its figures.
const statsTime = 2 * time.Second

type metrics struct {
	registry *prometheus.Registry
	refusals *prometheus.CounterVec
	joined   prometheus.Counter
	drops    prometheus.Counter
}

func newMetrics(g *Gateway) *metrics {
	m := &metrics{
		registry: g.cfg.Metrics,
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "voxelpopuli_refusals_total", Help: "Requests and connections refused or ended, by code."}, []string{"code"}),
		joined: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "voxelpopuli_joins_total", Help: "Players that came in."}),
		drops: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "voxelpopuli_slow_drops_total", Help: "Connections dropped because they read too slowly."}),
	}
	if m.registry == nil {
		m.registry = prometheus.NewRegistry()
		m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	m.registry.MustRegister(m.refusals, m.joined, m.drops)
	count := func(name, help string, read func() uint64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(read()) }))
	}
	t := &g.traffic
	count("voxelpopuli_received_bytes_total", "Bytes received, of all connections.", t.bytesIn.Load)
	count("voxelpopuli_sent_bytes_total", "Bytes sent, of all connections.", t.bytesOut.Load)
	count("voxelpopuli_received_messages_total", "Messages of clients.", t.messagesIn.Load)
	count("voxelpopuli_sent_messages_total", "Messages to clients.", t.messagesOut.Load)
	count("voxelpopuli_sent_frames_total", "Frames to clients.", t.frames.Load)
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "voxelpopuli_connections", Help: "WebSockets that are open."}, func() float64 { return float64(g.connections()) }))
	if g.stats != nil {
		m.registry.MustRegister(nodeCollector{g.stats})
	}
	return m
}

// refused counts a refusal. Codes are the protocol's, so they are few.
func (m *metrics) refused(c wire.Code) { m.refusals.WithLabelValues(string(c)).Inc() }

// serve answers with the text format, which every Prometheus reads. Package promhttp would
// bring all formats and compressions along, a third of a megabyte.
func (m *metrics) serve(w http.ResponseWriter, _ *http.Request) {
	families, err := m.registry.Gather()
	if err != nil && len(families) == 0 {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, f := range families { // those that could be gathered
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return // whoever asked has gone
		}
	}
}

func (g *Gateway) connections() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.peers)
}

// nodeCollector shows the node's figures.
type nodeCollector struct {
	*statsCache
}

var (
	tickDesc       = desc("tick_seconds", "How long ticks and other timers took to handle.")
	lateDesc       = desc("tick_late_seconds", "How late timers (ticks) fired.")
	slowestDesc    = desc("slowest_region_tick_p99_seconds", "The p99 of the ticks, lately, of the region where it is longest.")
	eventDesc      = desc("event_seconds", "How long handling anything else took.")
	playersDesc    = desc("players", "Players in the world.")
	regionsDesc    = desc("regions", "Regions that are awake.")
	writesDesc     = desc("disk_writes", "Writes on their way to the disk.")
	leadsMetric    = renamed("led_shards", "led_parts", "Regions, and the lobby, that this node leads.")
	replicasMetric = renamed("hosted_shards", "hosted_parts", "Regions, and the lobby, that this node has a replica of.")
	linksDesc      = desc("node_links", "Links to other nodes.")
	worldDesc      = desc("world_tick", "The tick of the world.")
	convictedDesc  = desc("convicted_nodes", "Nodes that this one has a proof against.")
	comparedDesc   = desc("columns_compared_total", "Columns that were compared, as players here are shown them, with what hosts sign.")
)

func desc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("voxelpopuli_"+name, help, nil, nil)
}

// Describe implements prometheus.Collector.
func (c nodeCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{tickDesc, lateDesc, slowestDesc, eventDesc, playersDesc, regionsDesc, writesDesc, worldDesc, linksDesc, convictedDesc, comparedDesc} {
		ch <- d
	}
	leadsMetric.describe(ch)
	replicasMetric.describe(ch)
	describeNet(ch)
	describeStorage(ch)
}

// Collect implements prometheus.Collector.
func (c nodeCollector) Collect(ch chan<- prometheus.Metric) {
	s, err := c.get()
	if err != nil {
		ch <- prometheus.NewInvalidMetric(worldDesc, err)
		return
	}
	gauge := func(d *prometheus.Desc, v float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	summary := func(d *prometheus.Desc, h *timing.Histogram) {
		ch <- prometheus.MustNewConstSummary(d, h.Count, h.Sum.Seconds(), map[float64]float64{
			0.5: h.Quantile(0.5).Seconds(), 0.99: h.Quantile(0.99).Seconds(), 1: h.Max.Seconds(),
		})
	}
	summary(tickDesc, &s.Timer)
	summary(lateDesc, &s.Late)
	summary(eventDesc, &s.Event)
	if len(s.Slowest) > 0 {
		gauge(slowestDesc, s.Slowest[0].P99/1000)
	}
	gauge(playersDesc, float64(s.Players))
	gauge(regionsDesc, float64(s.Regions))
	gauge(writesDesc, float64(s.Writes))
	gauge(worldDesc, float64(s.Tick))
	leadsMetric.collect(ch, prometheus.GaugeValue, float64(s.Hosting.Leads))
	replicasMetric.collect(ch, prometheus.GaugeValue, float64(s.Hosting.Replicas))
	gauge(linksDesc, float64(s.Hosting.Links))
	gauge(convictedDesc, float64(len(s.Hosting.Convicted)))
	ch <- prometheus.MustNewConstMetric(comparedDesc, prometheus.CounterValue, float64(s.Hosting.Compared))
	collectNet(ch, &s.Hosting.Net)
	collectStorage(ch, s.Hosting.Storage)
}
