package gateway

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
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
		_, _ = io.WriteString(w, statusPage(&s))
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(withOldNames(&s))
}

func hexPrefix(b []byte) string { return hex.EncodeToString(b[:6]) }
