package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Console is a console as the gateway needs it; *client.Console is one.
type Console interface {
	Say(line string) error
	Next(ctx context.Context) (client.Event, error)
	Close()
}

const (
	// maxConsoleLine bounds a line that is typed, in bytes.
	maxConsoleLine = 1 << 10
	// consoleStall is how long the other end may take nothing.
	consoleStall = 20 * time.Second
)

// serveConsole runs a console for the owner of the machine, as a WebSocket of texts: each
// event is a JSON object, each line that comes is said. The secret goes over loopback or
// TLS only, so that nobody on the way reads it.
func (g *Gateway) serveConsole(w http.ResponseWriter, r *http.Request) {
	conn, ok := r.Context().Value(connKey{}).(*tcp)
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	switch {
	case g.cfg.Console == nil || !ok:
		http.NotFound(w, r)
		return
	case !conn.secure && !from.Addr().Unmap().IsLoopback():
		g.deny(w, wire.NotAllowed, "A console is opened over HTTPS, or from this machine.")
		return
	case !g.provesLocal(r):
		g.askLocal(w)
		return
	}
	c, err := g.cfg.Console()
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, &wire.Refused{Code: wire.Internal, Text: err.Error()})
		return
	}
	defer c.Close()
	g.gone.Add(1)
	defer g.gone.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has answered
	}
	g.conns.remove(conn)
	ws.SetReadLimit(maxConsoleLine)
	ctx, cancel := context.WithCancel(g.consoles)
	defer cancel()
	go func() {
		defer cancel()
		readConsole(ctx, ws, c)
	}()
	status, why := writeConsole(ctx, ws, c)
	_ = ws.Close(status, why) // it may have ended itself
}

// readConsole says what the other end types, until that has gone.
func readConsole(ctx context.Context, ws *websocket.Conn, c Console) {
	for {
		kind, line, err := ws.Read(ctx)
		if err != nil || kind != websocket.MessageText {
			return
		}
		if text := wire.CleanText(string(line)); strings.TrimSpace(text) != "" && c.Say(text) != nil {
			return
		}
	}
}

// writeConsole tells the other end what happens, until one of the two ends; it returns why.
func writeConsole(ctx context.Context, ws *websocket.Conn, c Console) (websocket.StatusCode, string) {
	for {
		e, err := c.Next(ctx)
		var no *wire.Refused
		switch {
		case errors.As(err, &no):
			return websocket.StatusPolicyViolation, no.Text[:min(len(no.Text), 120)]
		case ctx.Err() != nil:
			return websocket.StatusServiceRestart, wire.Restart.Text()
		case err != nil:
			return websocket.StatusInternalError, "The node has ended the console."
		}
		b, err := json.Marshal(e)
		if err != nil {
			return websocket.StatusInternalError, err.Error()
		}
		slow, done := context.WithTimeout(ctx, consoleStall)
		err = ws.Write(slow, websocket.MessageText, b)
		done()
		if err != nil {
			return websocket.StatusPolicyViolation, wire.Slow.Text()
		}
	}
}
