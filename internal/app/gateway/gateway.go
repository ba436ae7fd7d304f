package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/web"
)

// Gateway is the HTTP server of one node.
type Gateway struct {
	cfg       Config
	limits    Limits
	log       *slog.Logger
	hosts     []string
	admission *admission
	local     *keyring.LocalVerifier
	conns     *conns
	proxied   sync.Once
	stats     *statsCache // nil: there are none
	assets    map[string]*asset
	traffic   traffic
	metrics   *metrics
	maps      mapVisitors
	content   content
	http      *http.Server

	consoles    context.Context // ends at Shutdown
	endConsoles context.CancelFunc

	mu      sync.Mutex
	peers   map[*peer]struct{}
	closing bool
	gone    sync.WaitGroup // of peers
}

// New returns a gateway; Serve lets people in.
func New(cfg Config) (*Gateway, error) {
	g := &Gateway{cfg: cfg, limits: cfg.Limits.withDefaults(), log: cfg.Log, peers: map[*peer]struct{}{}}
	if g.log == nil {
		g.log = slog.Default()
	}
	for _, h := range cfg.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(h))
	}
	if cfg.Files == nil {
		cfg.Files = web.Files()
	}
	g.assets = assetsOf(cfg.Files)
	g.local = keyring.NewLocalVerifier(cfg.Local)
	g.admission = newAdmission(cfg, g.limits, time.Now)
	g.conns = &conns{limits: g.limits, shared: g.trusts, from: map[netip.Prefix]map[*tcp]struct{}{}}
	if cfg.Stats != nil {
		g.stats = &statsCache{read: cfg.Stats}
	}
	g.consoles, g.endConsoles = context.WithCancel(context.Background())
	g.maps = newMapVisitors()
	g.content = newContent(cfg.Content)
	g.metrics = newMetrics(g)
	g.http = &http.Server{
		Handler:           g.guard(g.routes()),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second, // not of WebSockets: those are hijacked
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(g.log.Handler(), slog.LevelDebug),
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	return g, nil
}

// connKey finds a request's *tcp in its context.
type connKey struct{}

func (g *Gateway) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/session", g.serveSession)
	mux.HandleFunc("GET /ws", g.serveSocket)
	mux.HandleFunc("GET /api/invites", g.serveInvites)
	mux.HandleFunc("POST /api/invites", g.serveInvites)
	mux.HandleFunc("GET /api/console", g.serveConsole)
	g.routeMap(mux)
	mux.HandleFunc("GET /api/content/{hash}", g.serveContent)
	mux.HandleFunc("GET /healthz", g.serveHealth)
	mux.Handle("GET /status", g.private(http.HandlerFunc(g.serveStatus)))
	mux.Handle("GET /metrics", g.private(http.HandlerFunc(g.metrics.serve)))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if a := g.assets[r.URL.Path]; a != nil {
			a.serve(w, r)
			return
		}
		http.NotFound(w, r)
	})
	return mux
}

// Serve lets people in until Shutdown; it returns nil after that.
func (g *Gateway) Serve(l net.Listener) error { return g.serve(listener{l, g, nil}) }

// ServeTLS is Serve for HTTPS; both may be used at the same time.
func (g *Gateway) ServeTLS(l net.Listener, by *tls.Config) error { return g.serve(listener{l, g, by}) }

func (g *Gateway) serve(l listener) error {
	stop := make(chan struct{})
	var sweeper sync.WaitGroup
	sweeper.Go(func() { g.sweep(stop) })
	defer sweeper.Wait()
	defer close(stop)
	err := g.http.Serve(l)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown tells every client that the world restarts, and returns when all
// are gone or ctx ends.
func (g *Gateway) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.closing = true
	for p := range g.peers {
		p.end(wire.Restart.Refusal(3))
	}
	g.mu.Unlock()
	g.endConsoles()
	err := g.http.Shutdown(ctx)
	done := make(chan struct{})
	go func() { g.gone.Wait(); close(done) }()
	select {
	case <-done:
		return err
	case <-ctx.Done():
		g.mu.Lock()
		for p := range g.peers {
			p.conn.Close()
		}
		g.mu.Unlock()
		return ctx.Err()
	}
}

// serveSession exchanges the join code for a token.
func (g *Gateway) serveSession(w http.ResponseWriter, r *http.Request) {
	// A page of another site cannot send this type without asking first.
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, &wire.Refused{Code: wire.Malformed, Text: "Send application/json."})
		return
	}
	if !g.ownHost(r) {
		g.deny(w, "host", foreignHost(r))
		return
	}
	var ask struct {
		Code  string `json:"code"`
		Local string `json:"local"` // the secret of the data folder, or a ticket of it
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&ask); err != nil {
		refuse(w, http.StatusBadRequest, wire.Malformed.Refusal(0))
		return
	}
	local := ask.Local != "" && g.local.Check(ask.Local, time.Now())
	token, why := g.admission.token(g.client(r), ask.Code, local)
	if why != nil {
		g.metrics.refused(why.Code)
		refuse(w, statusOf(why.Code), why)
		return
	}
	world, info := g.cfg.Game.World()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	answer := map[string]any{"token": token, "world": map[string]string{"id": world.String(), "name": info.Name}}
	if g.content.hash != "" {
		answer["content"] = g.content.hash
	}
	if local { // a page that came with a ticket keeps the secret itself
		answer["local"] = g.local.Secret()
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func statusOf(c wire.Code) int {
	switch c {
	case wire.TooFast, wire.WrongCodes:
		return http.StatusTooManyRequests
	case wire.Full, wire.Busy, wire.Restart:
		return http.StatusServiceUnavailable
	}
	return http.StatusForbidden
}

// sweep ends connections that say nothing or have no room, and forgets what is
// old, once a second.
func (g *Gateway) sweep(stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			g.admission.sweep()
			g.mu.Lock()
			for p := range g.peers {
				p.check(now)
			}
			g.mu.Unlock()
		}
	}
}

// buildID tells apart builds of the browser client, for /status.
func (g *Gateway) buildID() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(g.assets)) {
		h.Write([]byte(g.assets[name].etag))
	}
	return hexPrefix(h.Sum(nil))
}
