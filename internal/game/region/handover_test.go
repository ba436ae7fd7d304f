package region

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

const east = 16384

var there = world.RegionPos{X: 1}

// atBorder returns a client that stands one metre inside of the eastern border
// and watches both regions.
func atBorder(b *bed, name string) *client {
	b.Helper()
	c := b.client(name).enter()
	c.watch(here, RateEvery)
	c.watch(there, RateEvery)
	b.until("both regions are loaded", func() bool { return len(c.columns) == 2*world.Columns })
	b.teleport(c, metres(127, flatTop+1, 64.5))
	b.until("the teleport is seen", func() bool { return c.body.X > metres(126, 0, 0).X })
	b.run(300 * time.Millisecond)
	return c
}

// TestCrossing: a player who walks over a border has exactly one home at any
// time, all inputs are run although many are sent to the old home, and the
// watcher sees it all the time (protocol page, "Handover").
func TestCrossing(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond, 170 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			b := newBed(t)
			c := atBorder(b, "ada")
			b.delay = delay
			_, h := b.homeOf(c.player)
			entity := h.p.Entity
			homeless := 0
			for range 80 {
				c.walk(world.ButtonForward|world.ButtonSprint, east)
				for end := b.now.Add(TickLength); b.step(end); {
					b.homeOf(c.player)
				}
				if _, h := b.homeOf(c.player); h == nil {
					homeless++
				}
				_, a := c.sees(here)[entity]
				_, z := c.sees(there)[entity]
				if !a && !z && homeless == 0 {
					t.Fatalf("at %v nobody sees the player", b.now)
				}
			}
			b.run(time.Second)
			r, h := b.homeOf(c.player)
			if r == nil || r.Pos() != there || c.home != there {
				t.Fatalf("the home is %v, the session believes %v", r, c.home)
			}
			if h.p.Epoch != secondEpoch || uint64(c.epoch) != h.p.Epoch {
				t.Errorf("epoch %d, the session believes %d", h.p.Epoch, c.epoch)
			}
			if h.p.LastSeq != c.seq || c.acked != c.seq {
				t.Errorf("%d inputs sent, %d run, %d acknowledged", c.seq, h.p.LastSeq, c.acked)
			}
			if want := metres(127+80*0.28-1.5, 0, 0).X; h.p.Body.Pos.X < want && delay < 100*time.Millisecond {
				t.Errorf("came only to %v", h.p.Body.Pos)
			}
			if limit := int(2*delay/TickLength) + 2; homeless > limit {
				t.Errorf("no home for %d ticks, want at most %d", homeless, limit)
			}
			if fmt.Sprint(c.owned) != fmt.Sprint([]world.RegionPos{here, there}) {
				t.Errorf("acknowledged by %v", c.owned)
			}
		})
	}
}

// TestCrossingHysteresis: a player who strolls along the border is not handed
// to and fro.
func TestCrossingHysteresis(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.teleport(c, metres(127.9, flatTop+1, 64.5))
	b.run(300 * time.Millisecond)
	for range 10 {
		c.walkFor(4, world.ButtonForward, east)
		c.walkFor(4, world.ButtonBack, east)
	}
	if got := b.region(here).r.stats.Handovers; got != 0 {
		t.Errorf("%d handovers", got)
	}
}

// TestOldHomeSendsOn: whoever enters where a player was is sent to where it is,
// also after both regions slept.
func TestOldHomeSendsOn(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	c.walkFor(40, world.ButtonForward, east)
	b.run(time.Second)
	want := c.home
	c.send(c.home, &Leave{c.player})
	c.watch(here, RateNone)
	c.watch(there, RateNone)
	b.until("both sleep", func() bool { return len(b.regions) == 0 })
	c.home = here
	c.enter()
	if c.home != want || c.entered.Region != want {
		t.Errorf("entered at %v, was left at %v", c.entered.Region, want)
	}
}

// TestHandoverRefused: a region that cannot write takes nobody over; the player
// stays, inside of the border.
func TestHandoverRefused(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.client("bob").startAt(here)
	b.region(there).r.store.readOnly = true
	c.walkFor(40, world.ButtonForward, east)
	r, h := b.homeOf(c.player)
	if r == nil || r.Pos() != here || h.p.Body.Pos.X > metres(130, 0, 0).X {
		t.Fatalf("home %v, at %v", r.Pos(), h.p.Body.Pos)
	}
	b.region(there).r.store.readOnly = false
	b.until("the handover works again", func() bool {
		c.walkFor(1, world.ButtonForward, east)
		r, _ := b.homeOf(c.player)
		return r != nil && r.Pos() == there
	})
}

// TestRefusedTeleport: whom an order has moved into a distant region that cannot write is
// put back at the border. That convicts nobody (bed.follow).
func TestRefusedTeleport(t *testing.T) {
	b := newBed(t)
	far := world.RegionPos{X: here.X + 3, Z: here.Z + 2}
	c, d := b.client("ada").enter(), b.client("bob")
	d.home = far
	d.enter()
	b.region(far).r.store.readOnly = true
	b.teleport(c, metres(450, flatTop+1, 300))
	b.run(2 * time.Second)
	r, h := b.homeOf(c.player)
	if r == nil || r.Pos() != here || h.p.Body.Pos != here.Inside(metres(450, flatTop+1, 300)) {
		t.Fatalf("home %v, at %v", r.Pos(), h.p.Body.Pos)
	}
}

