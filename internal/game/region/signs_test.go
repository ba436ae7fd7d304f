package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// reads is what a client was last told to stand on a sign.
func (c *client) reads(at world.Pos) string {
	if c.signs != nil && int(c.signs.Column) == at.Column().Index() {
		for _, s := range c.signs.Texts {
			if s.Place == frame.Place(at) {
				return s.Text
			}
		}
	}
	return ""
}

// TestSigns: what one writes another one who looks sees, who comes later too, also after a
// crash; it goes with the sign. Followers replay it (bed.follow).
func TestSigns(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		ada, bob := builder(b, "ada"), builder(b, "bob")
		for i, c := range []*client{ada, bob} {
			b.teleport(c, metres(62.5+3*float64(i), flatTop+1, 64.5))
			b.run(500 * time.Millisecond)
		}
		b.wants(here, b.ordered(ada.player, decision.Order{Kind: decision.Give, Text: "oak_sign", Count: 1}))
		b.run(200 * time.Millisecond)
		on := world.Pos{X: 64, Y: flatTop, Z: 64}
		at := on.Next(world.FaceUp)
		place := ada.act(Act{Kind: uint8(world.ActPlace), Pos: on, Face: uint8(world.FaceUp), A: 4})
		b.run(300 * time.Millisecond)
		write := ada.act(Act{Kind: uint8(world.ActWrite), Pos: at, Text: "to the mine\n→"})
		b.run(300 * time.Millisecond)
		for _, seq := range []uint32{place, write} {
			if res := ada.results[seq]; res == nil || !res.OK {
				t.Fatalf("act %d: %+v", seq, res)
			}
		}
		if bob.reads(at) != "to the mine\n→" {
			t.Fatalf("bob sees %+v", bob.signs)
		}
		long := bob.act(Act{Kind: uint8(world.ActWrite), Pos: at, Text: "\x07"})
		b.run(300 * time.Millisecond)
		if res := bob.results[long]; res == nil || res.OK || bob.reads(at) != "to the mine\n→" {
			t.Errorf("a text that cannot be: %+v", res)
		}
		b.says(operatorKey, decision.Statement{Topic: decision.Mute, On: true, Subject: bob.player, Name: "bob"})
		muted := bob.act(Act{Kind: uint8(world.ActWrite), Pos: at, Text: "buy my gold"})
		b.run(300 * time.Millisecond)
		if res := bob.results[muted]; res == nil || res.Reason != string(world.Muted) || bob.reads(at) != "to the mine\n→" {
			t.Errorf("who is muted writes: %+v", res)
		}
		b.crash()
		bob.signs = nil
		for _, c := range []*client{ada, bob} {
			c.watch(here, RateEvery)
			c.enter()
		}
		b.run(2 * time.Second)
		if bob.reads(at) != "to the mine\n→" {
			t.Fatalf("after the crash bob sees %+v", bob.signs)
		}
		bob.act(Act{Kind: uint8(world.ActDig), Pos: at})
		b.run(3 * time.Second)
		if ada.reads(at) != "" || ada.signs == nil {
			t.Errorf("ada still sees %+v", ada.signs)
		}
		if kvs := b.read(machine.DiskRead{Space: Space(here), Prefix: []byte(keyContainer)}); len(kvs) != 0 {
			t.Errorf("%d records of a sign that is gone", len(kvs))
		}
	})
}
