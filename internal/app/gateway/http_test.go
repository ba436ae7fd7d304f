package gateway_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/web"
)

// nobody is a game that nobody can enter.
type nobody struct{}

func (nobody) World() (id.ID, wire.WorldInfo) { return id.Of(nil), wire.WorldInfo{Name: "empty"} }
func (nobody) Challenge() *wire.Challenge     { return &wire.Challenge{Version: wire.Version} }
func (nobody) Check(*wire.Hello, *wire.Challenge, *wire.Proof, string) (client.Login, error) {
	return client.Login{}, wire.BadProof.Refusal(0)
}
func (nobody) Enter(context.Context, client.Login) (gateway.Session, error) {
	return nil, wire.Full.Refusal(1)
}

func request(t *testing.T, addr, method, path, body string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, "http://"+addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		} else {
			req.Header.Set(k, v)
		}
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestOriginAndHost(t *testing.T) {
	addr := serve(t, gateway.Config{Game: nobody{}, Hosts: []string{"World.Example"}, Log: slog.New(slog.DiscardHandler)})
	_, port, _ := net.SplitHostPort(addr)
	const js = "application/json"
	for _, c := range []struct {
		name   string
		header map[string]string
		want   int
	}{
		{"no browser", nil, 200},
		{"own page", map[string]string{"Origin": "http://" + addr}, 200},
		{"by localhost", map[string]string{"Host": "localhost:" + port, "Origin": "http://localhost:" + port}, 200},
		{"by its name", map[string]string{"Host": "world.example", "Origin": "https://world.example"}, 200},
		{"by IPv6", map[string]string{"Host": "[::1]:" + port, "Origin": "http://[::1]:" + port}, 200},
		{"another site", map[string]string{"Origin": "https://evil.example"}, 403},
		{"another port", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"a sandboxed page", map[string]string{"Origin": "null"}, 403},
		{"a file", map[string]string{"Origin": "file://"}, 403},
		{"rebound name", map[string]string{"Host": "evil.example:" + port, "Origin": "http://evil.example:" + port}, 403},
		{"rebound name alone", map[string]string{"Host": "evil.example"}, 403},
		{"port that is none", map[string]string{"Host": "127.0.0.1:;script-src"}, 403},
		{"name that looks right", map[string]string{"Host": "localhost.evil.example"}, 403},
		{"cross-site fetch", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
	} {
		h := map[string]string{"Content-Type": js}
		for k, v := range c.header {
			h[k] = v
		}
		if res := request(t, addr, "POST", "/api/session", `{}`, h); res.StatusCode != c.want {
			t.Errorf("%s: session: %s, want %d", c.name, res.Status, c.want)
		}
		delete(h, "Content-Type")
		res := request(t, addr, "GET", "/ws?token=x", "", h)
		if denied := res.StatusCode == 403; !denied {
			t.Errorf("%s: socket: %s", c.name, res.Status)
		}
		var why struct{ Error string }
		json.NewDecoder(res.Body).Decode(&why)
		if (why.Error == "token") != (c.want == 200) {
			t.Errorf("%s: socket: %q", c.name, why.Error)
		}
	}
	link := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
	if res := request(t, addr, "GET", "/", "", link); res.StatusCode != 200 {
		t.Errorf("a link to the page: %s", res.Status)
	}
}

func TestSessionWantsJSON(t *testing.T) {
	addr := serve(t, gateway.Config{Game: nobody{}, Log: slog.New(slog.DiscardHandler)})
	for kind, want := range map[string]int{"application/json": 200, "application/json; charset=utf-8": 200, "text/plain": 415, "": 415} {
		if res := request(t, addr, "POST", "/api/session", `{}`, map[string]string{"Content-Type": kind}); res.StatusCode != want {
			t.Errorf("%q: %s, want %d", kind, res.Status, want)
		}
	}
	for _, body := range []string{"", "[", strings.Repeat(" ", 5000), `{"code":` + strings.Repeat("[", 900)} {
		if res := request(t, addr, "POST", "/api/session", body, map[string]string{"Content-Type": "application/json"}); res.StatusCode != 400 {
			t.Errorf("%.10q: %s", body, res.Status)
		}
	}
}

func TestAssets(t *testing.T) {
	files := []web.File{
		{Name: "index.html", Plain: []byte("<!doctype html>")},
		{Name: "main.js", Plain: []byte(strings.Repeat("let a;", 1000)), Gzip: []byte("let a;, compressed")},
		{Name: "x/y.css", Plain: []byte("a{}")},
	}
	addr := serve(t, gateway.Config{Game: nobody{}, Files: files, Log: slog.New(slog.DiscardHandler)})
	res := request(t, addr, "GET", "/", "", nil)
	if b, _ := io.ReadAll(res.Body); string(b) != "<!doctype html>" || res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("index: %q %v", b, res.Header)
	}
	csp := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "ws://" + addr} {
		if !strings.Contains(csp, want) {
			t.Errorf("policy lacks %s: %s", want, csp)
		}
	}
	if strings.Contains(csp, "unsafe") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers: %v", res.Header)
	}
	zipped := request(t, addr, "GET", "/main.js", "", map[string]string{"Accept-Encoding": "gzip, br"})
	if b, _ := io.ReadAll(zipped.Body); zipped.Header.Get("Content-Encoding") != "gzip" || string(b) != "let a;, compressed" {
		t.Errorf("not compressed: %v", zipped.Header)
	}
	plain := request(t, addr, "GET", "/main.js", "", map[string]string{"Accept-Encoding": "br"})
	if b, _ := io.ReadAll(plain.Body); plain.Header.Get("Content-Encoding") != "" || len(b) != 6000 || plain.Header.Get("ETag") != zipped.Header.Get("ETag") {
		t.Errorf("compressed for who does not understand it: %v", plain.Header)
	}
	again := request(t, addr, "GET", "/main.js", "", map[string]string{"If-None-Match": zipped.Header.Get("ETag")})
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same file again: %s", again.Status)
	}
	for path, want := range map[string]int{"/x/y.css": 200, "/x": 404, "/nothing": 404, "/api/session": 404} {
		if res := request(t, addr, "GET", path, "", nil); res.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, res.Status, want)
		}
	}
}

