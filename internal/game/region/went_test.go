package region

import (
	"maps"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestHomeRestoredToBefore: a player went over the border and came back, and then its home
// was restored to what it was in between: it says that the player is there, which says that
// the player is here. The player gets in, as it came back. Without the lobby's word nobody
// takes it: it might have gone on from there.
func TestHomeRestoredToBefore(t *testing.T) {
	bothWays(t, func(t *testing.T, newBed func(testing.TB) *bed) {
		b := newBed(t)
		c := atBorder(b, "ada")
		var before map[string][]byte
		for _, home := range []world.RegionPos{there, here} {
			c.cross(home)
			if home == there {
				before = maps.Clone(b.disk[Space(here)])
			}
		}
		_, h := b.homeOf(c.player)
		went := h.p.Epoch
		b.crashOne(here)
		b.disk[Space(here)] = before
		looks := func() { // a session that goes from one to the other
			for _, at := range []world.RegionPos{here, there} {
				b.deliver(at, machine.Peer{ID: id.Of([]byte("another session"))}, c.enterMsg())
				b.run(time.Second)
			}
		}
		b.mute = true
		for range 5 {
			looks()
		}
		if r, _ := b.homeOf(c.player); r != nil {
			t.Fatalf("%v has taken the player without the lobby's word", r.Pos())
		}
		b.mute = false
		looks()
		if r, h := b.homeOf(c.player); r == nil || r.Pos() != here || h.p.Epoch != went {
			t.Errorf("it is in %v: %+v; it was here with epoch %d", r, h, went)
		}
	})
}