// TestHandoverOfRestoredHome: a player went over the border and came back, and then the
// home was restored from a copy of before. Where the player has been takes it again; until
// then nobody is told that it has it.
func TestHandoverOfRestoredHome(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.client("bob").startAt(here)
	_, before := b.homeOf(c.player)
	copied := before.p.Epoch
	for _, home := range []world.RegionPos{there, here} {
		c.cross(home)
	}
	home, h := b.homeOf(c.player)
	went := h.p.Epoch
	h.p.Epoch = copied
	home.area.Changed(h.p)
	b.until("the player has crossed again", func() bool {
		c.walkFor(1, world.ButtonForward, east)
		r, _ := b.homeOf(c.player)
		return r != nil && r.Pos() == there
	})
	if _, h := b.homeOf(c.player); h.p.Epoch <= went {
		t.Errorf("epoch %d after %d", h.p.Epoch, went)
	}
}

// TestTeleportFar: an order brings a player to a region that slept.
func TestTeleportFar(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	b.teleport(c, metres(-1000.5, flatTop+1, 5000.5))
	far := metres(-1000.5, 0, 5000.5).Block().Region()
	b.until("the home is far away", func() bool {
		r, _ := b.homeOf(c.player)
		return r != nil && r.Pos() == far
	})
	b.run(time.Second)
	if c.home != far {
		t.Errorf("the session believes %v", c.home)
	}
	if _, h := b.homeOf(c.player); h.p.Body.Pos.Block() != metres(-1000.5, flatTop+1, 5000.5).Block() {
		t.Errorf("at %v", h.p.Body.Pos)
	}
	b.teleport(c, world.Vec{X: 1 << 60, Y: -5, Z: 3})
	b.run(time.Second)
	if _, h := b.homeOf(c.player); h == nil {
		t.Error("a teleport out of the world took the player along")
	}
}

// TestLongCrossingCrash crashes the node after every number of events while a
// player crosses: afterwards, wherever the player is looked for, it is in the
// world exactly once, with what it had.
func TestLongCrossingCrash(t *testing.T) {
	simtest.Long(t)
	steps := crossing(t, -1, here)
	for n := range steps {
		for _, look := range []world.RegionPos{here, there} {
			crossing(t, n, look)
		}
	}
}

// crossing lets a player cross and crashes after n events (−1: never), then
// looks for the player. It returns how many events there were.
func crossing(t *testing.T, n int, look world.RegionPos) (events int) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.teleport(c, metres(127.6, flatTop+1, 64.5))
	c.act(Act{Kind: uint8(world.ActPick), A: uint64(world.Lamp), B: 3})
	b.run(300 * time.Millisecond)
	for range 25 {
		c.walk(world.ButtonForward|world.ButtonSprint, east)
		for end := b.now.Add(TickLength); ; events++ {
			if events == n {
				b.crash()
				c.home = look
				c.enter()
				b.run(6 * time.Second) // also for what is asked again
				r, h := b.homeOf(c.player)
				if h == nil {
					t.Fatalf("crash after %d events: the player is nowhere", n)
				}
				if r.Pos() != c.home || h.peer != c.peer {
					t.Fatalf("crash after %d events: at home in %v, the session believes %v", n, r.Pos(), c.home)
				}
				if h.p.Items[3].Block != world.Lamp {
					t.Fatalf("crash after %d events: the items are lost", n)
				}
				onlyOne(c, n, look)
				return events
			}
			if !b.step(end) {
				break
			}
		}
	}
	if r, _ := b.homeOf(c.player); r == nil || r.Pos() != there {
		t.Fatalf("not handed over")
	}
	return events
}

// onlyOne changes a player who came in at look, and looks for another one where
// it may have been left as well.
func onlyOne(c *client, n int, look world.RegionPos) {
	c.act(Act{Kind: uint8(world.ActPick), A: uint64(world.Ladder), B: 4})
	c.b.run(200 * time.Millisecond)
	c.b.crash()
	c.home = world.RegionPos{X: 1 - look.X}
	c.enter()
	if c.items[4].Block != world.Ladder {
		c.b.Fatalf("crash after %d events, entered in %v: there is another player in %v", n, look, c.home)
	}
}