func statsOf(w *clienttest.World) func(context.Context) (gateway.Stats, error) {
	return func(ctx context.Context) (gateway.Stats, error) {
		loop, err := w.Loop.Stats(ctx)
		s := gateway.Stats{Stats: loop}
		s.Players, s.Regions = w.Players()
		return s, err
	}
}

func TestOperatorsPages(t *testing.T) {
	w := clienttest.Start(t, world.Survival)
	cfg := gateway.Config{Local: secret, Game: gateway.Node{Node: w.Node}, Stats: statsOf(w), Log: slog.New(slog.DiscardHandler)}
	b := &bed{t: t, w: w, addr: serve(t, cfg)}
	b.enter("Zoe")
	waitFor(t, "the player to be counted", func() bool {
		var s gateway.Status
		return json.Unmarshal([]byte(b.get("/status")), &s) == nil && s.Players == 1 && s.Connections == 1 && s.Regions > 0
	})
	metrics := b.get("/metrics")
	for _, want := range []string{"voxelpopuli_connections 1", "voxelpopuli_players 1", "voxelpopuli_tick_seconds{", "voxelpopuli_sent_bytes_total", "go_goroutines"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	password := "Basic " + base64.StdEncoding.EncodeToString([]byte("anybody:"+string(secret)))
	if res := request(t, b.addr, "GET", "/status", "", map[string]string{"Accept": "text/html", "Authorization": password}); !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Errorf("for a person: %v", res.Header)
	}
	if !strings.Contains(b.get("/healthz"), "ok") {
		t.Error("not healthy")
	}
}

// TestShutdownTellsClients: clients are told to come back later, and players, who have
// not asked, where else they can go on.
func TestShutdownTellsClients(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	w := clienttest.Start(t, world.Survival)
	g, err := gateway.New(gateway.Config{Game: gateway.Node{Node: w.Node}, Entrances: others, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(l) }()
	b := &bed{t: t, w: w, addr: l.Addr().String()}
	in, shaking := b.enter("A"), b.dial()
	told := make(chan wire.Code, 2)
	go func() {
		if !in.hears(wire.TypeEntrances) {
			t.Error("a player is not told where to go on")
		}
		told <- in.refused()
	}()
	go func() { told <- shaking.refused() }()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := g.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	for range 2 {
		if code := <-told; code != wire.Restart {
			t.Errorf("told %q", code)
		}
	}
}

func TestCheckListen(t *testing.T) {
	for _, c := range []struct {
		addr string
		cfg  gateway.Config
		ok   bool
	}{
		{"127.0.0.1:4747", gateway.Config{}, true},
		{"localhost:4747", gateway.Config{}, true},
		{"[::1]:4747", gateway.Config{}, true},
		{"0.0.0.0:4747", gateway.Config{}, false},
		{":4747", gateway.Config{}, false},
		{"192.168.1.5:4747", gateway.Config{}, false},
		{"0.0.0.0:4747", gateway.Config{Code: "x"}, true},
		{"0.0.0.0:4747", gateway.Config{Whitelist: true}, true},
	} {
		if err := c.cfg.CheckListen(c.addr); (err == nil) != c.ok || err != nil && !errors.Is(err, gateway.ErrUnprotected) {
			t.Errorf("%s %+v: %v", c.addr, c.cfg, err)
		}
	}
}
