package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// openConsole opens consoles with this machine's key for them. At the founder's node the
// key becomes an operator's; elsewhere an operator has to make it one.
func (h *Host) openConsole(ring *keyring.Ring) func() (gateway.Console, error) {
	return func() (gateway.Console, error) {
		key, err := ring.Player(decision.Console)
		if err != nil {
			return nil, err
		}
		who := client.Identity{Name: decision.Console, Key: key.Private}
		if err := h.onLoop(func() error { return h.node.GrantConsole(who.Player()) }); err != nil {
			return nil, err
		}
		c, err := h.client.Console(who)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
}

// Console is the other end of a node's console (gateway, GET /api/console). One goroutine
// calls Say, another one Next.
type Console struct {
	ws   *websocket.Conn
	pace limit.Budget // lines that the lobby takes
}

// DialConsole opens the console of a node that runs. The address is HOST:PORT or a URL,
// local the secret of the node's data folder.
func DialConsole(ctx context.Context, addr string, local keyring.LocalSecret) (*Console, error) {
	addr = withScheme(addr)
	req, err := get(ctx, addr, "/api/console")
	if err != nil {
		return nil, err
	}
	if !near(req.URL.Host) && req.URL.Scheme != "https" {
		return nil, fmt.Errorf("%w: the secret of the console would go over the network unencrypted: give an https address", ErrUsage)
	}
	head := http.Header{"Authorization": {"Bearer " + local.Ticket(time.Now())}}
	ws, res, err := websocket.Dial(ctx, req.URL.String(), &websocket.DialOptions{HTTPHeader: head})
	if err == nil {
		ws.SetReadLimit(1 << 20)
		return &Console{ws, limit.NewBudget(1/lobby.SayEvery.Seconds(), lobby.SayBurst-1)}, nil // one less: lines may come late
	}
	if res == nil {
		return nil, fmt.Errorf("%w at %s: is it running? (%w)", ErrNoNode, addr, err)
	}
	if res.StatusCode == http.StatusUnauthorized {
		return nil, fmt.Errorf("%s opens a console only to who can read its data folder: give the node's folder with --data", addr)
	}
	why, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
	return nil, fmt.Errorf("%w: %s answers %s %s", ErrNoNode, addr, res.Status, why)
}

// Say says a line, or runs a command. Where the lobby would take it for a flood, it waits.
func (c *Console) Say(ctx context.Context, line string) error {
	for !c.pace.Take(1, time.Now()) {
		select {
		case <-time.After(c.pace.Wait(1, time.Now())):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return c.ws.Write(ctx, websocket.MessageText, []byte(line))
}

// Next returns the next event, also as it came.
func (c *Console) Next(ctx context.Context) (e client.Event, text []byte, err error) {
	_, text, err = c.ws.Read(ctx)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	return e, text, err
}

// Close ends the console.
func (c *Console) Close() { _ = c.ws.Close(websocket.StatusNormalClosure, "") }
