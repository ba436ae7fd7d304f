package gateway_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// relayed is what a hostile node gets that shows an honest node's challenge to a
// player: the player has dialled the hostile node as host, and signs.
func (b *bed) relayed(host string) wire.Code {
	b.t.Helper()
	// The hostile node opens a socket at the honest one, under whatever name it likes.
	victim := identity(b.t, fmt.Sprintf("V%x", sha256.Sum256([]byte(host)))[:12])
	for _, header := range []string{b.addr, host} {
		r, code := b.dialAs(header)
		if r == nil {
			if code == wire.Code("host") {
				continue
			}
			return code
		}
		r.say(victim.Prove(r.challenge(victim), host))
		if m, err := r.let(); err == nil && wire.TypeOf(m) == wire.TypeWelcome {
			return ""
		}
	}
	return wire.BadProof
}

// dialAs opens a socket with a Host header of one's own.
func (b *bed) dialAs(host string) (*raw, wire.Code) {
	b.t.Helper()
	req, err := http.NewRequest("POST", "http://"+b.addr+"/api/session", strings.NewReader(`{"code":""}`))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Host = host
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	var ans struct {
		Token string
		Error wire.Code
	}
	if err := json.NewDecoder(res.Body).Decode(&ans); err != nil || ans.Token == "" {
		return nil, ans.Error
	}
	ws, _, err := websocket.Dial(context.Background(), "ws://"+b.addr+"/ws?token="+ans.Token, &websocket.DialOptions{Host: host})
	if err != nil {
		return nil, wire.Code("host")
	}
	ws.SetReadLimit(-1)
	b.t.Cleanup(func() { ws.CloseNow() })
	return &raw{ws, b.t, host}, ""
}

// TestRelayedChallenge is issue 23, row 12, from the attacker's side: it forwards the
// honest node's challenge to a player of its own, and wants to come in with the
// answer.
func TestRelayedChallenge(t *testing.T) {
	b := newBed(t, gateway.Config{})
	_, port, _ := net.SplitHostPort(b.addr)
	for _, host := range []string{"hostile.example", "hostile.example:" + port, "203.0.113.9:" + port, "203.0.113.9", "127.0.0.1:1", "localhost:1", "[2001:db8::1]:" + port} {
		if code := b.relayed(host); code == "" {
			t.Errorf("a player who has dialled %s was brought in here", host)
		}
	}
	for _, host := range []string{b.addr, "localhost:" + port} {
		if code := b.relayed(host); code != "" {
			t.Errorf("a player who has dialled this node as %s is refused: %s", host, code)
		}
	}
}

// TestHostsThatWereConfigured: behind a proxy or a router the node is told its names
// and addresses.
func TestHostsThatWereConfigured(t *testing.T) {
	b := newBed(t, gateway.Config{Hosts: []string{"play.example", "203.0.113.9", "localhost:9999"}})
	for _, host := range []string{"play.example", "play.example:8080", "203.0.113.9:80", "localhost:9999"} {
		if code := b.relayed(host); code != "" {
			t.Errorf("%s: %s", host, code)
		}
	}
	for _, host := range []string{"203.0.113.10:80", "localhost:9998", "other.example"} {
		if b.relayed(host) == "" {
			t.Errorf("a player who has dialled %s was brought in", host)
		}
	}
}

// farChannels is where browsers reach the far one of others over data channels.
var farChannels = datachannel.At{Addr: netip.MustParseAddrPort("198.51.100.7:4747"), Fingerprint: datachannel.Fingerprint{1}}

// others are two nodes: one on this machine, one elsewhere behind a proxy.
func others() []gateway.Entrance {
	return []gateway.Entrance{
		{Node: id.Of([]byte("near")), IP: netip.MustParseAddr("127.0.0.1"), Port: 4801, Near: true, Local: true, Linked: true},
		{Node: id.Of([]byte("far")), IP: netip.MustParseAddr("198.51.100.7"), Port: 4747, Names: []string{"play.example"}, Linked: true, Channels: farChannels},
		{Node: id.Of([]byte("gone")), IP: netip.MustParseAddr("198.51.100.8"), Port: 4749},
	}
}

