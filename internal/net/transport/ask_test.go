package transport

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestAsk: somebody who knows nothing but an address learns whose it is, and
// what the node says of its world; a node that says nothing refuses.
func TestAsk(t *testing.T) {
	p := startNode(t, 1, func(c *Config) { c.Net.About = []byte("how it begins") })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	at := p.sock.Addr()
	a, err := Ask(ctx, nil, testKey(2), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := machine.Peer{ID: p.peer.ID, Addr: machine.AddrFrom(at)}
	if a.Peer != want || a.World != id.Of([]byte("world")) || string(a.About) != "how it begins" || !a.Seen.Addr().IsLoopback() {
		t.Errorf("%+v", a)
	}
	silent := startNode(t, 3)
	var refused *quic.ApplicationError
	if _, err := Ask(ctx, nil, testKey(2), silent.sock.Addr(), nil); !errors.As(err, &refused) || refused.ErrorCode != codeWorld {
		t.Errorf("%v", err)
	}
	gone, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	silent.stop()
	if _, err := Ask(gone, nil, testKey(2), silent.sock.Addr(), nil); err == nil || !strings.Contains(err.Error(), silent.sock.Addr().String()) {
		t.Errorf("nobody is there: %v", err)
	}
}
