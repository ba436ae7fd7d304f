package gateway

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/timing"
)

// localKey finds in a request's context whether it is the owner's.
type localKey struct{}

// private shows a page to local clients only, unless the configuration says
// otherwise.
func (g *Gateway) private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local := g.provesLocal(r) // once: a ticket is used up by it
		if !g.cfg.Open && !local {
			g.askLocal(w)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), localKey{}, local)))
	})
}

// serveHealth answers 200 as long as the node answers.
func (g *Gateway) serveHealth(w http.ResponseWriter, _ *http.Request) {
	if g.stats != nil {
		if _, err := g.stats.get(); err != nil {
			http.Error(w, "the node does not answer: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok\n"))
}

// Status is what /status says as JSON. Times are in milliseconds.
type Status struct {
	World struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"world"`
	Client      string       `json:"client"` // the build of the browser client
	Connections int          `json:"connections"`
	Players     int          `json:"players"`
	Regions     int          `json:"regions"`
	Tick        uint64       `json:"tick"`
	TickP50     float64      `json:"tick_p50_ms"`
	TickP99     float64      `json:"tick_p99_ms"`
	TickMax     float64      `json:"tick_max_ms"`
	LateP99     float64      `json:"late_p99_ms"`
	Slowest     []RegionLoad `json:"slowest"`
	DiskWrites  int          `json:"disk_writes"`
	Disk        Disk         `json:"disk"`
	Hosting     Hosting      `json:"hosting"`
	BytesIn     uint64       `json:"bytes_in"`
	BytesOut    uint64       `json:"bytes_out"`
	Frames      uint64       `json:"frames"`
	Sharing     *Sharing     `json:"sharing,omitempty"` // for the owner only
}

func (g *Gateway) status() (Status, error) {
	var s Status
	world, info := g.cfg.Game.World()
	s.World.ID, s.World.Name = world.String(), info.Name
	s.Client = g.buildID()
	s.Connections = g.connections()
	s.BytesIn, s.BytesOut, s.Frames = g.traffic.bytesIn.Load(), g.traffic.bytesOut.Load(), g.traffic.frames.Load()
	if g.stats == nil {
		return s, nil
	}
	n, err := g.stats.get()
	if err != nil {
		return s, err
	}
	s.Players, s.Regions, s.Tick, s.DiskWrites = n.Players, n.Regions, n.Tick, n.Writes
	s.TickP50, s.TickP99, s.TickMax = quantile(&n.Ticks, 0.5), quantile(&n.Ticks, 0.99), quantile(&n.Ticks, 1)
	s.Slowest = n.Slowest
	s.LateP99 = quantile(&n.Late, 0.99)
	s.Hosting, s.Disk = n.Hosting, n.Disk
	return s, nil
}

func quantile(h *timing.Histogram, q float64) float64 {
	return float64(h.Quantile(q)) / float64(time.Millisecond)
}

func (g *Gateway) serveStatus(w http.ResponseWriter, r *http.Request) {
	s, err := g.status()
	if err != nil {
		http.Error(w, "the node does not answer: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	if local, _ := r.Context().Value(localKey{}).(bool); local && g.cfg.Sharing != nil {
		s.Sharing = g.cfg.Sharing()
	}
	w.Header().Set("Cache-Control", "no-store")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = statusPage.Execute(w, s)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(withOldNames(&s))
}

var statusPage = template.Must(template.New("status").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<title>{{.World.Name}} – status</title></head>
<body><h1>{{.World.Name}}</h1>
<table>
<tr><th scope="row">players</th><td>{{.Players}} ({{.Connections}} connections)</td></tr>
<tr><th scope="row">regions awake</th><td>{{.Regions}}</td></tr>
<tr><th scope="row">tick</th><td>{{.Tick}}</td></tr>
<tr><th scope="row">time of a tick</th><td>{{printf "%.2f" .TickP50}} ms median, {{printf "%.2f" .TickP99}} ms p99, {{printf "%.2f" .TickMax}} ms at most</td></tr>
<tr><th scope="row">ticks late</th><td>{{printf "%.2f" .LateP99}} ms p99</td></tr>
<tr><th scope="row">disk writes under way</th><td>{{.DiskWrites}}</td></tr>
<tr><th scope="row">disk</th><td>{{.Disk.Writes}} writes in {{.Disk.Syncs}} syncs, {{.Disk.Bytes}} bytes, the slowest {{printf "%.1f" .Disk.MaxSyncMs}} ms</td></tr>
<tr><th scope="row">frames sent</th><td>{{.Frames}}</td></tr>
<tr><th scope="row">bytes sent, received</th><td>{{.BytesOut}}, {{.BytesIn}}</td></tr>
</table>
{{with .Sharing}}<h2>to join</h2>
<table>
{{range .Pages}}<tr><th scope="row">friends play at</th><td>{{.}}</td></tr>
{{end}}{{with .Invitation}}<tr><th scope="row">nodes join by</th><td>{{.}}</td></tr>{{end}}
</table>{{end}}
{{with .Hosting}}{{if .Node}}<h2>this node</h2>
<table>
<tr><th scope="row">id</th><td>{{.Node}}</td></tr>
<tr><th scope="row">others join by</th><td>{{.Address}}</td></tr>
<tr><th scope="row">leads, has a replica of</th><td>{{.Leads}}, {{.Replicas}} shards of the world</td></tr>
<tr><th scope="row">bytes to, from other nodes</th><td>{{.NetOut}}, {{.NetIn}} ({{.NetDrops}} packets dropped)</td></tr>
</table>
<h2>other nodes</h2>
<table><tr><th>node</th><th>address</th><th>round trip</th></tr>
{{range .Peers}}<tr><td>{{.Node}}</td><td>{{.Address}}</td><td>{{if .Trip}}{{printf "%.2f" .Trip}} ms{{end}}</td></tr>
{{else}}<tr><td colspan="3">none yet</td></tr>{{end}}</table>
<h2>parts of the world</h2>
<table><tr><th>part</th><th>this node</th><th>leader</th><th>members</th></tr>
{{range .Shards}}<tr><td>{{.Shard}}{{if not .Awake}} (asleep){{end}}</td><td>{{.Role}}</td><td>{{.Leader}}</td><td>{{range .Members}}{{.}} {{end}}</td></tr>
{{end}}</table>
{{with .Overlay}}<h2>place in the overlay</h2>
<table>
<tr><th scope="row">place</th><td>{{index .Place 0}}, {{index .Place 1}} ({{if .Stable}}stable{{else}}looking for its neighbours{{end}}, {{.Links}} links)</td></tr>
<tr><th scope="row">cell, corners in metres</th><td>{{range .Cell}}({{index . 0}}, {{index . 1}}) {{end}}</td></tr>
<tr><th scope="row">version of the revocations</th><td>{{.Revocations}}</td></tr>
<tr><th scope="row">reports of false views</th><td>{{.Evidence}}</td></tr>
</table>
<table><tr><th>neighbour</th><th>place</th><th>cell</th></tr>
{{range .Neighbours}}<tr><td>{{.Node}}</td><td>{{index .Place 0}}, {{index .Place 1}}</td><td>{{range .Cell}}({{index . 0}}, {{index . 1}}) {{end}}</td></tr>
{{else}}<tr><td colspan="3">none yet</td></tr>{{end}}</table>{{end}}{{end}}{{end}}
{{if .Slowest}}<h2>slowest regions, last minute</h2>
<table><tr><th>x</th><th>z</th><th>players</th><th>mobs</th><th>watched by</th><th>tick median</th><th>p99</th><th>at most</th></tr>
{{range .Slowest}}<tr><td>{{.X}}</td><td>{{.Z}}</td><td>{{.Players}}</td><td>{{.Mobs}}</td><td>{{.Watched}}</td>` +
	`<td>{{printf "%.2f" .P50}} ms</td><td>{{printf "%.2f" .P99}} ms</td><td>{{printf "%.2f" .Max}} ms</td></tr>
{{end}}</table>{{end}}</body></html>
`))

func hexPrefix(b []byte) string { return hex.EncodeToString(b[:6]) }