// TestVisitingPages: pages that nodes of the world have served may ask for a session
// and open a socket, whether their node lives or not; no other page may, and these
// may nothing else.
func TestVisitingPages(t *testing.T) {
	addr := serve(t, gateway.Config{Game: nobody{}, Entrances: others, Log: slog.New(slog.DiscardHandler)})
	for origin, ok := range map[string]bool{
		"http://127.0.0.1:4801": true, "http://localhost:4801": true, "http://localhost:4747": true, "http://[::1]:4801": true,
		"http://192.168.1.20:4747": true, "http://198.51.100.7:4747": true, "http://198.51.100.8:4749": true, "https://play.example": true,
		"https://evil.example": false, "http://evil.example:4747": false, "http://203.0.113.1:4747": false, "http://127.0.0.1:3000": false,
		"http://localhost": false, "http://198.51.100.7": false, "null": false, "file://": false, "chrome-extension://abc:4747": false,
		"http://play.example.evil.example": false, "http://localhost.evil.example:4747": false,
	} {
		h := map[string]string{"Origin": origin, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
		asks := request(t, addr, "OPTIONS", "/api/session", "", h)
		if got := asks.StatusCode == http.StatusNoContent && asks.Header.Get("Access-Control-Allow-Origin") == origin; got != ok {
			t.Errorf("%s may ask: %t (%s)", origin, got, asks.Status)
		}
		h["Content-Type"] = "application/json"
		res := request(t, addr, "POST", "/api/session", `{}`, h)
		if got := res.StatusCode == 200 && res.Header.Get("Access-Control-Allow-Origin") == origin; got != ok {
			t.Errorf("%s gets a session: %t (%s)", origin, got, res.Status)
		}
		for _, path := range []string{"/", "/status", "/metrics", "/healthz", "/main.js"} {
			if res := request(t, addr, "GET", path, "", h); res.StatusCode != 403 || res.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s gets %s: %s", origin, path, res.Status)
			}
		}
	}
}

// TestAloneNobodyVisits: a world of one node is for its own page.
func TestAloneNobodyVisits(t *testing.T) {
	addr := serve(t, gateway.Config{Game: nobody{}, Log: slog.New(slog.DiscardHandler)})
	res := request(t, addr, "POST", "/api/session", `{}`, map[string]string{"Origin": "http://127.0.0.1:4801", "Content-Type": "application/json"})
	if res.StatusCode != 403 {
		t.Errorf("%s", res.Status)
	}
}

// TestVisitorsAreNotLocal: whoever comes with another node's page has no rights of
// this machine, here those of the world's first operator.
func TestVisitorsAreNotLocal(t *testing.T) {
	owner := identity(t, "Visitor") // also the player that --owner names
	b := newBed(t, gateway.Config{Entrances: others, Owner: id.Of(owner.Public())})
	for _, c := range []struct {
		who      client.Identity
		origin   string
		operator bool
	}{{owner, "http://127.0.0.1:4801", false}, {identity(t, "Founder"), "http://" + b.addr, true}} {
		h := http.Header{"Origin": {c.origin}}
		ws, _, err := websocket.Dial(context.Background(), "ws://"+b.addr+"/ws?token="+b.token(), &websocket.DialOptions{HTTPHeader: h})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.CloseNow() })
		ws.SetReadLimit(-1)
		if got := b.operator(&raw{ws, t, b.addr}, c.who); got != c.operator {
			t.Errorf("%s: operator %t", c.who.Name, got)
		}
	}
}

// operator comes in and tells whether that made an operator.
func (b *bed) operator(r *raw, who client.Identity) bool {
	b.t.Helper()
	r.say(who.Prove(r.challenge(who), r.host))
	m, err := r.let()
	var w wire.Welcome
	if err != nil || wire.DecodeInto(m, &w) != nil {
		b.t.Fatalf("%s is not let in: % x %v", who.Name, m[:min(len(m), 20)], err)
	}
	return w.Operator
}

// TestEntrancesAreTold: players are told where they can go on, each what is of use
// where it is.
func TestEntrancesAreTold(t *testing.T) {
	b := newBed(t, gateway.Config{Entrances: others})
	r := b.enter("Ann")
	r.say(&wire.AskEntrances{})
	got := map[string]id.ID{}
	for got["http://127.0.0.1:4801/"].IsZero() {
		_, m, err := r.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var e wire.Entrances
		if wire.DecodeInto(m, &e) == nil {
			for _, x := range e.List {
				got[x.URL] = x.Node
			}
			break
		}
	}
	want := map[string]id.ID{
		"http://127.0.0.1:4801/":    id.Of([]byte("near")),
		"http://198.51.100.7:4747/": id.Of([]byte("far")), "https://play.example/": id.Of([]byte("far")), farChannels.URL(): id.Of([]byte("far")),
	}
	if len(got) != len(want) {
		t.Errorf("told of %v", got)
	}
	for url, node := range want {
		if got[url] != node {
			t.Errorf("%s is %v", url, got[url])
		}
	}
}
