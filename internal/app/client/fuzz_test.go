package client

import (
	"context"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// FuzzHandle says anything to a session, in any order: messages of up to 255
// bytes, each behind its length. Nothing of it may end in a panic, or make the
// session watch more than a view's columns.
func FuzzHandle(f *testing.F) {
	var all []byte
	for _, m := range []wire.Message{
		&wire.View{Distance: 16, Far: 8}, &wire.View{Distance: 2}, &wire.Ping{Time: 1}, &wire.Say{Text: "/tp 1 2 3"},
		&wire.Input{Seq: 1, Steps: []wire.Step{{}}, Pos: world.Vec{X: 1 << 39}}, &wire.Act{Kind: wire.Dig, X: 1 << 20},
		&wire.Far{Regions: []world.RegionPos{{X: 1}, {X: 1 << 30}}}, &wire.Hello{}, &wire.Leave{},
	} {
		b := wire.Encode(m)
		all = append(append(all, byte(len(b))), b...)
		f.Add(append([]byte{byte(len(b))}, b...))
	}
	f.Add(all)
	node := &forgetful{columns: map[world.ColumnPos]*world.Column{}}
	loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { node.env = env; return node }})
	f.Cleanup(func() { loop.Stop() })
	n := NewNode(Config{Node: loop, Terrain: terrain.New(1)})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := n.Enter(context.Background(), Login{Player: id.Of([]byte("A")), Name: "A"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for len(b) > 0 {
			size := min(int(b[0]), len(b)-1)
			s.Handle(b[1 : 1+size])
			b = b[1+size:]
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.watch.have) > (2*wire.MaxView+3)*(2*wire.MaxView+3) || s.watch.waiting > inFlight || len(s.tiles) > maxTiles {
			t.Errorf("watches %d columns, waits for %d and for %d tiles", len(s.watch.have), s.watch.waiting, len(s.tiles))
		}
	})
}
