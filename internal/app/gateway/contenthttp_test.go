package gateway_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// TestContentIsServed: the session names what the world's packs define, and the gateway
// serves it by that name alone.
func TestContentIsServed(t *testing.T) {
	files, err := pack.Template("quarry")
	if err != nil {
		t.Fatal(err)
	}
	c, err := pack.Base().Add(files)
	if err != nil {
		t.Fatal(err)
	}
	named := func(c *pack.Content) (addr, hash string) {
		t.Helper()
		addr = serve(t, gateway.Config{Game: nobody{}, Content: c, Log: slog.New(slog.DiscardHandler)})
		res := request(t, addr, "POST", "/api/session", "{}", map[string]string{"Content-Type": "application/json"})
		var session struct{ Content string }
		if err := json.NewDecoder(res.Body).Decode(&session); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s, %v", res.Status, err)
		}
		return addr, session.Content
	}
	if addr, hash := named(nil); hash != "" || request(t, addr, "GET", "/api/content/", "", nil).StatusCode != http.StatusNotFound {
		t.Errorf("the base pack is sent as %q", hash)
	}
	addr, hash := named(c)
	res := request(t, addr, "GET", "/api/content/"+hash, "", nil)
	if b, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || len(b) == 0 || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%s, %d bytes, %v", res.Status, len(b), err)
	}
	if res := request(t, addr, "GET", "/api/content/"+strings.Repeat("0", 64), "", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("another content: %s", res.Status)
	}
}
