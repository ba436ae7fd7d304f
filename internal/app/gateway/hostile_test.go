package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// bed is a gateway with a real world behind it.
type bed struct {
	t    testing.TB
	w    *clienttest.World
	addr string

	honest client.Identity
}

func newBed(t testing.TB, cfg gateway.Config) *bed {
	t.Helper()
	w := clienttest.Start(t, world.Creative)
	cfg.Game, cfg.Log, cfg.Local = gateway.Node{Node: w.Node}, slog.New(slog.DiscardHandler), secret
	return &bed{t, w, serve(t, cfg), identity(t, "Honest")}
}

// secret is that of the beds' data folders.
const secret keyring.LocalSecret = "the secret of a test"

// raw is a WebSocket without manners.
type raw struct {
	*websocket.Conn
	t    testing.TB
	host string // that was dialled
}

// token is one of somebody local, whom the limits of an address do not concern.
func (b *bed) token() string {
	b.t.Helper()
	body := `{"local":"` + string(secret) + `"}`
	res, err := http.Post("http://"+b.addr+"/api/session", "application/json", strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	var ans struct{ Token string }
	if err := json.NewDecoder(res.Body).Decode(&ans); err != nil || ans.Token == "" {
		b.t.Fatalf("no token: %s %v", res.Status, err)
	}
	return ans.Token
}

func (b *bed) dial() *raw {
	b.t.Helper()
	ws, _, err := websocket.Dial(context.Background(), "ws://"+b.addr+"/ws?token="+b.token(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	ws.SetReadLimit(-1)
	b.t.Cleanup(func() { ws.CloseNow() })
	return &raw{ws, b.t, b.addr}
}

func (r *raw) say(m wire.Message) { r.bytes(wire.Encode(m)) }

func (r *raw) bytes(b []byte) {
	// A server that has closed already is what some tests are about.
	_ = r.Write(context.Background(), websocket.MessageBinary, b)
}

// refused reads until the connection ends and returns the code that it ended
// with, empty if none was given.
func (r *raw) refused() wire.Code {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		_, b, err := r.Read(ctx)
		if err != nil {
			return ""
		}
		var why wire.Refused
		if wire.DecodeInto(b, &why) == nil {
			return why.Code
		}
	}
}

// hears reads until a message of a type comes, and reports false if the connection ends.
func (r *raw) hears(want wire.Type) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		_, b, err := r.Read(ctx)
		if err != nil || wire.TypeOf(b) == wire.TypeRefused {
			return false
		}
		if wire.TypeOf(b) == want {
			return true
		}
	}
}