// TestOrdersFollow: what the lobby wants of a player reaches it wherever it went.
func TestOrdersFollow(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	c.walkFor(40, world.ButtonForward, east)
	b.run(time.Second)
	b.lobby = nil
	b.wants(here, b.ordered(c.player, decision.Order{Kind: decision.SetMode, Text: "spectator"}))
	b.wants(here, &Locate{Player: c.player})
	tag := b.lastTag
	b.run(200 * time.Millisecond)
	if _, h := b.homeOf(c.player); h.p.Mode != world.Spectator {
		t.Errorf("mode %v", h.p.Mode)
	}
	found := false
	for _, m := range b.lobby {
		if l, ok := m.(*Located); ok {
			found = l.Found && l.Tag == tag && l.Region == there
		}
	}
	if !found {
		t.Errorf("not located: %v", b.lobby)
	}
	b.deliver(world.RegionPos{X: 9}, Lobby, &Locate{Player: c.player, Tag: 8})
	b.run(200 * time.Millisecond)
	if l, ok := b.lobby[len(b.lobby)-1].(*Located); !ok || l.Found || l.Tag != 8 {
		t.Errorf("located where it is not: %+v", b.lobby)
	}
}

// TestLinkEndsWhileCrossing: the player leaves at its new home.
func TestLinkEndsWhileCrossing(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.delay = 100 * time.Millisecond
	for range 60 {
		c.walkFor(1, world.ButtonForward|world.ButtonSprint, east)
		if h := b.region(here).r.sessions.players[c.player]; h == nil || h.handover != nil {
			break
		}
	}
	for _, pos := range []world.RegionPos{here, there} {
		b.region(pos).r.OnLink(c.peer, machine.LinkClosed)
	}
	b.until("the player has left", func() bool {
		for _, pos := range b.awake {
			if len(b.regions[pos].r.sessions.players)+len(b.regions[pos].r.outgoing.players) > 0 {
				return false
			}
		}
		return true
	})
	b.until("all sleep", func() bool { return len(b.regions) == 0 })
}

// TestHandoverLost: a handover or its answer that gets lost is asked for again,
// and the player is taken over once.
func TestHandoverLost(t *testing.T) {
	for _, what := range []string{"*region.Handover", "*region.HandoverOK"} {
		t.Run(what, func(t *testing.T) {
			b := newBed(t)
			c := atBorder(b, "ada")
			lost := 0
			b.lose = func(m machine.Message) bool {
				if fmt.Sprintf("%T", m) == what && lost < 2 {
					lost++
					return true
				}
				return false
			}
			for range 300 {
				c.walkFor(1, world.ButtonForward, east)
			}
			r, h := b.homeOf(c.player)
			if lost != 2 || r == nil || r.Pos() != there || c.home != there || h.p.Epoch != secondEpoch {
				t.Errorf("lost %d, home %v, the session believes %v", lost, r, c.home)
			}
			if n := r.stats.Arrivals; n != 1 {
				t.Errorf("taken over %d times", n)
			}
		})
	}
}

// TestHandoverDiskFails: a new home whose disk fails at that moment takes nobody
// over; nor does an old one give anybody away.
func TestHandoverDiskFails(t *testing.T) {
	b := newBed(t)
	c := atBorder(b, "ada")
	b.lose = func(m machine.Message) bool {
		if _, ok := m.(*Handover); ok {
			b.diskErr = errDisk
		}
		return false
	}
	for range 60 {
		c.walkFor(1, world.ButtonForward, east)
		if b.diskErr != nil {
			b.run(5 * time.Millisecond)
			b.diskErr, b.lose = nil, nil
		}
	}
	if n := b.region(there).r.stats.WritesFailed; n == 0 {
		t.Error("the disk has not failed")
	}
	b.until("handed over in the end", func() bool {
		c.walkFor(1, world.ButtonForward, east)
		r, _ := b.homeOf(c.player)
		return r != nil && r.Pos() == there
	})
	b.crash()
	c.home = here
	c.enter()
	if c.home != there {
		t.Errorf("after a crash the home is %v", c.home)
	}
}

// TestRefusedForGood: a copy of an offer that comes after the offer was refused
// (it was on its way for long, or its sender does not lead the old home any
// more) is refused too, also after a crash; a newer offer is taken.
func TestRefusedForGood(t *testing.T) {
	for _, crash := range []bool{false, true} {
		b := newBed(t)
		c := b.client("ada").enter()
		_, h := b.homeOf(c.player)
		p := *h.p
		p.Body.Pos = metres(130, flatTop+1, 64)
		offer := func(epoch uint64, asks bool) *Handover {
			q := p
			q.Epoch = epoch
			return &Handover{Player: p.ID, Epoch: uint32(epoch), State: q.AppendBinary(nil), Acts: (&actRecord{}).encode(1), Asks: asks}
		}
		b.deliver(there, PeerOf(here), offer(p.Epoch+1, true))
		b.run(300 * time.Millisecond)
		if crash {
			delete(b.regions, there)
		}
		b.deliver(there, PeerOf(here), offer(p.Epoch+1, false))
		b.run(300 * time.Millisecond)
		if b.region(there).r.sessions.players[p.ID] != nil {
			t.Errorf("crash %v: a copy of a refused offer was taken", crash)
		}
		b.deliver(there, PeerOf(here), offer(p.Epoch+2, false))
		b.run(300 * time.Millisecond)
		if b.region(there).r.sessions.players[p.ID] == nil {
			t.Errorf("crash %v: a newer offer was not taken", crash)
		}
	}
}
