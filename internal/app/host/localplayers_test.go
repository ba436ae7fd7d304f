package host_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// TestLocalPlayersAreNotLimited: players of this machine, who show the secret of the
// data folder, get in, however many and new they are. Those who come from the same
// address without it are counted by that.
func TestLocalPlayersAreNotLimited(t *testing.T) {
	const players = 40 // more than new ones of an address (20), and connections of one (32)
	h := start(t, founder(t))
	enter := func(url, name string) (wire.Code, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		conn, _, err := client.Dial(ctx, url, identity(t, name), "")
		if err != nil {
			return refused(err), err
		}
		t.Cleanup(func() { conn.Close() })
		return "", nil
	}
	for n := range players {
		if _, err := enter(h.LocalURL(), fmt.Sprintf("local %d", n)); err != nil {
			t.Fatalf("local player %d: %v", n, err)
		}
	}
	let := 0
	for n := range players {
		why, err := enter(h.Addr().String(), fmt.Sprintf("distant %d", n))
		switch {
		case err == nil:
			let++
		case why != wire.Full:
			t.Fatalf("player %d without the secret: %v", n, err)
		}
	}
	if let == 0 || let > 21 {
		t.Errorf("%d players without the secret were let in, want about 20", let)
	}
	if _, err := enter(h.LocalURL(), "the last"); err != nil {
		t.Errorf("a local player after them: %v", err)
	}
}
