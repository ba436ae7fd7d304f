package region

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// builder returns a player of a survival world with planks in the hand (slot 1
// of what newcomers carry), at home here.
func builder(b *bed, name string) *client {
	b.Helper()
	c := b.client(name)
	c.enterAs(world.Survival)
	c.watch(here, RateEvery)
	b.until("columns", func() bool { return len(c.columns) >= world.Columns })
	b.run(300 * time.Millisecond)
	return c
}

func (c *client) enterAs(mode world.Mode) {
	m := c.enterMsg()
	m.Mode = uint8(mode)
	c.send(c.home, m)
	c.b.until(c.name+" enters", func() bool { return c.online })
}

// planks places a block of planks (slot 1) on top of a block.
func (c *client) planks(at world.Pos) uint32 {
	return c.act(Act{Kind: uint8(world.ActPlace), Pos: at, Face: uint8(world.FaceUp), A: 1})
}

// spots are blocks of the ground around a player that it can reach.
func (c *client) spots() (out []world.Pos) {
	feet := c.body.Block()
	for _, d := range [][2]int32{{2, 0}, {2, 1}, {2, 2}, {-2, 0}, {-2, 1}, {0, 2}, {0, -2}, {1, 2}} {
		out = append(out, world.Pos{X: feet.X + d[0], Y: flatTop, Z: feet.Z + d[1]})
	}
	return out
}

// TestEditCrash crashes after every number of events while a player builds: what
// was acknowledged is there, and each block is either in the world or in the
// hand.
func TestEditCrash(t *testing.T) {
	crashes(t, 40, 40, func(b *bed) scenario {
		c := builder(b, "ada")
		placed := map[uint32]world.Pos{}
		had, spots := c.items[1].Count, c.spots()
		do := func(tick int) {
			if tick%5 == 0 {
				at := spots[tick/5]
				placed[c.planks(at)] = at
			}
			if tick == 22 { // in the middle, a snapshot
				b.region(here).r.snapshot(nil)
			}
		}
		whole := func() {
			for seq := range placed {
				if res := c.results[seq]; res == nil || !res.OK {
					t.Fatalf("act %d: %+v", seq, res)
				}
			}
		}
		check := func(n int) {
			b.crash()
			c.enter()
			_, h := b.homeOf(c.player)
			in := 0
			for seq, at := range placed {
				there := b.block(at.Add(0, 1, 0)) == world.OakPlanks
				if res := c.results[seq]; res != nil && res.OK && !there {
					t.Fatalf("crash after %d events: act %d was acknowledged and is lost", n, seq)
				}
				if there {
					in++
				}
			}
			if got := int(h.p.Items[1].Count); got+in != int(had) {
				t.Fatalf("crash after %d events: %d blocks in the world and %d in the hand, there were %d", n, in, got, had)
			}
		}
		return scenario{do, whole, check}
	})
}

// TestDiskFails: while the disk takes nothing acts are refused with the code
// storage and undone, everybody is told; when it works again all goes on, and
// nothing acknowledged is lost.
func TestDiskFails(t *testing.T) {
	b := newBed(t)
	b.sync = 120 * time.Millisecond // several ticks wait behind the one that fails
	c := builder(b, "ada")
	d := b.client("bob").enter()
	d.watch(here, RateHalf)
	b.run(time.Second)
	spots := c.spots()
	good := c.planks(spots[0])
	b.run(time.Second)
	if res := c.results[good]; res == nil || !res.OK {
		t.Fatalf("before: %+v", res)
	}
	had := c.items[1].Count
	b.diskErr = errDisk
	bad := []uint32{c.planks(spots[1])}
	b.run(150 * time.Millisecond)
	bad = append(bad, c.planks(spots[2]))
	b.run(time.Second)
	bad = append(bad, c.planks(spots[3]))
	b.run(time.Second)
	for i, seq := range bad {
		if res := c.results[seq]; res == nil || res.OK || res.Reason != "storage" {
			t.Errorf("act %d while the disk fails: %+v", seq, res)
		}
		at := spots[i+1].Add(0, 1, 0)
		for _, cl := range []*client{c, d} {
			if got := cl.columns[at.Column()].At(int(at.X&31), int(at.Y), int(at.Z&31)); got != world.Air {
				t.Errorf("%s still sees block %d: %v", cl.name, i, got)
			}
		}
		if got := b.block(at); got != world.Air {
			t.Errorf("block %d is %v", i, got)
		}
	}
	if c.items[1].Count != had {
		t.Errorf("%d planks in the hand, want %d", c.items[1].Count, had)
	}
	if n := countNotices(c, "storage"); n != 1 {
		t.Errorf("%d notices", n)
	}
	if _, ok := d.results[0]; ok || countNotices(d, "storage") != 1 {
		t.Error("bob was told something else")
	}
	b.diskErr = nil
	b.until("the disk works again", func() bool { return countNotices(c, "storage-ok") == 1 })
	again := c.planks(spots[4])
	b.run(time.Second)
	if res := c.results[again]; res == nil || !res.OK {
		t.Fatalf("afterwards: %+v", res)
	}
	b.crash()
	c.enter()
	for i, want := range map[int]world.Block{0: world.OakPlanks, 1: world.Air, 4: world.OakPlanks} {
		if got := b.block(spots[i].Add(0, 1, 0)); got != want {
			t.Errorf("after a crash block %d is %v, want %v", i, got, want)
		}
	}
	if _, h := b.homeOf(c.player); h.p.Items[1].Count != had-1 {
		t.Errorf("after a crash %d planks, want %d", h.p.Items[1].Count, had-1)
	}
}

