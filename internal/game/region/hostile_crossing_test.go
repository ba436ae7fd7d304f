package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// lyingAt is an item of planks at a place.
func lyingAt(n int, at world.Vec) *world.Item {
	it := &world.Item{Entity: 1<<48 | uint64(n), Stack: world.Stack{Block: world.OakPlanks, Count: 7}, Born: 1 << 61}
	it.Body.Pos = at
	return it
}

// itemOver is the message by which a region gives an item to its neighbour.
func itemOver(from world.RegionPos, op uint64, it *world.Item) *RemoteEdit {
	at := it.Body.Pos
	return &RemoteEdit{Oldest: op, Remote: &world.Remote{
		Kind: world.RemoteItem, From: from, At: at.Block(), Block: it.Stack.Block, Body: at, Item: it, Op: op,
	}}
}

// TestHostileItems: a region makes items nowhere but at its own border, only well
// formed ones, and each once; and they do not lie longer than five minutes,
// whatever it says of their age.
func TestHostileItems(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	r := b.region(here).r
	east, far := world.RegionPos{X: 1}, world.RegionPos{X: 2}
	good := metres(127.5, flatTop+1, 64.5)
	op := TickAt(b.now, 0) << 8
	for name, m := range map[string]struct {
		from world.RegionPos
		edit *RemoteEdit
	}{
		"in the middle":         {east, itemOver(east, op, lyingAt(1, metres(64.5, flatTop+1, 64.5)))},
		"of no neighbour":       {far, itemOver(far, op, lyingAt(2, good))},
		"of the region itself":  {here, itemOver(here, op, lyingAt(3, good))},
		"of another":            {east, itemOver(far, op, lyingAt(4, good))},
		"without an item":       {east, &RemoteEdit{Remote: &world.Remote{Kind: world.RemoteItem, From: east, At: good.Block(), Body: good, Op: op}}},
		"in a player's name":    {east, func() *RemoteEdit { m := itemOver(east, op, lyingAt(5, good)); m.Remote.Player = c.player; return m }()},
		"where it does not lie": {east, func() *RemoteEdit { m := itemOver(east, op, lyingAt(6, good)); m.Remote.At.X -= 40; return m }()},
	} {
		refused := r.stats.Refused
		b.deliver(here, PeerOf(m.from), m.edit)
		b.run(200 * time.Millisecond)
		if len(r.area.Items()) != 0 || r.stats.Refused <= refused {
			t.Errorf("%s: %d items lie there", name, len(r.area.Items()))
		}
	}
	young := lyingAt(7, good)
	for range 5 { // copies
		b.deliver(here, PeerOf(east), itemOver(east, op, young))
		b.run(50 * time.Millisecond)
	}
	if n := len(r.area.Items()); n != 1 || r.area.Items()[0].Born > r.loop.tick {
		t.Fatalf("%d items lie there: %+v", n, r.area.Items())
	}
	late := itemOver(east, op, young)
	b.deliver(here, PeerOf(east), itemOver(east, op+9, lyingAt(8, good)))
	b.run(200 * time.Millisecond)
	b.crash()
	b.settledFor(c)
	b.deliver(here, PeerOf(east), late) // after the host has changed, and below what is settled
	b.run(time.Second)
	if _, ground := b.planksOf(c); ground != 14 {
		t.Errorf("%d lie there, want 14", ground)
	}
	for i := range 400 {
		b.deliver(here, PeerOf(east), itemOver(east, op+20+uint64(i), lyingAt(100+i, good.Add(world.Vec{Z: fixed.Int(i%60) - fixed.Int(30)}))))
	}
	b.run(time.Second)
	if n := len(b.region(here).r.area.Items()); n > 256 {
		t.Errorf("%d items lie there", n)
	}
}

// TestHostileDropWhileCrossing: who drops while going over the border, and whose link ends
// or whose hosts crash after any number of events, has no more and no less than
// before.
func TestHostileDropWhileCrossing(t *testing.T) {
	for _, crash := range []bool{false, true} {
		for n, events := 0, 1000; n < events; n += 2 {
			b := newBed(t)
			b.delay, b.sync = 9*time.Millisecond, 7*time.Millisecond
			c := throwerByBorder(b)
			had := c.items.Count(world.OakPlanks)
			b.teleport(c, metres(129.5, flatTop+1, 64.5))
			done := 0
			for end := b.now.Add(600 * time.Millisecond); done < n && b.step(end); done++ {
				if done%9 == 0 && c.acts.Pending() < 8 {
					c.drop(3)
				}
			}
			if done < n {
				events = n
			}
			if crash {
				b.crash()
			} else {
				for _, pos := range []world.RegionPos{here, there} {
					if h := b.regions[pos]; h != nil {
						h.r.OnLink(c.peer, machine.LinkClosed)
						h.after()
					}
				}
				c.online = false
				b.run(50 * time.Millisecond)
			}
			b.settledFor(c)
			b.until("all acts are answered", func() bool { return c.acts.Pending() == 0 })
			b.until("nothing is on its way", func() bool {
				r, _ := b.homeOf(c.player)
				return r != nil && len(b.region(here).r.pending.list)+len(b.region(there).r.pending.list) == 0
			})
			if hand, ground := b.planksOf(c); hand+ground != had {
				t.Fatalf("crash %v after %d events: %d in the hand, %d on the ground of %d", crash, n, hand, ground, had)
			}
		}
	}
}
