package gateway_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// connect opens a TCP connection to a gateway.
func connect(t testing.TB, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ended reports whether the other side has closed a connection that says nothing.
func ended(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestHostileConnections: connections on which nobody says who they are stay few,
// and keep nobody out, also if they have sent half a request.
func TestHostileConnections(t *testing.T) {
	const allowed = 16
	addr := serve(t, gateway.Config{Game: &entrance{}, Log: slog.New(slog.DiscardHandler), Limits: gateway.Limits{PendingPerAddress: allowed}})
	player, _, err := client.Dial(context.Background(), addr, identity(t, "Honest"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer player.Close()
	var held []net.Conn
	begin := time.Now()
	for i := range 20 * allowed {
		c := connect(t, addr)
		if i%2 == 0 {
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nX-")
		}
		held = append(held, c)
	}
	waitFor(t, "all but a few to be closed", func() bool {
		open := 0
		for _, c := range held {
			if !ended(c) {
				open++
			}
		}
		return open <= allowed
	})
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("they were closed after %v, when their time was over anyway", d)
	}
	if res := request(t, addr, "GET", "/healthz", "", nil); res.StatusCode != 200 {
		t.Errorf("somebody else is answered %s", res.Status)
	}
	if err := player.Send(wire.Encode(&wire.Input{Seq: 1, Steps: []wire.Step{{}}})); err != nil {
		t.Error(err)
	}
	if _, err := player.Recv(); err != nil {
		t.Errorf("a player who was in is out: %v", err)
	}
}

// TestHostileConnectionsOfManyAddresses: those of the address that has most have to
// go first.
func TestHostileConnectionsOfManyAddresses(t *testing.T) {
	const allowed = 20
	addr := serve(t, gateway.Config{Game: &entrance{}, Log: slog.New(slog.DiscardHandler), Limits: gateway.Limits{Pending: allowed}})
	from := func(ip string) net.Conn {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
		c, err := d.Dial("tcp", addr)
		if err != nil {
			t.Skipf("no other loopback addresses here: %v", err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	honest := from("127.0.0.2")
	for range 5 * allowed {
		from("127.0.0.3")
	}
	io.WriteString(honest, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	honest.SetReadDeadline(time.Now().Add(time.Minute))
	res, err := http.ReadResponse(bufio.NewReader(honest), nil)
	if err != nil || res.StatusCode != 200 {
		t.Errorf("the connection of another address: %v %v", res, err)
	}
}

// TestHostileHandshakes: sockets on which nobody proves a key give their place to
// somebody else.
func TestHostileHandshakes(t *testing.T) {
	addr := serve(t, gateway.Config{Game: &entrance{}, Log: slog.New(slog.DiscardHandler),
		Limits: gateway.Limits{PerAddress: 3, Handshake: time.Hour}})
	open := func() *raw {
		res := request(t, addr, "POST", "/api/session", `{}`, map[string]string{"Content-Type": "application/json"})
		var ans struct{ Token string }
		if err := json.NewDecoder(res.Body).Decode(&ans); err != nil {
			t.Fatal(err)
		}
		ws, _, err := websocket.Dial(context.Background(), "ws://"+addr+"/ws?token="+ans.Token, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.CloseNow() })
		return &raw{ws, t, addr}
	}
	var silent []*raw
	for range 10 {
		silent = append(silent, open())
	}
	first, _, err := client.Dial(context.Background(), addr, identity(t, "Honest"), "")
	if err != nil {
		t.Fatalf("somebody honest: %v", err)
	}
	defer first.Close()
	silent[0].refused() // it was closed
	for range 10 {
		open()
	}
	if first.Send(wire.Encode(&wire.Input{Seq: 1, Steps: []wire.Step{{}}})) != nil {
		t.Fatal("cannot send")
	}
	if _, err := first.Recv(); err != nil {
		t.Errorf("who had proven a key was put out: %v", err)
	}
}

// frame is a WebSocket frame of a client.
func frame(first byte, payload []byte) []byte {
	b := []byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0} // masked with zeros
	return append(b, payload...)
}

// flood opens a WebSocket by hand, and sends frames until the gateway ends it. It
// returns how many were taken, and how many pongs came back.
func flood(t *testing.T, addr string, login bool, first, frame []byte) (sent, pongs int) {
	t.Helper()
	res := request(t, addr, "POST", "/api/session", `{}`, map[string]string{"Content-Type": "application/json"})
	var ans struct{ Token string }
	if err := json.NewDecoder(res.Body).Decode(&ans); err != nil {
		t.Fatal(err)
	}
	c := connect(t, addr)
	io.WriteString(c, "GET /ws?token="+ans.Token+" HTTP/1.1\r\nHost: "+addr+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
	in := bufio.NewReader(c)
	if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", res, err)
	}
	if login {
		who := identity(t, "Mallory")
		c.Write(binaryFrame(wire.Encode(hello(who))))
		c.Write(binaryFrame(wire.Encode(who.Prove(&wire.Challenge{World: (&fountain{}).world()}, addr))))
	}
	answers := make(chan int, 1)
	go func() {
		n := 0
		for {
			b, err := in.ReadByte()
			if err != nil {
				answers <- n
				return
			}
			if b == 0x8a {
				n++
			}
		}
	}()
	c.Write(first)
	end := time.Now().Add(5 * time.Second)
	for ; sent < 1e6 && time.Now().Before(end); sent++ {
		if _, err := c.Write(frame); err != nil {
			break
		}
	}
	c.SetReadDeadline(end)
	return sent, <-answers
}

func binaryFrame(b []byte) []byte {
	f := []byte{0x82, 0x80 | 126, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint16(f[2:], uint16(len(b)))
	return append(f, b...)
}

// TestHostileFrames: pings, pongs and fragments without contents are not free, and
// end the connection when they are too many, before and after the login. Before,
// they were not counted at all, and each connection kept a core busy.
func TestHostileFrames(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	const burst = 3
	addr := serve(t, gateway.Config{Game: &entrance{}, Log: slog.New(slog.DiscardHandler), Limits: gateway.Limits{Handshake: time.Hour}})
	for _, c := range []struct {
		name         string
		first, frame []byte
	}{
		{"pings", nil, frame(0x89, nil)},
		{"long pings", nil, frame(0x89, make([]byte, 125))},
		{"pongs", nil, frame(0x8a, nil)},
		{"empty fragments", frame(0x02, nil), frame(0x00, nil)},
	} {
		for _, login := range []bool{false, true} {
			sent, pongs := flood(t, addr, login, c.first, c.frame)
			t.Logf("%s, login %v: %d sent, %d answered", c.name, login, sent, pongs)
			if sent > 100_000 {
				t.Errorf("%s, login %v: %d were taken", c.name, login, sent)
			}
			if pongs > burst*60+60 {
				t.Errorf("%s, login %v: %d pongs", c.name, login, pongs)
			}
		}
	}
	if _, _, err := client.Dial(context.Background(), addr, identity(t, "Honest"), ""); err != nil {
		t.Error(err)
	}
}

// TestHostileHealthChecks: however often the pages are asked for, the node is asked
// once a second.
func TestHostileHealthChecks(t *testing.T) {
	var asked atomic.Int32
	addr := serve(t, gateway.Config{Game: &entrance{}, Open: true, Log: slog.New(slog.DiscardHandler),
		Stats: func(context.Context) (gateway.Stats, error) { asked.Add(1); return gateway.Stats{}, nil }})
	begin := time.Now()
	for range 200 {
		for _, page := range []string{"/healthz", "/status", "/metrics"} {
			if res := request(t, addr, "GET", page, "", nil); res.StatusCode != 200 {
				t.Fatalf("%s: %s", page, res.Status)
			} else {
				io.Copy(io.Discard, res.Body)
			}
		}
	}
	if most := int32(time.Since(begin)/time.Second) + 1; asked.Load() > most {
		t.Errorf("the node was asked %d times, want at most %d", asked.Load(), most)
	}
}

// TestHostileForwardedFor: addresses count that trusted proxies say, and none that
// a client says.
func TestHostileForwardedFor(t *testing.T) {
	us := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.7/32")}
	for _, c := range []struct {
		name    string
		proxies []netip.Prefix
		with    func(i int) map[string]string
		limited bool
	}{
		{"no proxy is trusted", nil, func(i int) map[string]string { return map[string]string{"X-Forwarded-For": ip(i)} }, true},
		{"another header", us, func(i int) map[string]string {
			return map[string]string{"Forwarded": "for=" + ip(i), "X-Real-Ip": ip(i)}
		}, true},
		{"written by the client", us, func(i int) map[string]string { return map[string]string{"X-Forwarded-For": ip(i) + ", 203.0.113.9"} }, true},
		{"as if by our proxy", us, func(i int) map[string]string {
			return map[string]string{"X-Forwarded-For": ip(i) + ", 10.0.0.7, 203.0.113.9, 10.0.0.7"}
		}, true},
		{"in one /64", us, func(i int) map[string]string {
			return map[string]string{"X-Forwarded-For": netip.AddrFrom16([16]byte{0x20, 1, 15: byte(i)}).String()}
		}, true},
		{"different users", us, func(i int) map[string]string { return map[string]string{"X-Forwarded-For": ip(i)} }, false},
		{"different users, with ports, behind two", us, func(i int) map[string]string {
			return map[string]string{"X-Forwarded-For": ip(i) + ":4711, 10.0.0.7"}
		}, false},
	} {
		addr := serve(t, gateway.Config{Game: nobody{}, Code: "secret", Proxies: c.proxies, Log: slog.New(slog.DiscardHandler)})
		last := 0
		for i := range 8 {
			h := c.with(i)
			h["Content-Type"] = "application/json"
			last = request(t, addr, "POST", "/api/session", `{"code":"guess"}`, h).StatusCode
		}
		if limited := last == http.StatusTooManyRequests; limited != c.limited {
			t.Errorf("%s: limited %v, the last answer %d", c.name, limited, last)
		}
	}
}

func ip(i int) string { return "198.51.100." + strings.Repeat("1", 1+i%2) + string(rune('0'+i)) }
