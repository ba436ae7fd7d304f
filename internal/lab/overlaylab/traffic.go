package overlaylab

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Traffic = lab.Experiment{
	Name:          "overlay-traffic",
	Shows:         "what keeping the overlay up costs: bytes and messages by type, hops, delays, all of it against the number of nodes",
	Source:        "thesis 6.3.3, figures 6.5 to 6.9",
	Deterministic: true,
	Many:          true,
	Settings: []lab.Setting{
		{Name: "iad", Default: "15,25", Unit: "s", Text: "mean times between two arrivals; the thesis has 6,7,8,9,10,11,12,13,14,15,17,18,20,25"},
		{Name: "r", Default: "4,9,16", Text: "zones"},
		{Name: "hours", Default: "1", Unit: "h", Text: "simulated time; the thesis has 8"},
		narrowSetting,
	},
	Differs: differsTraffic,
	Run:     runOverlayTraffic,
}

func runOverlayTraffic(t *lab.Trial) error {
	iads, zones, hours := t.Floats("iad", 0.1), t.Zones("r"), t.Float("hours", 0.1)
	wide := !t.Flag("narrow")
	if err := t.Settings(); err != nil {
		return err
	}
	groups := churnGroups(iads, zones, hours, wide)
	results, err := doGroups(t, groups)
	if err != nil {
		return err
	}
	for i, g := range groups {
		typesTable(t, g, results[i])
	}
	totalsTable(t, groups, results)
	return allExact(t, groups, results)
}

// trafficPaper is what the text of 6.3.3 says about figures 6.7 to 6.9 (IAD 6, 8
// hours): GB, and shares where it gives them.
type trafficPaper struct {
	payload, gross                 float64
	messages                       float64 // millions; (gross − payload) / 116 bytes of headers
	views, requests, join          float64 // shares of the payload
	requestMessages, tableMessages float64 // shares of all messages
}

var trafficPapers = map[int]trafficPaper{
	4:  {payload: 0.9, gross: 1.25, messages: 3.0, views: .42, requests: .42, join: .02, requestMessages: .65},
	9:  {payload: 2.8, gross: 4.3, messages: 12.9, tableMessages: .90},
	16: {payload: 6.3, gross: 10.5, messages: 36.2, tableMessages: .95},
}

// sums adds up the overlay's messages, without the network's own.
func (o overlayResult) sums() (s TrafficSum) {
	for _, r := range o.Traffic {
		if r.Type != handshakes {
			s.Messages, s.Payload, s.Gross = s.Messages+r.Messages, s.Payload+r.Payload, s.Gross+r.Gross
		}
	}
	return s
}

func (o overlayResult) link() (gross float64) {
	for _, r := range o.Traffic {
		gross += float64(r.Gross)
	}
	return gross
}

func (o overlayResult) of(kind string) TrafficSum {
	for _, r := range o.Traffic {
		if r.Type == kind {
			return r
		}
	}
	return TrafficSum{Type: kind}
}

// typesTable is one of figures 6.7 to 6.9.
func typesTable(t *lab.Trial, g overlayRun, runs []overlayResult) {
	p := trafficPapers[g.R]
	compare := g.IAD == 6 && g.Hours == 8
	table := lab.Table{
		Name: fmt.Sprintf("types-iad%g-r%d", g.IAD, g.R), Title: fmt.Sprintf("Messages by type, IAD %g, r = %d, %g h (figures 6.7 to 6.9)", g.IAD, g.R, g.Hours),
		Columns: []string{"type", "messages", "%", "payload MB", "%", "gross MB", "%", "hops", "delay ms"},
	}
	sum := func(get func(TrafficSum) int64) float64 {
		return lab.Over(runs, func(o overlayResult) float64 { return float64(get(o.sums())) }).Mean
	}
	messages := sum(func(r TrafficSum) int64 { return r.Messages })
	payload := sum(func(r TrafficSum) int64 { return r.Payload })
	gross := sum(func(r TrafficSum) int64 { return r.Gross })
	for _, row := range runs[0].Traffic {
		of := func(get func(TrafficSum) float64) float64 {
			return lab.Over(runs, func(o overlayResult) float64 { return get(o.of(row.Type)) }).Mean
		}
		m := of(func(r TrafficSum) float64 { return float64(r.Messages) })
		b := of(func(r TrafficSum) float64 { return float64(r.Payload) })
		x := of(func(r TrafficSum) float64 { return float64(r.Gross) })
		table.Row(row.Type, m, 100*m/messages, b/1e6, 100*b/payload, x/1e6, 100*x/gross,
			of(func(r TrafficSum) float64 { return r.Hops }), of(func(r TrafficSum) float64 { return r.DelayMs }))
	}
	t.Table(table)
	key := fmt.Sprintf("_iad%g_r%d", g.IAD, g.R)
	report := func(name string, v float64, unit string, paper float64) {
		t.AgainstIf(compare && paper > 0, name+key, v, unit, paper)
	}
	share := func(kinds ...string) (bytes, count float64) {
		for _, kind := range kinds {
			bytes += lab.Over(runs, func(o overlayResult) float64 { return float64(o.of(kind).Payload) }).Mean
			count += lab.Over(runs, func(o overlayResult) float64 { return float64(o.of(kind).Messages) }).Mean
		}
		return bytes / payload, count / messages
	}
	report("payload_gb", payload/1e9, "GB", p.payload)
	report("gross_gb", gross/1e9, "GB", p.gross)
	report("messages_m", messages/1e6, "M", p.messages)
	views, _ := share("NetworkView")
	requests, requestMessages := share("RtRequest")
	joins, _ := share("JoinRequest")
	_, tableMessages := share("RtRequest", "RtResponse")
	report("views_share", views, "", p.views)
	report("requests_share", requests, "", p.requests)
	report("joins_share", joins, "", p.join)
	report("request_messages_share", requestMessages, "", p.requestMessages)
	report("table_messages_share", tableMessages, "", p.tableMessages)
}

// totalsTable is figures 6.5 and 6.6.
func totalsTable(t *lab.Trial, groups []overlayRun, results [][]overlayResult) {
	table := lab.Table{
		Name: "totals", Title: "All traffic of the link layer (figures 6.5 and 6.6)",
		Columns: []string{"IAD", "r", "started", "GB", "MB a node", "upstream B/s a node"},
	}
	total := lab.Plot{Name: "total-traffic", Title: "Traffic of the link layer (figure 6.5)", X: "nodes started", Y: "GB"}
	each := lab.Plot{Name: "node-traffic", Title: "Upstream of a node (figure 6.6)", X: "nodes started", Y: "B/s"}
	for i, g := range groups {
		started := lab.Over(results[i], func(o overlayResult) float64 { return float64(o.Started) }).Mean
		gb := lab.Over(results[i], func(o overlayResult) float64 { return o.link() / 1e9 })
		rate := lab.Over(results[i], func(o overlayResult) float64 { return o.UpstreamBs })
		table.Row(g.IAD, g.R, started, gb.PlusMinus(3), 1000*gb.Mean/started, rate.PlusMinus(0))
		name := fmt.Sprintf("r = %d", g.R)
		total.Line(name).Add(started, gb.Mean)
		each.Line(name).Add(started, rate.Mean)
		t.Metric(fmt.Sprintf("link_gb_iad%g_r%d", g.IAD, g.R), gb.Mean, "GB")
		t.Metric(fmt.Sprintf("upstream_b_s_iad%g_r%d", g.IAD, g.R), rate.Mean, "B/s")
	}
	t.Table(table)
	t.Plot(total)
	t.Plot(each)
}