func identity(t testing.TB, name string) client.Identity {
	t.Helper()
	who, err := client.NewIdentity(name)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

func hello(who client.Identity) *wire.Hello {
	return &wire.Hello{Version: wire.Version, Name: who.Name, Key: [32]byte(who.Public()), Client: "test"}
}

// challenge says Hello and returns the answer.
func (r *raw) challenge(who client.Identity) *wire.Challenge {
	r.t.Helper()
	r.say(hello(who))
	_, b, err := r.Read(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	var c wire.Challenge
	if err := wire.DecodeInto(b, &c); err != nil {
		r.t.Fatal(err)
	}
	return &c
}

// let reads the answer to the proof: before it may come that one has to wait.
func (r *raw) let() (m []byte, err error) {
	for m = []byte{byte(wire.TypeNotice)}; err == nil && wire.TypeOf(m) == wire.TypeNotice; {
		_, m, err = r.Read(context.Background())
	}
	return m, err
}

// enter does the whole handshake.
func (b *bed) enter(name string) *raw {
	b.t.Helper()
	r, who := b.dial(), identity(b.t, name)
	r.say(who.Prove(r.challenge(who), r.host))
	if m, err := r.let(); err != nil || wire.TypeOf(m) != wire.TypeWelcome {
		b.t.Fatalf("no welcome: % x, %v", m[:min(len(m), 20)], err)
	}
	return r
}

// healthy checks that somebody else can come in and is served.
func (b *bed) healthy() {
	b.t.Helper()
	res, err := http.Get("http://" + b.addr + "/healthz")
	if err != nil || res.StatusCode != http.StatusOK {
		b.t.Fatalf("not healthy: %v %v", res, err)
	}
	res.Body.Close()
	conn, welcome, err := client.Dial(context.Background(), b.addr, b.honest, "")
	if err != nil {
		b.t.Fatalf("an honest player cannot come in: %v", err)
	}
	defer conn.Close()
	m := client.NewMirror(conn, welcome, client.Options{})
	go m.Run()
	if err := m.View(2, 0); err != nil {
		b.t.Fatal(err)
	}
	waitFor(b.t, "the honest player's columns", func() bool { return m.Loaded() >= 9 })
}

func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestHostileClients: each kind of bad input has one clear answer, and the
// server stays healthy.
func TestHostileClients(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	b := newBed(t, gateway.Config{Limits: gateway.Limits{Handshake: time.Second, Stall: 2 * time.Second}})
	mallory := identity(t, "Mallory")
	wrongKey := func(r *raw, c *wire.Challenge) { r.say(identity(t, "Other").Prove(c, r.host)) }
	cases := []struct {
		name string
		do   func(*raw)
		want wire.Code
		in   bool // after the handshake
	}{
		{"wrong version", func(r *raw) { h := hello(mallory); h.Version = 99; r.say(h) }, wire.BadVersion, false},
		{"garbage first", func(r *raw) { r.bytes([]byte("GET / HTTP/1.1")) }, wire.Malformed, false},
		{"nothing in it", func(r *raw) { r.bytes(nil) }, wire.Malformed, false},
		{"text", func(r *raw) { r.Write(context.Background(), websocket.MessageText, []byte("hello")) }, wire.Malformed, false},
		{"giant first", func(r *raw) { r.bytes(make([]byte, 1<<20)) }, wire.TooLarge, false},
		{"says nothing", func(*raw) {}, wire.Idle, false},
		{"says hello only", func(r *raw) { r.challenge(mallory) }, wire.Idle, false},
		{"proof before hello", func(r *raw) { r.say(&wire.Proof{}) }, wire.Malformed, false},
		{"plays before hello", func(r *raw) { r.say(&wire.Say{Text: "hi"}) }, wire.Malformed, false},
		{"plays before proof", func(r *raw) { r.challenge(mallory); r.say(&wire.View{Distance: 4}) }, wire.Malformed, false},
		{"no signature", func(r *raw) { r.challenge(mallory); r.say(&wire.Proof{}) }, wire.BadProof, false},
		{"another's signature", func(r *raw) { wrongKey(r, r.challenge(mallory)) }, wire.BadProof, false},
		{"signature for another world", func(r *raw) {
			c := r.challenge(mallory)
			c.World[0] ^= 1
			r.say(mallory.Prove(c, r.host))
		}, wire.BadProof, false},
		{"old signature", func(r *raw) {
			c := r.challenge(mallory)
			c.Nonce = [32]byte{}
			r.say(mallory.Prove(c, r.host))
		}, wire.BadProof, false},
		{"key that is none", func(r *raw) {
			r.say(&wire.Hello{Version: wire.Version, Name: "Zero", Key: [32]byte{}})
			r.say(&wire.Proof{})
		}, wire.BadProof, false},
		{"no name", func(r *raw) { h := hello(mallory); h.Name = "  "; r.say(h) }, wire.BadName, false},
		{"control characters", func(r *raw) { h := hello(mallory); h.Name = "Ad\x1b[2Jmin"; r.say(h) }, wire.BadName, false},
		{"bidi characters", func(r *raw) { h := hello(mallory); h.Name = "nimdA\u202e"; r.say(h) }, wire.BadName, false},
		{"long name", func(r *raw) { h := hello(mallory); h.Name = strings.Repeat("x", 2000); r.say(h) }, wire.Malformed, false},
		{"garbage later", func(r *raw) { r.bytes([]byte{0xff, 1, 2, 3}) }, wire.Malformed, true},
		{"a node's message", func(r *raw) { r.say(&wire.Unload{}) }, wire.Malformed, true},
		{"hello again", func(r *raw) { r.say(hello(mallory)) }, wire.Malformed, true},
		{"giant later", func(r *raw) { r.say(&wire.Say{Text: strings.Repeat("x", 1000)}); r.bytes(make([]byte, 5000)) }, wire.TooLarge, true},
		{"too many", func(r *raw) {
			for range 400 {
				r.say(&wire.Ping{})
			}
		}, wire.TooFast, true},
		{"too much", func(r *raw) {
			for range 170 {
				r.say(&wire.Say{Text: strings.Repeat("x", 1020)})
			}
		}, wire.TooFast, true},
		{"too many steps", func(r *raw) { r.bytes(append([]byte{byte(wire.TypeInput), 200, 1}, make([]byte, 1300)...)) }, wire.Malformed, true},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bb := &bed{t: t, w: b.w, addr: b.addr}
			var r *raw
			if c.in {
				r = bb.enter("Mallory " + string(rune('A'+i)))
			} else {
				r = bb.dial()
			}
			c.do(r)
			if got := r.refused(); got != c.want {
				t.Errorf("ended with %q, want %q", got, c.want)
			}
		})
	}
	b.healthy()
}

