package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestBucketAcrossTheBorder: a player pours out and takes up lava in the neighbour's
// region; a crash on the way leaves one bucket, full or empty as the block says, and a
// refusal gives it back.
func TestBucketAcrossTheBorder(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		c := atBorderWith(b, map[string]uint16{"lava_bucket": 1})
		player := func() *world.Player { _, h := b.homeOf(c.player); return h.p }
		buckets := func() (full, empty int) {
			return player().Items.Count(world.LavaBucket), player().Items.Count(world.Bucket)
		}
		use := func(of world.Block, at world.Pos, wait time.Duration) (seq uint32) {
			a := c.slotOf(of)
			c.act(Act{Kind: uint8(world.ActSelect), A: a})
			b.run(500 * time.Millisecond)
			seq = c.act(Act{Kind: uint8(world.ActPlace), Pos: at, Face: uint8(world.FaceUp), A: a})
			b.run(wait)
			return seq
		}
		is := func(what string, seq uint32, ok bool, at world.Pos, want world.Block, full int) {
			t.Helper()
			f, e := buckets()
			if res := c.results[seq]; res == nil || res.OK != ok || b.block(at) != want || f != full || e != 1-full {
				t.Fatalf("%s: %+v, %v is there, %d full buckets and %d empty ones", what, c.results[seq], b.block(at), f, e)
			}
		}
		ground := world.Pos{X: 129, Y: flatTop, Z: 64}
		at := ground.Next(world.FaceUp)
		is("poured out", use(world.LavaBucket, ground, 300*time.Millisecond), true, at, world.Lava, 0)
		is("taken up", use(world.Bucket, at, 300*time.Millisecond), true, at, world.Air, 1)
		if b.signed { // a session that signs ends with the host
			return
		}
		seq := use(world.LavaBucket, ground, 5*time.Millisecond)
		b.crash()
		c.enter()
		b.run(8 * time.Second)
		is("poured out in a crash", seq, true, at, world.Lava, 0)
		b.protect(there, world.Zone{Min: at, Max: at})
		b.run(time.Second)
		is("protected", use(world.Bucket, at, 300*time.Millisecond), false, at, world.Lava, 0)
	})
}
