package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// program is what Hello says about this client.
const program = "voxelpopuli-go/1"

// dialTime is how long the world may say nothing.
const dialTime = 60 * time.Second

// Dial joins the world of a node elsewhere: addr is host:port or an http URL
// of its gateway, code its join code. A URL that ends in "#local=SECRET" has the
// secret of the node's data folder: the player counts as the node's owner. If the
// node does not let the player in, the error is a *wire.Refused; while that passes
// by itself, Dial waits.
func Dial(ctx context.Context, addr string, who Identity, code string) (Conn, *wire.Welcome, error) {
	return DialTelling(ctx, addr, who, code, func(*wire.Notice) {})
}

// DialTelling is Dial that tells, again and again, why it still waits.
func DialTelling(ctx context.Context, addr string, who Identity, code string, waits func(why *wire.Notice)) (c Conn, w *wire.Welcome, err error) {
	base, local, err := baseURL(addr)
	if err != nil {
		return nil, nil, err
	}
	err = patiently(ctx, waits, func() (err error) {
		c, w, err = dial(ctx, base, who, code, local, waits)
		return err
	})
	return c, w, err
}

func dial(ctx context.Context, base string, who Identity, code string, local keyring.LocalSecret, waits func(*wire.Notice)) (Conn, *wire.Welcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(dialTime, cancel)
	defer late.Stop()
	ticket, err := askTicket(ctx, base, code, local)
	if err != nil {
		return nil, nil, err
	}
	ws, res, err := websocket.Dial(ctx, base+"/ws?token="+url.QueryEscape(ticket.Token), &websocket.DialOptions{HTTPClient: sockets})
	if err != nil {
		return nil, nil, dialError(res, err)
	}
	ws.SetReadLimit(wire.MaxColumn + 1<<12)
	c := &socket{ws: ws}
	return Enter(ctx, c, who, hostOf(base), ticket.World.ID, func(why *wire.Notice) {
		late.Reset(dialTime)
		waits(why)
	})
}

// sockets makes the TCP connections of WebSockets, which are not shared.
var sockets = &http.Client{Transport: &http.Transport{
	DialContext:       dialBuffered,
	DisableKeepAlives: true,
}}

// readBuffer holds a frame of a large crowd, so that it is read at once.
const readBuffer = 16 << 10

func dialBuffered(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: 10 * time.Second}
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &buffered{Conn: c, r: bufio.NewReaderSize(c, readBuffer)}, nil
}

// buffered is a connection that reads in large pieces.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }

// baseURL returns the http address of a gateway without a slash at its end, and
// the secret that stands behind it.
func baseURL(addr string) (base string, local keyring.LocalSecret, err error) {
	if !strings.Contains(addr, "://") {
		addr = "http://" + addr
	}
	u, err := url.Parse(addr)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", "", fmt.Errorf("address %q: want host:port or an http address", addr)
	}
	rest, err := url.ParseQuery(u.Fragment)
	if err != nil {
		return "", "", fmt.Errorf("address %q: %w", addr, err)
	}
	return u.Scheme + "://" + u.Host + strings.TrimSuffix(u.Path, "/"), keyring.LocalSecret(rest.Get("local")), nil
}

// hostOf is the host of a base URL, as it stands in the requests' Host.
func hostOf(base string) string {
	_, rest, _ := strings.Cut(base, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// ticket is the answer to POST /api/session.
type ticket struct {
	Token string `json:"token"`
	World struct {
		ID   id.ID  `json:"-"`
		Hex  string `json:"id"`
		Name string `json:"name"`
	} `json:"world"`
	Error wire.Code `json:"error"`
	Text  string    `json:"text"`
	Retry uint32    `json:"retry"`
}

func askTicket(ctx context.Context, base, code string, local keyring.LocalSecret) (*ticket, error) {
	ask := map[string]string{"code": code}
	if local != "" {
		ask["local"] = local.Ticket(time.Now())
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/session", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no answer from %s: %w", base, err)
	}
	defer res.Body.Close()
	var t ticket
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&t); err != nil {
		return nil, fmt.Errorf("%s does not look like a world (status %s): %w", base, res.Status, err)
	}
	if t.Error != "" {
		return nil, &wire.Refused{Code: t.Error, Text: t.Text, Retry: t.Retry}
	}
	if t.World.ID, err = id.Parse(t.World.Hex); err != nil {
		return nil, fmt.Errorf("%s does not look like a world: %w", base, err)
	}
	return &t, nil
}

// dialError makes a refusal of an answer that is no WebSocket.
func dialError(res *http.Response, err error) error {
	var t ticket
	if res != nil && res.Body != nil && json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&t) == nil && t.Error != "" {
		return &wire.Refused{Code: t.Error, Text: t.Text, Retry: t.Retry}
	}
	return fmt.Errorf("connection to the world: %w", err)
}

// socket is a Conn over a WebSocket.
type socket struct {
	ws     *websocket.Conn
	buf    []byte
	closed atomic.Bool
}

func (c *socket) Send(b []byte) error {
	if err := c.ws.Write(context.Background(), websocket.MessageBinary, b); err != nil {
		return c.wrap(err)
	}
	return nil
}

func (c *socket) Recv() ([]byte, error) {
	kind, r, err := c.ws.Reader(context.Background())
	if err != nil {
		return nil, c.wrap(err)
	}
	if kind != websocket.MessageBinary {
		return nil, fmt.Errorf("%w: text instead of bytes", wire.ErrMalformed)
	}
	c.buf = c.buf[:0]
	for {
		if len(c.buf) == cap(c.buf) {
			c.buf = append(c.buf, make([]byte, max(4096, cap(c.buf)))...)[:len(c.buf)]
		}
		n, err := r.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, c.wrap(err)
		}
	}
	if wire.TypeOf(c.buf) == wire.TypeRefused {
		var why wire.Refused
		if err := wire.DecodeInto(c.buf, &why); err != nil {
			return nil, err
		}
		return nil, &why
	}
	return c.buf, nil
}

func (c *socket) wrap(err error) error {
	if c.closed.Load() {
		return ErrClosed
	}
	return fmt.Errorf("connection lost: %w", err)
}

func (c *socket) Close() error {
	c.closed.Store(true)
	return c.ws.CloseNow()
}
