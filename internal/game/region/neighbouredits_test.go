package region

import (
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// TestEditsOfABlockKeepTheirOrder: an edit waits for the answer to an earlier one
// of the same block, which may yet be sent again, and for no other.
func TestEditsOfABlockKeepTheirOrder(t *testing.T) {
	at, other := world.Pos{X: 1, Y: 70}, world.Pos{X: 2, Y: 70}
	dig, far, put := &world.Remote{Op: 1, At: at}, &world.Remote{Op: 2, At: other}, &world.Remote{Op: 3, At: at}
	a := pendingEdits{list: []*pendingEdit{{Remote: dig}, {Remote: far}, {Remote: put}}}
	if a.hasEarlier(dig) || a.hasEarlier(far) || !a.hasEarlier(put) {
		t.Errorf("behind: %t %t %t, want only the last", a.hasEarlier(dig), a.hasEarlier(far), a.hasEarlier(put))
	}
	if a.list = a.list[1:]; a.hasEarlier(put) {
		t.Error("the answer to the first does not let the second go")
	}
}

// editRequests are the edits across the border that were sent.
func (b *bed) editRequests() *[]*RemoteEdit {
	var out []*RemoteEdit
	b.lose = func(m machine.Message) bool {
		if q, ok := m.(*RemoteEdit); ok {
			out = append(out, q)
		}
		return false
	}
	return &out
}

// TestLateEdit: a copy of an edit that comes when its player has done other
// things since, asked by another machine that leads the home, or from another
// home, or by one that leads the neighbour only now, is not done.
func TestLateEdit(t *testing.T) {
	up := beyond.Add(0, 1, 0)
	for _, how := range []string{"the home is read again", "both are read again", "the player is over the border", "and has come back"} {
		t.Run(how, func(t *testing.T) {
			b := newBed(t)
			c := byBorder(b)
			sent := b.editRequests()
			c.planks(beyond)
			b.run(time.Second)
			if len(*sent) != 1 || b.block(up) != world.OakPlanks {
				t.Fatalf("%d questions, %v", len(*sent), b.block(up))
			}
			late := *(*sent)[0]
			remote := *late.Remote
			late.Remote = &remote
			if how == "the home is read again" || how == "both are read again" {
				delete(b.regions, here)
				if how == "both are read again" {
					delete(b.regions, there)
					b.region(there)
				}
				b.region(here)
				c.enter()
				c.watch(there, RateEvery)
				b.run(2 * time.Second)
			} else {
				b.teleport(c, metres(129.5, flatTop+1, 66.5))
				b.until("crossed", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == there })
				if how == "and has come back" {
					b.teleport(c, metres(126.5, flatTop+1, 66.5))
					b.until("back", func() bool { r, _ := b.homeOf(c.player); return r != nil && r.Pos() == here })
				}
				b.run(time.Second)
			}
			dig := c.act(Act{Kind: uint8(world.ActDig), Pos: up})
			b.until("broken", func() bool { b.run(TickLength); return c.results[dig] != nil })
			if !c.results[dig].OK || b.block(up) != world.Air {
				t.Fatalf("%+v, %v", c.results[dig], b.block(up))
			}
			b.deliver(there, PeerOf(here), &late)
			b.run(time.Second)
			if got := b.block(up); got != world.Air {
				t.Errorf("a late copy was done: %v", got)
			}
		})
	}
}

// TestRefusedEditStaysRefused: what was refused is not done by a copy of the question
// that comes later, also not by a region that has been read from the disk.
func TestRefusedEditStaysRefused(t *testing.T) {
	for _, again := range []bool{false, true} {
		b := newBed(t)
		c := byBorder(b)
		sent := b.editRequests()
		b.protect(there, world.Zone{Min: world.Pos{X: 128}, Max: world.Pos{X: 200, Y: 255, Z: 200}})
		seq := c.planks(beyond)
		b.run(time.Second)
		if r := c.results[seq]; r == nil || r.OK || len(*sent) != 1 {
			t.Fatalf("%+v, %d questions", r, len(*sent))
		}
		if again {
			delete(b.regions, there)
			b.region(there)
			b.run(time.Second)
		}
		b.protect(there)
		b.deliver(there, PeerOf(here), (*sent)[0])
		b.run(time.Second)
		if got := b.block(beyond.Add(0, 1, 0)); got != world.Air {
			t.Errorf("read again %v: what was refused is done: %v", again, got)
		}
	}
}

// TestNumbersOfEdits: whoever reads the region next begins above all numbers
// that were given, also by a machine whose clock was ahead.
func TestNumbersOfEdits(t *testing.T) {
	b := newBed(t)
	c := byBorder(b)
	sent := b.editRequests()
	b.region(here).r.pending.last = TickAt(b.now.Add(time.Minute), 0) << 8
	c.planks(beyond)
	b.run(time.Second)
	delete(b.regions, here)
	c.enter()
	c.watch(there, RateEvery)
	b.run(3 * time.Second)
	c.planks(beyond.Add(0, 0, 1))
	b.run(time.Second)
	if len(*sent) != 2 || (*sent)[1].Remote.Op <= (*sent)[0].Remote.Op || (*sent)[1].Oldest <= (*sent)[0].Remote.Op {
		t.Errorf("%d questions: %+v", len(*sent), *sent)
	}
}

// TestNeighbourEditsOnDisk: how edits ended is read as it was written, and nothing that
// was cut off is.
func TestNeighbourEditsOnDisk(t *testing.T) {
	b := newBed(t)
	r := b.region(here).r
	o := r.edits.of(there)
	o.floor = 300
	o.list = []neighbourEdit{
		{number: 300, state: editDurable, left: world.Stone}, {number: 301, state: editWaiting},
		{number: 1 << 40, state: editDurable, code: world.Occupied},
	}
	r.edits.put(there, o)
	key, value := neighbourEditsKey(there), r.store.small[neighbourEditsKey(there)]
	want := []neighbourEdit{o.list[0], o.list[2]}
	o.floor, o.list = 0, nil
	if err := r.edits.unpack(key[1:], value); err != nil || o.floor != 300 || !slices.Equal(o.list, want) {
		t.Fatalf("%v: %d %+v", err, o.floor, o.list)
	}
	whole := 0
	for n := range value {
		if r.edits.unpack(key[1:], value[:n]) == nil {
			whole++
		}
	}
	if whole != 2 { // the floor alone, and one of the edits
		t.Errorf("%d of %d pieces are records", whole, len(value))
	}
}
