package gateway_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/app/webmap"
)

// paper is a map of one tile.
type paper struct{ asked int }

func (p *paper) Tile(_ context.Context, at webmap.At) (*webmap.Tile, error) {
	p.asked++
	switch at {
	case webmap.At{X: -1, Z: 2}:
		return &webmap.Tile{Deflated: []byte("tile"), ETag: `"one"`}, nil
	case webmap.At{X: 5}:
		return nil, webmap.ErrBusy
	}
	return nil, webmap.ErrNoTile
}

func (p *paper) Overview(context.Context) (*webmap.Overview, error) {
	return &webmap.Overview{Name: "<script>", Claims: []webmap.Claim{{Name: "home", Owner: `"><img src=x>`}}}, nil
}

// TestMap: the page, tiles that are sent once, and names that no page takes for markup; and
// nobody asks for more than a screen at once.
func TestMap(t *testing.T) {
	addr := serve(t, gateway.Config{Game: nobody{}, Log: slog.New(slog.DiscardHandler)})
	for _, path := range []string{"/map", "/map/world", "/map/tile/0/0/0"} {
		if res := request(t, addr, "GET", path, "", nil); res.StatusCode != http.StatusNotFound {
			t.Errorf("without a map %s: %s", path, res.Status)
		}
	}
	p := &paper{}
	addr = serve(t, gateway.Config{Game: nobody{}, Map: p, Log: slog.New(slog.DiscardHandler)})
	get := func(path string, header map[string]string) (int, string, http.Header) {
		t.Helper()
		res := request(t, addr, "GET", path, "", header)
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(b), res.Header
	}
	if code, body, _ := get("/map", nil); code != 200 || !strings.Contains(body, "worldmap.js") {
		t.Errorf("the page: %d %.80s", code, body)
	}
	code, body, head := get("/map/tile/0/-1/2", nil)
	if code != 200 || body != "tile" || head.Get("ETag") != `"one"` {
		t.Errorf("a tile: %d %q %v", code, body, head)
	}
	if code, body, _ := get("/map/tile/0/-1/2", map[string]string{"If-None-Match": `"one"`}); code != 304 || body != "" {
		t.Errorf("the same tile: %d %q", code, body)
	}
	for path, want := range map[string]int{"/map/tile/9/0/0": 404, "/map/tile/0/99999999999/0": 404, "/map/tile/0/x/0": 404, "/map/tile/0/5/0": 503} {
		if code, _, _ := get(path, nil); code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
	if _, body, head := get("/map/world", nil); strings.ContainsAny(body, "<>") || !strings.HasPrefix(head.Get("Content-Type"), "application/json") {
		t.Errorf("names as markup: %s", body)
	}
	if code, _, _ := get("/map/world", map[string]string{"Origin": "https://other.example"}); code != 403 {
		t.Errorf("another site: %d", code)
	}
	busy := 0
	for range 250 {
		if code, _, _ := get("/map/tile/0/-1/2", nil); code == http.StatusTooManyRequests {
			busy++
		}
	}
	if busy == 0 || p.asked > 250 {
		t.Errorf("%d refused, %d tiles asked for", busy, p.asked)
	}
}
