package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// webSocket is a client's connection over TCP.
type webSocket struct {
	*tcp
	ws *websocket.Conn
}

// newPeer is a peer without its connection.
func (g *Gateway) newPeer() *peer {
	p := &peer{
		g: g, begun: time.Now(),
		messages: limit.NewBudget(float64(g.limits.Messages), float64(burst*g.limits.Messages)),
		bytes:    limit.NewBudget(float64(g.limits.Bytes), float64(burst*g.limits.Bytes)),
	}
	p.heard.Store(p.begun.UnixNano())
	return p
}

// serveSocket runs a WebSocket to its end.
func (g *Gateway) serveSocket(w http.ResponseWriter, r *http.Request) {
	addr := g.client(r)
	if !g.ownHost(r) {
		g.deny(w, "host", foreignHost(r))
		return
	}
	local, guest, why := g.admission.enter(addr, r.URL.Query().Get("token"), g.evict)
	if why != nil {
		g.metrics.refused(why.Code)
		refuse(w, statusOf(why.Code), why)
		return
	}
	defer g.admission.leave(addr, local) // the value of now: below it means more
	conn, ok := r.Context().Value(connKey{}).(*tcp)
	if !ok {
		refuse(w, http.StatusInternalServerError, wire.Internal.Refusal(0))
		return
	}
	p := g.newPeer()
	// Another node's page has no rights of this machine, whatever it can show.
	p.ownPage = sameOrigin(r)
	p.addr, p.local, p.guest, p.host = addr, (local || guest.Owner) && p.ownPage, guest, r.Host
	p.others = func() *wire.Entrances { return g.entrances(r) }
	// Origin and Host were checked by guard.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled,
		OnPingReceived: func(context.Context, []byte) bool { return p.control() },
		OnPongReceived: func(context.Context, []byte) { p.control() },
	})
	if err != nil {
		return // Accept has answered
	}
	g.conns.remove(conn)
	ws.SetReadLimit(-1) // ReadMessage has a limit of its own, and says so in the protocol
	conn.allow = p.allow
	p.conn = &webSocket{conn, ws}
	g.servePeer(p)
}

// servePeer runs a peer to its end.
func (g *Gateway) servePeer(p *peer) {
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if !g.add(p) {
		p.refuse(wire.Restart.Refusal(3))
		return
	}
	defer g.remove(p)
	p.run()
}

// ReadMessage implements conn.
func (s *webSocket) ReadMessage(b []byte) (int, error) {
	kind, r, err := s.ws.Reader(context.Background())
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, b)
	switch {
	case err == nil:
		return 0, wire.TooLarge.Refusal(0)
	case !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF):
		return 0, err
	case kind != websocket.MessageBinary:
		return 0, notBinary()
	}
	return n, nil
}

func notBinary() *wire.Refused {
	return &wire.Refused{Code: wire.Malformed, Text: "Messages are binary."}
}

func (s *webSocket) finish(why wire.Code) {
	status := websocket.StatusPolicyViolation
	if why == wire.Restart {
		status = websocket.StatusServiceRestart
	}
	s.ws.Close(status, string(why))
}

func (s *webSocket) drop() { s.ws.CloseNow() }
