package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// ringSees is what the region here takes for a block beyond its border.
func (b *bed) ringSees(at world.Pos) world.Block {
	block, _ := b.region(here).r.area.Ring().Block(at)
	return block
}

// stand lets time pass for a player who stands still.
func (c *client) stand(d time.Duration) {
	for range d / time.Second {
		c.walk(0, 0)
		c.b.run(time.Second)
	}
}

// TestLostWatch: a region whose Watch was lost, for its neighbour changed its
// host, watches again.
func TestLostWatch(t *testing.T) {
	b := newBed(t)
	b.lose = func(m machine.Message) bool { w, ok := m.(*Watch); return ok && w.Heard == 0 }
	b.client("ada").enter()
	b.run(3 * time.Second)
	if n := b.region(here).r.area.Ring().Len(); n != 0 {
		t.Fatalf("the ring has %d columns", n)
	}
	b.lose = nil
	b.run(watchEvery)
	if n := b.region(here).r.area.Ring().Len(); n != 20 {
		t.Errorf("the ring has %d columns", n)
	}
}

// TestLostBlocks: what a neighbour was told and did not hear it is told again,
// and nothing is told again that it has heard.
func TestLostBlocks(t *testing.T) {
	b := newBed(t)
	c := byBorder(b)
	lost := 0
	b.lose = func(m machine.Message) bool {
		_, ok := m.(*Blocks)
		if ok {
			lost++
		}
		return ok
	}
	c.planks(beyond)
	c.stand(time.Second)
	b.lose = nil
	up := beyond.Add(0, 1, 0)
	if got := b.ringSees(up); lost != 1 || b.block(up) != world.OakPlanks || got != world.Air {
		t.Fatalf("%d messages are lost, %v is there, %v is seen", lost, b.block(up), got)
	}
	c.stand(2 * watchEvery)
	if got := b.ringSees(up); got != world.OakPlanks {
		t.Errorf("%v is seen at the end", got)
	}
	sent := b.region(there).r.stats.ColumnsSent
	c.planks(beyond.Add(0, 0, 1))
	c.stand(5 * watchEvery)
	if n := b.region(there).r.stats.ColumnsSent; n != sent || b.ringSees(up.Add(0, 0, 1)) != world.OakPlanks {
		t.Errorf("%d columns are sent again that were heard", n-sent)
	}
}

// TestWatcherChangesHost: a neighbour goes on telling a region that has a new
// host, whether its Watch has come before the news of that or comes after.
func TestWatcherChangesHost(t *testing.T) {
	b := newBed(t)
	b.client("ada").enter()
	b.run(time.Second)
	r := b.region(there).r
	sent := r.stats.ColumnsSent
	b.deliver(there, PeerOf(here), &NewHost{Region: here})
	b.run(time.Second)
	if len(r.border.list) != 1 || r.stats.ColumnsSent != sent+4 {
		t.Errorf("%d watch, %d columns were sent again", len(r.border.list), r.stats.ColumnsSent-sent)
	}
	b.deliver(here, PeerOf(there), &NewHost{Region: there})
	b.run(time.Second)
	if n := b.region(here).r.border.heard[there]; n != 1 || r.stats.ColumnsSent != sent+8 {
		t.Errorf("heard up to %d, %d columns were sent again", n, r.stats.ColumnsSent-sent)
	}
}

// TestLostUnwatch: whoever watches no longer is forgotten, so that its
// neighbours can sleep: at once when they have something to tell, otherwise
// after a while.
func TestLostUnwatch(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	b.run(time.Second)
	b.lose = func(m machine.Message) bool { w, ok := m.(*Watch); return ok && w.Rates == (watchSet{}) }
	c.send(c.home, &Leave{c.player})
	b.run(15 * time.Second)
	if b.regions[here] != nil || b.regions[there] == nil {
		t.Fatalf("the region sleeps: %v; its neighbour: %v", b.regions[here] == nil, b.regions[there] == nil)
	}
	b.lose = nil
	b.region(there).r.effects.showBlocks(1, []world.BlockChange{{At: beyond, Now: world.Stone}})
	b.run(time.Second)
	if b.regions[there] != nil {
		t.Error("who has been told something for nothing does not sleep")
	}
	b.run(watchedUntil + watchEvery)
	if n := len(b.regions); n != 0 {
		t.Errorf("%d regions are awake", n)
	}
}
