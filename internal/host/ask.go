package host

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/gateway"
)

// Ask asks a node that runs for its /status. The address is HOST:PORT or a URL.
func Ask(ctx context.Context, addr string) (gateway.Status, error) {
	var s gateway.Status
	b, err := AskJSON(ctx, addr)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil || s.World.ID == "" {
		return s, fmt.Errorf("%w: what answers at %s is something else", ErrNoNode, addr)
	}
	return s, nil
}

// AskJSON is Ask without reading the answer.
func AskJSON(ctx context.Context, addr string) ([]byte, error) {
	if !strings.Contains(addr, "://") {
		addr = "http://" + addr
	}
	page := strings.TrimRight(addr, "/") + "/status"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	req.Header.Set("Accept", "application/json")
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
	case http.StatusForbidden:
		return nil, fmt.Errorf("%s shows its status only to its own machine (unless it runs with --open-status)", addr)
	}
	return nil, fmt.Errorf("%w: %s answers %s", ErrNoNode, page, res.Status)
}