func countNotices(c *client, code string) (n int) {
	for _, m := range c.other {
		if no, ok := m.(*Notice); ok && no.Code == code {
			n++
		}
	}
	return n
}

// TestDamagedRecords: what cannot be read is not written over, and who wants in
// is told.
func TestDamagedRecords(t *testing.T) {
	for name, kv := range map[string][2]string{
		"header":  {keyHeader, "\x09"},
		"log":     {logKey(5), "\xff"},
		"place":   {logKey(5), "\x80\x80\x80\x80\x01\x01"},
		"block":   {logKey(5), "\x01\xff\xff\x03"},
		"unknown": {"zebra", "1"},
		"column":  {columnKey(16), "1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			b.disk[Space(here)] = map[string][]byte{kv[0]: []byte(kv[1])}
			c := b.client("ada")
			c.send(here, c.enterMsg())
			b.run(500 * time.Millisecond)
			if c.online || len(c.other) == 0 {
				t.Fatal("let in")
			}
			if r, ok := c.other[0].(*Refused); !ok || r.Code != "storage" {
				t.Errorf("told %+v", c.other[0])
			}
			if b.written > 0 {
				t.Error("something was written")
			}
		})
	}
}

// TestDamagedColumn: one column that cannot be read keeps the region from
// ticking, with a notice; the others can be looked at.
func TestDamagedColumn(t *testing.T) {
	b := newBed(t)
	b.disk[Space(here)] = map[string][]byte{columnKey(3): []byte("\x01garbage")}
	c := b.client("ada")
	c.watch(here, RateEvery)
	b.run(time.Second)
	if len(c.columns) != world.Columns-1 || countNotices(c, "storage") != 1 {
		t.Errorf("%d columns, told %v", len(c.columns), c.other)
	}
	if b.written > 0 {
		t.Error("something was written")
	}
}

// TestLogBecomesSnapshot: the log does not grow for ever, and is read back
// whether or not a snapshot came between.
func TestLogBecomesSnapshot(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	c.hold(world.Bricks)
	b.run(time.Second)
	r := b.region(here).r
	r.store.logBytes = snapshotLog
	at := c.body.Block().Add(2, -1, 0)
	c.place(at)
	b.run(time.Second)
	if r.stats.Snapshots != 1 || r.store.logBytes > 100 {
		t.Errorf("%d snapshots, log %d bytes", r.stats.Snapshots, r.store.logBytes)
	}
	for k := range b.disk[Space(here)] {
		if k[:1] == keyLog {
			t.Errorf("log record %x is left", k)
		}
	}
	c.place(at.Add(0, 1, 0))
	b.run(time.Second)
	b.crash()
	c.enter()
	for y := range int32(2) {
		if got := b.block(at.Add(0, 1+y, 0)); got != world.Bricks {
			t.Errorf("block %d is %v", y, got)
		}
	}
}

// TestSaveAll: the lobby hears when all is on the disk, or why not.
func TestSaveAll(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	c.walkFor(10, world.ButtonForward, 0)
	b.lobby = nil
	b.deliver(here, Lobby, &SaveAll{Tag: 3})
	b.run(100 * time.Millisecond)
	if s, ok := b.lobby[0].(*Saved); !ok || s.Tag != 3 || s.Err != "" {
		t.Fatalf("%+v", b.lobby)
	}
	_, h := b.homeOf(c.player)
	want := h.p.Body.Pos
	b.crash()
	c.enter()
	if c.entered.Position != want {
		t.Errorf("saved at %v, came back at %v", want, c.entered.Position)
	}
	b.run(time.Second)
	b.diskErr, b.lobby = errDisk, nil
	b.deliver(here, Lobby, &SaveAll{Tag: 4})
	b.run(100 * time.Millisecond)
	if s, ok := b.lobby[0].(*Saved); !ok || s.Tag != 4 || s.Err == "" {
		t.Fatalf("%+v", b.lobby)
	}
}
