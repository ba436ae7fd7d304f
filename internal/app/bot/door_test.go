package bot_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/bot"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestFullWorld: bots that find a world full say so and wait, at their place in the
// line; they come in when there is room, and do not count as failed.
func TestFullWorld(t *testing.T) {
	t.Parallel()
	w := clienttest.Start(t, world.Creative)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var room, in atomic.Int32
	room.Store(1)
	var out bytes.Buffer
	var mu sync.Mutex // of who is let in, because bots come side by side
	waited := false
	sum, err := bot.Run(ctx, bot.Config{
		Players: 4, Ramp: 100, Log: slog.New(slog.NewTextHandler(&out, nil)),
		Join: func(ctx context.Context, who client.Identity) (client.Conn, *wire.Welcome, error) {
			mu.Lock()
			defer mu.Unlock()
			if in.Load() == room.Load() {
				return nil, nil, wire.Full.Refusal(1)
			}
			c, welcome, err := w.Node.Join(ctx, who)
			if err == nil {
				in.Add(1)
			}
			return c, welcome, err
		},
		Progress: func(p bot.Progress) {
			switch {
			case p.Joined == 1 && p.Waiting == 3:
				waited = true
				room.Store(4)
			case p.Joined == 4 && p.Waiting == 0:
				cancel()
			}
		},
	})
	if err != nil || !waited || sum.Players != 4 || sum.Failed+sum.Waiting > 0 {
		t.Errorf("three have waited: %v; in the end %v\n%+v", waited, err, sum)
	}
	for _, place := range []string{"place=1", "place=2", "place=3"} {
		if strings.Count(out.String(), place) != 1 {
			t.Errorf("nobody has said that it waits with %s:\n%s", place, out.String())
		}
	}
}

// TestFullWorldForGood: who waits does not hold up the others, and leaves when the
// time is over.
func TestFullWorldForGood(t *testing.T) {
	t.Parallel()
	w := clienttest.Start(t, world.Creative)
	var in atomic.Bool
	sum, err := bot.Run(context.Background(), bot.Config{
		Players: 3, Ramp: 100, Duration: 2 * time.Second,
		Join: func(ctx context.Context, who client.Identity) (client.Conn, *wire.Welcome, error) {
			if in.Swap(true) {
				return nil, nil, wire.Full.Refusal(600)
			}
			return w.Node.Join(ctx, who)
		},
	})
	if err != nil || sum.Players != 1 || sum.Waiting != 2 || sum.Failed > 0 || sum.Duration < time.Second {
		t.Errorf("%v: %+v", err, sum)
	}
}
