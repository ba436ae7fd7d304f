package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/webmap"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Map is a map of the world as the gateway needs it.
type Map interface {
	Tile(ctx context.Context, at webmap.At) (*webmap.Tile, error)
	Overview(ctx context.Context) (*webmap.Overview, error)
}

const (
	// tilesPerSecond and tilesAtOnce are what an address may ask for: a screen at once, and
	// then as fast as somebody moves about.
	tilesPerSecond = 20
	tilesAtOnce    = 200
	mapAddresses   = 4096
	// overviewFor is how long an overview is shown to all who ask.
	overviewFor = 2 * time.Second
)

// mapVisitors are those who look at the map.
type mapVisitors struct {
	mu       *sync.Mutex
	budgets  limit.Table[limit.Budget]
	overview []byte
	until    time.Time
}

func newMapVisitors() mapVisitors {
	return mapVisitors{mu: new(sync.Mutex), budgets: limit.NewTable(mapAddresses, func() limit.Budget { return limit.NewBudget(tilesPerSecond, tilesAtOnce) }, func(*limit.Budget) bool { return false })}
}

// may reports whether somebody may ask now.
func (v *mapVisitors) may(from netip.Addr) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	return v.budgets.Of(from, now).Take(1, now)
}

func (g *Gateway) routeMap(mux *http.ServeMux) {
	serve := func(pattern string, h http.HandlerFunc) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case g.cfg.Map == nil:
				refuse(w, http.StatusNotFound, &wire.Refused{Code: wire.NotAllowed, Text: "This node shows no map. Who runs it can start it with --map land."})
			case !g.maps.may(g.client(r)):
				w.Header().Set("Retry-After", "2")
				refuse(w, http.StatusTooManyRequests, wire.TooFast.Refusal(2))
			default:
				h(w, r)
			}
		})
	}
	serve("GET /map", func(w http.ResponseWriter, r *http.Request) { g.assets["/map.html"].serve(w, r) })
	serve("GET /map/world", g.serveOverview)
	serve("GET /map/tile/{zoom}/{x}/{z}", g.serveTile)
}

func (g *Gateway) serveTile(w http.ResponseWriter, r *http.Request) {
	var n [3]int64
	for i, name := range []string{"zoom", "x", "z"} {
		var err error
		if n[i], err = strconv.ParseInt(r.PathValue(name), 10, 32); err != nil {
			http.NotFound(w, r)
			return
		}
	}
	t, err := g.cfg.Map.Tile(r.Context(), webmap.At{Zoom: int(n[0]), X: int32(n[1]), Z: int32(n[2])})
	switch {
	case errors.Is(err, webmap.ErrNoTile):
		http.NotFound(w, r)
		return
	case err != nil:
		w.Header().Set("Retry-After", "2")
		refuse(w, http.StatusServiceUnavailable, wire.Busy.Refusal(2))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", t.ETag)
	if r.Header.Get("If-None-Match") == t.ETag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(t.Deflated)))
	_, _ = w.Write(t.Deflated) // the browser may have gone
}

func (g *Gateway) serveOverview(w http.ResponseWriter, r *http.Request) {
	g.maps.mu.Lock()
	defer g.maps.mu.Unlock()
	if now := time.Now(); now.After(g.maps.until) {
		o, err := g.cfg.Map.Overview(r.Context())
		if err != nil {
			refuse(w, http.StatusServiceUnavailable, wire.Busy.Refusal(2))
			return
		}
		if g.maps.overview, err = json.Marshal(o); err != nil {
			refuse(w, http.StatusInternalServerError, wire.Internal.Refusal(0))
			return
		}
		g.maps.until = now.Add(overviewFor)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(g.maps.overview)
}
