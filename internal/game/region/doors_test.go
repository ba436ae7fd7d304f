package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestDoorAcrossTheBorder: a player opens a door that lies in the neighbour's region, once
// for each act, also if the host crashes meanwhile.
func TestDoorAcrossTheBorder(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		c := atBorderWith(b, map[string]uint16{"oak_door": 1})
		on := world.Pos{X: 129, Y: flatTop, Z: 64}
		at := on.Next(world.FaceUp)
		c.do(Act{Kind: uint8(world.ActPlace), Pos: on, Face: uint8(world.FaceUp), A: 4})
		closed := b.block(at)
		if !closed.IsDoor() || !closed.Solid() || !b.block(at.Next(world.FaceUp)).Solid() {
			t.Fatalf("%v is there", closed)
		}
		c.do(Act{Kind: uint8(world.ActOpen), Pos: at})
		if open := b.block(at); !open.IsDoor() || open.Solid() || b.block(at.Next(world.FaceUp)).Solid() {
			t.Fatalf("%v is there", open)
		}
		c.do(Act{Kind: uint8(world.ActOpen), Pos: at.Next(world.FaceUp)})
		if b.block(at) != closed {
			t.Fatalf("%v is there, not %v", b.block(at), closed)
		}
		if b.signed { // a session that signs ends with the host
			return
		}
		seq := c.act(Act{Kind: uint8(world.ActOpen), Pos: at})
		b.run(5 * time.Millisecond)
		b.crash()
		c.enter()
		b.run(8 * time.Second)
		if res := c.results[seq]; res == nil || !res.OK || b.block(at).Solid() {
			t.Fatalf("%+v, %v is there", res, b.block(at))
		}
	})
}

// TestDoorDiskFails: a door that is opened or broken while nothing can be written is as it
// was afterwards, both halves of it.
func TestDoorDiskFails(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		c := builder(b, "ada")
		b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.Give, Text: "oak_door", Count: 1}))
		b.teleport(c, metres(62.5, flatTop+1, 64.5))
		b.run(500 * time.Millisecond)
		on := world.Pos{X: 64, Y: flatTop, Z: 64}
		at := on.Next(world.FaceUp)
		c.act(Act{Kind: uint8(world.ActPlace), Pos: on, Face: uint8(world.FaceUp), A: 4})
		b.run(500 * time.Millisecond)
		closed, upper := b.block(at), b.block(at.Next(world.FaceUp))
		if !closed.IsDoor() || !upper.IsDoor() {
			t.Fatalf("%v and %v are there", closed, upper)
		}
		b.sync = 100 * time.Millisecond
		b.diskErr = errDisk
		seqs := []uint32{c.act(Act{Kind: uint8(world.ActOpen), Pos: at})}
		b.run(50 * time.Millisecond)
		if b.block(at) == closed {
			t.Fatal("the test is empty: nothing was opened")
		}
		seqs = append(seqs, c.act(Act{Kind: uint8(world.ActOpen), Pos: at.Next(world.FaceUp)}))
		b.run(3 * time.Second)
		for _, seq := range seqs {
			if res := c.results[seq]; res == nil || res.OK {
				t.Errorf("%+v", res)
			}
		}
		if b.block(at) != closed || b.block(at.Next(world.FaceUp)) != upper {
			t.Errorf("%v and %v are there", b.block(at), b.block(at.Next(world.FaceUp)))
		}
		b.diskErr = nil
		b.run(5 * time.Second)
		seq := c.act(Act{Kind: uint8(world.ActOpen), Pos: at})
		b.run(time.Second)
		if res := c.results[seq]; res == nil || !res.OK || b.block(at) == closed {
			t.Errorf("afterwards: %+v", res)
		}
	})
}
