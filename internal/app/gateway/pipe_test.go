package gateway_test

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// fountain is a game in which each session is sent a frame for each message
// that it takes: what a tick costs the connection, without a world.
type fountain struct {
	body []byte
	took atomic.Uint64
}

func (f *fountain) world() id.ID                   { return id.Of(nil) }
func (f *fountain) World() (id.ID, wire.WorldInfo) { return f.world(), wire.WorldInfo{} }
func (f *fountain) Challenge() *wire.Challenge     { return &wire.Challenge{Version: wire.Version} }
func (f *fountain) Check(hello *wire.Hello, _ *wire.Challenge, _ *wire.Proof, _ string) (client.Login, error) {
	return client.Login{Player: id.Of(hello.Key[:])}, nil
}
func (f *fountain) Enter(context.Context, client.Login) (gateway.Session, error) {
	return &jet{f, make(chan struct{}, 1000)}, nil
}

type jet struct {
	*fountain
	more chan struct{}
}

func (j *jet) Welcome() *wire.Welcome     { return &wire.Welcome{} }
func (j *jet) Entrances() *wire.Entrances { return nil }
func (j *jet) Close()                     {}
func (j *jet) Handle(b []byte) error {
	var in wire.Input
	if err := wire.DecodeInto(b, &in); err != nil {
		return err
	}
	j.took.Add(1)
	j.more <- struct{}{}
	return nil
}

var frameHead = []byte{byte(wire.TypeFrame), 0, 0, 1, 0}

func (j *jet) Next(ctx context.Context, to client.Sink) error {
	select {
	case <-j.more:
		to.Add(frameHead, j.body)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// BenchmarkConnections measures what an input and the frame that answers it
// cost, both ends and the system's part of it, in CPU time.
func BenchmarkConnections(b *testing.B) {
	const connections = 100
	f := &fountain{body: make([]byte, 3300)}
	addr := serve(b, gateway.Config{Game: f, Log: slog.New(slog.DiscardHandler), Limits: gateway.Limits{Messages: 1 << 30, Bytes: 1 << 40}})
	var conns []client.Conn
	for range connections {
		c, _, err := client.Dial(context.Background(), addr, identity(b, "A"), "")
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	input := wire.Encode(&wire.Input{Seq: 1, Steps: []wire.Step{{}}})
	done := make(chan error, connections)
	b.ReportAllocs()
	b.ResetTimer()
	cpu := cpuTime()
	for i, c := range conns {
		go func() {
			var err error
			for n := i; n < b.N && err == nil; n += connections {
				if err = c.Send(input); err == nil {
					_, err = c.Recv()
				}
			}
			done <- err
		}()
	}
	for range conns {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N)/float64(time.Microsecond), "cpu-µs/op")
}

// crowded is a game that is too busy at first, then has a line, and then lets in.
type crowded struct {
	fountain
	tries atomic.Int32
}

func (c *crowded) Challenge() *wire.Challenge {
	return &wire.Challenge{Version: wire.Version, World: id.Of(nil)}
}

func (c *crowded) Enter(ctx context.Context, who client.Login) (gateway.Session, error) {
	if c.tries.Add(1) == 1 {
		return nil, wire.NoNodes.Refusal(1)
	}
	who.Waits(&wire.Notice{Code: wire.Busy, Text: "in a line"})
	who.Waits(&wire.Notice{Code: wire.Silent, Text: "silent since 21:04"})
	return c.fountain.Enter(ctx, who)
}

// TestBusyWorldIsWaitedFor: who comes to a busy world waits, and gets in.
func TestBusyWorldIsWaitedFor(t *testing.T) {
	game := &crowded{}
	addr := serve(t, gateway.Config{Game: game, Log: slog.New(slog.DiscardHandler)})
	var told []wire.Code
	c, _, err := client.DialTelling(context.Background(), addr, identity(t, "A"), "", func(why *wire.Notice) { told = append(told, why.Code) })
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if n := game.tries.Load(); n != 2 {
		t.Errorf("in at try %d", n)
	}
	if want := []wire.Code{wire.NoNodes, wire.Busy, wire.Silent}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}
