package client_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// columnsSeen counts the columns that a session shows, by their distance from where
// it is.
type columnsSeen struct {
	home world.ColumnPos
	far  int
}

func (c *columnsSeen) Add(head, body []byte) {
	m, err := wire.DecodeNode(append(append([]byte{}, head...), body...))
	if col, ok := m.(*wire.Column); ok && err == nil {
		if dx, dz := col.Pos.X-c.home.X, col.Pos.Z-c.home.Z; max(dx, -dx, dz, -dz) > 12 {
			c.far++
		}
	}
}

// TestHops: a client that repeats old steps and says that it was elsewhere after them
// is shown nothing of elsewhere, and wakes no regions there.
func TestHops(t *testing.T) {
	w := clienttest.Start(t, world.Creative)
	const clients, hops = 4, 12
	seen := make([]*columnsSeen, clients)
	var sessions []*client.Session
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for i := range clients {
		name := fmt.Sprint("hopper", i)
		s, err := w.Node.Enter(ctx, client.Login{Player: id.Of([]byte(name)), Name: name})
		if err != nil {
			t.Fatal(err)
		}
		seen[i] = &columnsSeen{home: s.Welcome().Pos.Block().Column()}
		sessions = append(sessions, s)
		if err := s.Handle(wire.Encode(&wire.View{Distance: 4})); err != nil {
			t.Fatal(err)
		}
	}
	input := func(s *client.Session, seq uint32, pos world.Vec) {
		if err := s.Handle(wire.Encode(&wire.Input{Seq: seq, Pos: pos, Steps: make([]wire.Step, 1)})); err != nil {
			t.Fatal(err)
		}
	}
	next := func(i int, d time.Duration) {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		for sessions[i].Next(ctx, seen[i]) == nil {
		}
	}
	seq := uint32(0)
	for hop := range hops {
		for i, s := range sessions {
			far := s.Welcome().Pos
			far.X += fixed.Int(1000 * (1 + hop))
			far.Z += fixed.Int(1000 * i)
			input(s, seq+1, s.Welcome().Pos)
			input(s, seq+1, far)
			input(s, seq+1, far)
			input(s, 1, far)
		}
		seq++
		for i := range sessions {
			next(i, 60*time.Millisecond)
		}
	}
	_, regions := w.Players()
	for i := range sessions {
		if seen[i].far > 0 {
			t.Errorf("client %d sees %d columns of places far away", i, seen[i].far)
		}
	}
	t.Logf("%d regions are awake", regions)
	if regions > 25 {
		t.Errorf("%d regions are awake", regions)
	}
}