func TestNameOfAnotherPlayer(t *testing.T) {
	b := newBed(t, gateway.Config{})
	b.enter("Zoe")
	r, who := b.dial(), identity(t, "zOE")
	r.say(who.Prove(r.challenge(who), r.host))
	if got := r.refused(); got != wire.NameTaken {
		t.Errorf("ended with %q", got)
	}
}

// TestSameKeyElsewhere: the newest window plays, the older one is told.
func TestSameKeyElsewhere(t *testing.T) {
	b := newBed(t, gateway.Config{})
	who := identity(t, "Zoe")
	var first, second *raw
	for _, r := range []**raw{&first, &second} {
		*r = b.dial()
		(*r).say(who.Prove((*r).challenge(who), b.addr))
		if m, err := (*r).let(); err != nil || wire.TypeOf(m) != wire.TypeWelcome {
			t.Fatalf("no welcome: % x, %v", m, err)
		}
	}
	if got := first.refused(); got != wire.Elsewhere {
		t.Errorf("the first window ended with %q", got)
	}
	second.say(&wire.Leave{})
}

// TestFarCommands: what a client asks for far away costs nothing and is refused.
func TestFarCommands(t *testing.T) {
	b := newBed(t, gateway.Config{})
	r := b.enter("Zoe")
	r.say(&wire.View{Distance: 2})
	far := []wire.Act{
		{Seq: 1, Kind: wire.Dig, X: 1 << 17, Y: 60, Z: 0},
		{Seq: 2, Kind: wire.Place, X: -(1 << 17), Y: 60, Z: 5, Face: 1},
		{Seq: 3, Kind: wire.Use, X: 2147483647, Y: -2147483647, Z: 7},
		{Seq: 4, Kind: wire.Hit, A: 1 << 52},
	}
	for i := range far {
		r.say(&far[i])
	}
	r.say(&wire.Input{Seq: 5, Steps: []wire.Step{{}}, Pos: world.Vec{X: 1 << 39, Y: 0, Z: 1 << 39}})
	r.say(&wire.Input{Seq: 1, Steps: []wire.Step{{}}, Pos: world.Vec{}}) // out of order
	r.say(&wire.Input{Seq: 1 << 31, Steps: []wire.Step{{}}, Pos: world.Vec{}})
	answered := map[uint32]bool{}
	for len(answered) < len(far) {
		_, m, err := r.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var res wire.ActResult
		if wire.DecodeInto(m, &res) == nil {
			if res.OK || res.Code == "" || res.Text == "" {
				t.Errorf("answer: %+v", res)
			}
			answered[res.Seq] = true
		}
		var col wire.Column
		if wire.DecodeInto(m, &col) == nil && (col.Pos.X > 1000 || col.Pos.X < -1000) {
			t.Errorf("was sent %v", col.Pos)
		}
	}
	b.healthy()
}

