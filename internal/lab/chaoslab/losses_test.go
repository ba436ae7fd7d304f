package chaoslab

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestLossesAreReported: what the nodes say about lost parts is understood, with the time
// from which on something may be missing, and until when.
func TestLossesAreReported(t *testing.T) {
	c := &chaos{lost: map[string][]loss{}}
	at := time.Date(2026, 3, 1, 0, 0, 30, 0, time.UTC)
	c.putBack = []oldDisk{{1, at.Add(-time.Minute)}, {2, at.Add(-time.Second)}, {1, at.Add(time.Minute)}}
	c.hear(1, at, "region -1,2 lost its 3 hosts. It was restored to its state of 23:59:58.")
	c.hear(1, at.Add(time.Minute), "Another group of region -1,2 goes on, recovered without this node or begun before its own: what this node had is put aside.")
	c.hear(1, at, "Nobody who hosts the lobby has more than this node, whose disk was put back to an older state: it goes on with a copy that ends with entry 7. What was built after that is lost.")
	c.hear(1, at, "Hosts of region 3,4 have lost what they had of it (2 of 3): it goes on with what this node has, its state of 00:00:10. What only they had is lost; if they come back they put it aside.")
	c.hear(2, at, "The hosts of region 5,-6 have gone on without entry 258 and what follows, which this node has: the disk of one was put back. What they lack is lost there; this node puts aside what it has.")
	c.hear(1, at, "3 changes of region 9,9, which were made here without its hosts, are in place.")
	for part, want := range map[string]loss{
		"region -1,2": {from: at.Add(-32 * time.Second).Add(-clockError), to: at.Add(time.Minute).Add(saidWithin)},
		"the lobby":   {from: at.Add(-time.Minute), to: at.Add(saidWithin)},
		"region 5,-6": {from: at.Add(-time.Second), to: at.Add(saidWithin)},
		"region 3,4":  {from: at.Add(-20 * time.Second).Add(-clockError), to: at.Add(saidWithin)},
	} {
		got := c.lost[part]
		if len(got) != 1 || !got[0].from.Equal(want.from) || !got[0].to.Equal(want.to) {
			t.Errorf("%s: %+v, want %+v", part, got, want)
		}
	}
	if len(c.lost) != 4 {
		t.Errorf("%d parts have lost something", len(c.lost))
	}
}

// TestWhatALossExplains: after a reported loss a place may be as it was at some time since,
// unless it was changed again after it; not as it was before.
func TestWhatALossExplains(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	k := knownTo(world.Air)
	change := func(second int, b world.Block, clear, done bool) {
		from := at.Add(time.Duration(second) * time.Second)
		k.asked = append(k.asked, request[world.Block]{value: b, from: from, to: from.Add(time.Second / 10), clear: clear, done: done})
	}
	change(1, world.Bricks, true, true)
	change(5, world.Stone, true, true)
	change(7, world.OakPlanks, true, false)
	change(9, world.Sandstone, true, true)
	lost := []loss{{from: at.Add(6 * time.Second), to: at.Add(12 * time.Second)}}
	look := at.Add(20 * time.Second)
	for b, want := range map[world.Block]bool{world.Air: false, world.Bricks: false, world.Stone: true, world.OakPlanks: false, world.Sandstone: true} {
		if got := k.isLoss(b, look, lost); got != want {
			t.Errorf("%v is explained: %v", b, got)
		}
	}
	if k.isLoss(world.Stone, look, nil) || k.isLoss(world.Stone, at.Add(3*time.Second), lost) {
		t.Error("explained without a loss")
	}
	change(15, world.Cobblestone, true, true)
	if k.isLoss(world.Stone, look, lost) {
		t.Error("what was changed after the loss is explained by it")
	}
}
