package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// Ask asks a node that runs for its /status. The address is HOST:PORT or a URL;
// local is the secret of the node's data folder, or empty.
func Ask(ctx context.Context, addr string, local keyring.LocalSecret) (gateway.Status, error) {
	var s gateway.Status
	b, err := AskJSON(ctx, addr, local)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil || s.World.ID == "" {
		return s, fmt.Errorf("%w: what answers at %s is something else", ErrNoNode, addr)
	}
	return s, nil
}

// AskJSON is Ask without reading the answer.
func AskJSON(ctx context.Context, addr string, local keyring.LocalSecret) ([]byte, error) {
	addr = withScheme(addr)
	req, err := get(ctx, addr, "/status")
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if local != "" && near(req.URL.Host) { // elsewhere it proves nothing
		req.Header.Set("Authorization", "Bearer "+local.Ticket(time.Now()))
	}
	res, err := asking.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w at %s: is it running? (%w)", ErrNoNode, addr, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	switch res.StatusCode {
	case http.StatusOK:
		return b, nil
	case http.StatusUnauthorized:
		return nil, fmt.Errorf("%s shows its status only to who can read its data folder: give the node's folder with --data, or start it with --open-status", addr)
	}
	return nil, fmt.Errorf("%w: %s answers %s", ErrNoNode, req.URL, res.Status)
}

// withScheme makes the URL of a node of HOST:PORT, which may be a URL already.
func withScheme(addr string) string {
	if strings.Contains(addr, "://") {
		return addr
	}
	return "http://" + addr
}

// get is the request for a page of a node.
func get(ctx context.Context, addr, page string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(addr, "/")+page, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return req, nil
}