func TestTokens(t *testing.T) {
	b := newBed(t, gateway.Config{})
	token := b.token()
	open := func(token string) wire.Code {
		ws, res, err := websocket.Dial(context.Background(), "ws://"+b.addr+"/ws?token="+token, nil)
		if err == nil {
			ws.CloseNow()
			return ""
		}
		var why wire.Refused
		if res == nil || json.NewDecoder(res.Body).Decode(&struct{ Error *wire.Code }{&why.Code}) != nil {
			t.Fatalf("no reason: %v", err)
		}
		return why.Code
	}
	for _, c := range []struct {
		token string
		want  wire.Code
	}{{token, ""}, {token, wire.BadToken}, {"", wire.BadToken}, {strings.Repeat("x", 1000), wire.BadToken}} {
		if got := open(c.token); got != c.want {
			t.Errorf("token %.10q: %q, want %q", c.token, got, c.want)
		}
	}
}

func TestFullHouse(t *testing.T) {
	b := newBed(t, gateway.Config{Limits: gateway.Limits{Connections: 2}})
	b.enter("A")
	second := b.enter("B")
	_, _, err := client.Dial(context.Background(), b.addr, identity(t, "C"), "")
	var why *wire.Refused
	if !errors.As(err, &why) || why.Code != wire.Full || why.Retry == 0 {
		t.Errorf("the third: %v", err)
	}
	second.CloseNow()
	waitFor(t, "room", func() bool {
		conn, _, err := client.Dial(context.Background(), b.addr, identity(t, "C"), "")
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

func TestJoinCode(t *testing.T) {
	b := newBed(t, gateway.Config{Code: "open sesame"})
	var why *wire.Refused
	for range 3 {
		if _, _, err := client.Dial(context.Background(), b.addr, identity(t, "A"), "guess"); !errors.As(err, &why) || why.Code != wire.BadCode {
			t.Errorf("a wrong code: %v", err)
		}
	}
	conn, _, err := client.Dial(context.Background(), b.addr, identity(t, "A"), "open sesame")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for range 10 {
		_, _, err = client.Dial(context.Background(), b.addr, identity(t, "A"), "guess")
	}
	if !errors.As(err, &why) || why.Code != wire.WrongCodes || why.Retry == 0 {
		t.Errorf("after many wrong codes: %v", err)
	}
}

// TestSlowReader: a client that does not read is dropped, and costs no memory
// and no goroutine afterwards.
func TestSlowReader(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	b := newBed(t, gateway.Config{Limits: gateway.Limits{Stall: time.Second}})
	b.healthy()
	goroutines := runtime.NumGoroutine()
	for range 3 {
		r := b.enter("Slow " + identity(t, "").Player().Short())
		r.say(&wire.View{Distance: 16, Far: 8})
		// A View each way makes the node send columns again and again.
		go func() {
			for range 200 {
				r.say(&wire.View{Distance: 2})
				r.say(&wire.View{Distance: 16})
				time.Sleep(50 * time.Millisecond)
			}
		}()
	}
	waitFor(t, "the slow ones to be dropped", func() bool {
		return strings.Contains(b.get("/metrics"), "voxelpopuli_connections 0")
	})
	b.healthy()
	waitFor(t, "their goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines+20 })
}

func (b *bed) get(path string) string {
	req, err := http.NewRequest(http.MethodGet, "http://"+b.addr+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+string(secret))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var buf bytes.Buffer
	buf.ReadFrom(res.Body)
	return buf.String()
}

// TestMemoryStaysFlat: a thousand attempts leave nothing behind.
func TestMemoryStaysFlat(t *testing.T) {
	b := newBed(t, gateway.Config{})
	attack := func(n int) {
		for range n {
			r := b.dial()
			r.bytes(append([]byte{byte(wire.TypeHello)}, make([]byte, 4000)...))
			r.CloseNow()
			c, err := net.Dial("tcp", b.addr)
			if err == nil {
				c.Write([]byte("\x16\x03\x01 not HTTP\r\n\r\n"))
				c.Close()
			}
		}
	}
	used := func() (heap uint64, goroutines int) {
		waitFor(t, "connections to end", func() bool { return strings.Contains(b.get("/metrics"), "voxelpopuli_connections 0") })
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	attack(100)
	heap, goroutines := used()
	attack(1000)
	heap2, goroutines2 := used()
	if heap2 > heap+8<<20 || goroutines2 > goroutines+50 {
		t.Errorf("heap %d to %d kB, goroutines %d to %d", heap>>10, heap2>>10, goroutines, goroutines2)
	}
	b.healthy()
}
