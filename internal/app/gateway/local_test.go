package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// entrance is a game that notes who came in as local.
type entrance struct {
	fountain
	local atomic.Bool
}

func (e *entrance) Challenge() *wire.Challenge {
	return &wire.Challenge{Version: wire.Version, World: e.world()}
}

func (e *entrance) Enter(ctx context.Context, who client.Login) (gateway.Session, error) {
	e.local.Store(who.Local)
	return e.fountain.Enter(ctx, who)
}

// forward is a TCP forwarder, such as ssh -R or haproxy in TCP mode: what comes to
// its address goes to the gateway, from loopback.
func forward(t *testing.T, to string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			go func() { io.Copy(out, in); out.Close() }()
			go func() { io.Copy(in, out); in.Close() }()
		}
	}()
	return l.Addr().String()
}

// TestHostileForwardedPlayers: somebody who comes through a forwarder, or a proxy
// that passes on what it is sent, is not local, whatever they claim. Fails if an
// address or a Host header counts as a proof.
func TestHostileForwardedPlayers(t *testing.T) {
	game := &entrance{}
	addr := serve(t, gateway.Config{Game: game, Code: "open sesame", Local: secret, Hosts: []string{"127.0.0.1"}, Log: slog.New(slog.DiscardHandler)})
	through := forward(t, addr)
	other := keyring.LocalSecret("the secret of another machine")
	for name, header := range map[string]map[string]string{
		"localhost":        {"Host": "localhost"},
		"loopback":         {"Host": "127.0.0.1"},
		"IPv6 loopback":    {"Host": "[::1]"},
		"another's secret": {"Host": "localhost", "Authorization": "Bearer " + string(other)},
		"another's ticket": {"Host": "localhost", "Authorization": "Bearer " + other.Ticket(time.Now())},
		"empty secret":     {"Host": "localhost", "Authorization": "Bearer "},
		"forwarded for us": {"Host": "localhost", "X-Forwarded-For": "127.0.0.1", "X-Real-Ip": "127.0.0.1"},
	} {
		for _, page := range []string{"/status", "/metrics"} {
			res := request(t, through, "GET", page, "", header)
			if res.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Basic") {
				t.Errorf("%s: %s answers %s", name, page, res.Status)
			}
		}
		h := map[string]string{"Content-Type": "application/json", "Host": header["Host"]}
		for _, proof := range []string{"", string(other), other.Ticket(time.Now())} {
			if res := request(t, through, "POST", "/api/session", `{"local":"`+proof+`"}`, h); res.StatusCode != http.StatusForbidden {
				t.Errorf("%s: without the code, with %q: %s", name, proof, res.Status)
			}
		}
	}
	// With the code they play, as anybody from elsewhere.
	conn, _, err := client.Dial(context.Background(), through+"#local="+string(other), identity(t, "Mallory"), "open sesame")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if game.local.Load() {
		t.Error("a player who came through a forwarder counts as local")
	}
	// The owner is local also through the forwarder, and needs no code.
	if conn, _, err = client.Dial(context.Background(), through+"#local="+string(secret), identity(t, "Owner"), ""); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if !game.local.Load() {
		t.Error("who has the secret does not count as local")
	}
}

// TestHostileTicketReplay: a ticket that somebody saw on a command line is of no
// use once it has been used.
func TestHostileTicketReplay(t *testing.T) {
	addr := serve(t, gateway.Config{Game: &entrance{}, Code: "open sesame", Local: secret, Log: slog.New(slog.DiscardHandler)})
	body := `{"local":"` + secret.Ticket(time.Now()) + `"}`
	h := map[string]string{"Content-Type": "application/json"}
	res := request(t, addr, "POST", "/api/session", body, h)
	if b, _ := io.ReadAll(res.Body); res.StatusCode != 200 || !strings.Contains(string(b), `"local":"`+string(secret)+`"`) {
		t.Errorf("the owner: %s %s", res.Status, b)
	}
	if res := request(t, addr, "POST", "/api/session", body, h); res.StatusCode != http.StatusForbidden {
		t.Errorf("the same ticket again: %s", res.Status)
	}
}

// TestHostilePagesGetNoSecret: a page of another site cannot have the secret sent
// or told, even in the owner's browser.
func TestHostilePagesGetNoSecret(t *testing.T) {
	addr := serve(t, gateway.Config{Game: &entrance{}, Local: secret, Log: slog.New(slog.DiscardHandler)})
	for name, header := range map[string]map[string]string{
		"another origin": {"Origin": "https://evil.example", "Content-Type": "application/json"},
		"rebound name":   {"Host": "evil.example", "Origin": "http://evil.example", "Content-Type": "application/json"},
		"cross-site":     {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Content-Type": "application/json"},
	} {
		header["Authorization"] = "Bearer " + string(secret) // as if the browser added it by itself
		for _, r := range []struct{ method, path, body string }{{"GET", "/status", ""}, {"POST", "/api/session", `{}`}} {
			res := request(t, addr, r.method, r.path, r.body, header)
			if b, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusForbidden || strings.Contains(string(b), string(secret)) {
				t.Errorf("%s: %s: %s %s", name, r.path, res.Status, b)
			}
		}
	}
}

// TestLocalSocketsNeedTheirToken: what a token was given for goes with it.
func TestLocalSocketsNeedTheirToken(t *testing.T) {
	addr := serve(t, gateway.Config{Game: &entrance{}, Local: secret, Log: slog.New(slog.DiscardHandler)})
	_, res, err := websocket.Dial(context.Background(), "ws://"+addr+"/ws?token="+secret.Ticket(time.Now()), nil)
	if err == nil || res == nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("the secret instead of a token: %v", err)
	}
}
