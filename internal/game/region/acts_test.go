package region

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// spree is a player of a survival world who does five things at once, each of
// which could be seen to be done twice or not at all.
func spree(c *client) (ends func() string) {
	had, glass := int(c.items[1].Count), int(c.items[3].Count)
	at := c.body.Block().Add(2, -1, 0)
	seqs := []uint32{
		c.act(Act{Kind: uint8(world.ActDrop), A: 3, B: 1}),
		c.planks(at),
		c.act(Act{Kind: uint8(world.ActMoveItem), A: 1, B: 20, Pos: world.Pos{X: 1}}),
		c.act(Act{Kind: uint8(world.ActDrop), A: 3, B: 1}),
		c.act(Act{Kind: uint8(world.ActSelect), A: 40}), // there is no such slot
	}
	return func() string {
		want := []string{"", "", "", "", "not-allowed"}
		for i, seq := range seqs {
			if res := c.results[seq]; res == nil || res.Reason != want[i] {
				return fmt.Sprintf("act %d: %+v", i, res)
			}
		}
		_, h := c.b.homeOf(c.player)
		in := 0
		if c.b.block(at.Add(0, 1, 0)) == world.OakPlanks {
			in = 1
		}
		if p := &h.p.Items; in != 1 || int(p[1].Count) != had-2 || p[20].Count != 1 || int(p[3].Count) != glass-2 {
			return fmt.Sprintf("%d in the world, %v", in, p)
		}
		return ""
	}
}

// TestActsOnce crashes after every number of events while acts are under way,
// once and once more, before they are on the disk and after, with the answers
// heard or not: who leads the region next does each once, and says so.
func TestActsOnce(t *testing.T) { bothWays(t, testActsOnce) }

func testActsOnce(t *testing.T, newBed func(testing.TB) *bed) {
	for _, deaf := range []bool{false, true} {
		for n, events := 0, 1000; n < events; n++ {
			b := newBed(t)
			b.sync = 7 * time.Millisecond
			c := builder(b, "ada")
			ends := spree(c)
			for range 2 {
				c.deaf = deaf
				done := 0
				for end := b.now.Add(100 * time.Millisecond); done < n && b.step(end); done++ {
				}
				if done < n {
					events = n // that was all
				}
				b.crash()
				c.deaf = false
				c.enter()
			}
			b.run(500 * time.Millisecond)
			if wrong := ends(); wrong != "" {
				t.Fatalf("crashes after %d events, answers lost %v: %s", n, deaf, wrong)
			}
		}
	}
}

// TestOvertakenDig: steps and acts come over different channels, and an act whose packet
// was lost comes after the steps that the player has made behind it. They count for its
// dig, which is done when the player begins the next.
func TestOvertakenDig(t *testing.T) { bothWays(t, testOvertakenDig) }

func testOvertakenDig(t *testing.T, newBed func(testing.TB) *bed) {
	b := newBed(t)
	c := builder(b, "ada")
	_, h := b.homeOf(c.player)
	one, two := c.spots()[0], c.spots()[1]
	need, ok := world.DigTicks(b.block(one), world.Survival, h.p.Held())
	if !ok || need < 6 {
		t.Fatalf("%d steps, %v", need, ok)
	}
	c.walkFor(10, 0, 0)
	dig := &Act{Player: c.player, Kind: uint8(world.ActDig), Pos: one, Face: uint8(world.FaceUp), After: c.seq}
	if c.log != nil {
		dig.Proof, dig.After = c.sign(dig), 0 // the segment says it
	}
	dig = c.acts.Ask(dig)
	c.walkFor(5, 0, 0)
	c.send(c.home, dig)
	c.walkFor(int(need)-5, 0, 0)
	c.act(Act{Kind: uint8(world.ActDig), Pos: two, Face: uint8(world.FaceUp)})
	b.run(time.Second)
	if res := c.results[dig.Seq]; res == nil || !res.OK {
		t.Errorf("the dig ended with %+v", res)
	}
}

// TestLongBorderActsOnce: the same for blocks that lie in a neighbour, which is
// asked by whoever leads the home.
func TestLongBorderActsOnce(t *testing.T) {
	simtest.Long(t)
	bothWays(t, testBorderActsOnce)
}

func testBorderActsOnce(t *testing.T, newBed func(testing.TB) *bed) {
	up := beyond.Add(0, 1, 0)
	for _, what := range []string{"place", "break", "refused"} {
		for n, events := 0, 1000; n < events; n++ {
			b := newBed(t)
			b.sync = 7 * time.Millisecond
			c := byBorder(b)
			had, want := int(c.items[1].Count), world.OakPlanks
			var seq uint32
			switch what {
			case "break":
				c.planks(beyond)
				b.run(400 * time.Millisecond)
				want = world.Air
				seq = c.act(Act{Kind: uint8(world.ActDig), Pos: up})
			case "refused":
				want = world.Air
				b.protect(there, world.Zone{Min: world.Pos{X: 128}, Max: world.Pos{X: 200, Y: 255, Z: 200}})
				seq = c.planks(beyond)
			default:
				seq = c.planks(beyond)
			}
			done := 0
			for end := b.now.Add(3 * time.Second); done < n && c.results[seq] == nil && b.step(end); done++ {
			}
			if done < n {
				events = n
			}
			b.crash()
			c.watch(there, RateEvery)
			if what == "refused" { // also when the neighbour is asked again
				b.protect(there, world.Zone{Min: world.Pos{X: 128}, Max: world.Pos{X: 200, Y: 255, Z: 200}})
			}
			c.enter()
			b.until("the act is answered", func() bool { return c.results[seq] != nil })
			b.run(resendEditAfter + time.Second)
			_, h := b.homeOf(c.player)
			in := 0
			if want == world.OakPlanks {
				in = 1
			}
			if res := c.results[seq]; res.OK != (what != "refused") || b.block(up) != want || int(h.p.Items[1].Count)+in != had {
				t.Fatalf("%s, crash after %d events: %+v, %v, %d in the hand of %d", what, n, res, b.block(up), h.p.Items[1].Count, had)
			}
			if r := b.region(here).r; len(r.pending.list) != 0 {
				t.Fatalf("%s, crash after %d events: %d edits are open", what, n, len(r.pending.list))
			}
			if keys := slices.Sorted(func(yield func(string) bool) {
				for k := range b.disk[Space(here)] {
					if k[:1] == keyPendingEdit && !yield(k) {
						return
					}
				}
			}); len(keys) > 0 {
				t.Fatalf("%s, crash after %d events: %d edits are on the disk", what, n, len(keys))
			}
		}
	}
}

// slabsOfOak is the recipe that makes two slabs of one block of planks.
const slabsOfOak = 7

// TestActsWhileCrossing: acts that are asked for while a player goes over the
// border are done once, whichever of the homes does them, whoever crashes when.
func TestActsWhileCrossing(t *testing.T) { bothWays(t, testActsWhileCrossing) }

func testActsWhileCrossing(t *testing.T, newBed func(testing.TB) *bed) {
	for n, events := 0, 1000; n < events; n += 3 {
		b := newBed(t)
		b.delay, b.sync = 9*time.Millisecond, 7*time.Millisecond
		c := byBorder(b)
		had, torches := int(c.items[1].Count), int(c.items[0].Count)
		b.teleport(c, metres(129.5, flatTop+1, 64.5))
		done := 0
		var seqs []uint32
		for end := b.now.Add(400 * time.Millisecond); done < n && b.step(end); done++ {
			if done%8 == 0 && len(seqs) < 6 {
				seqs = append(seqs, c.act(Act{Kind: uint8(world.ActCraft), A: slabsOfOak, B: 1}), c.act(Act{Kind: uint8(world.ActMoveItem), A: 0, B: 20, Pos: world.Pos{X: 1}}))
			}
		}
		if done < n {
			events = n
		}
		b.crash()
		c.enter()
		b.until("all acts are answered", func() bool { return c.acts.Pending() == 0 })
		b.run(2 * time.Second)
		b.until("the player is somewhere", func() bool { r, _ := b.homeOf(c.player); return r != nil })
		r, h := b.homeOf(c.player)
		for _, seq := range seqs {
			if res := c.results[seq]; !res.OK {
				t.Fatalf("crash after %d events: act %d of %d: %s", n, seq, len(seqs), res.Reason)
			}
		}
		k := len(seqs) / 2
		if p := &h.p.Items; int(p[1].Count) != had-k || p.Count(world.OakSlab) != 2*k || int(p[0].Count) != torches-k || int(p[20].Count) != k {
			t.Fatalf("crash after %d events: in %v after %d acts: %v of %d and %d", n, r.Pos(), len(seqs), p, had, torches)
		}
	}
}

// TestCopiesOfActs: acts are done in the order of their numbers, however they
// come, and a copy gets the answer that there was.
func TestCopiesOfActs(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	glass := int(c.items[3].Count)
	drop := func() *Act { return c.acts.Ask(&Act{Player: c.player, Kind: uint8(world.ActDrop), A: 3, B: 1}) }
	first := c.acts.Ask(&Act{Player: c.player, Kind: uint8(world.ActMoveItem), A: 3, B: 20})
	second, third := drop(), drop()
	var told []string
	_, h := b.homeOf(c.player)
	count := func() int { return int(h.p.Items[20].Count + h.p.Items[3].Count) }
	c.heard = func(m *ActResult) { told = append(told, fmt.Sprint(m.Seq, m.Reason)) }
	for _, m := range []*Act{third, third, second} {
		c.send(here, m)
	}
	b.run(200 * time.Millisecond)
	if len(told) != 0 || count() != glass {
		t.Fatalf("done before their turn: %v, %d left of %d", told, count(), glass)
	}
	for _, m := range []*Act{first, first, third} {
		c.send(here, m)
	}
	b.run(200 * time.Millisecond)
	if want := []string{"1", "2no-item", "3no-item"}; !slices.Equal(slices.Compact(slices.Sorted(slices.Values(told))), want) {
		t.Fatalf("answers %v, want %v: the slot was emptied first", told, want)
	}
	told = nil
	c.send(here, second)
	c.send(here, first)
	if want := []string{"2no-item", "1"}; count() != glass || !slices.Equal(told, want) {
		t.Errorf("copies: %v, want %v; %d left", told, want, count())
	}
	late := *c.acts.Enter(&Enter{Player: c.player, Entity: 1, Name: c.name})
	c.enter()
	c.send(here, &late)
	b.run(100 * time.Millisecond)
	if r, _ := b.homeOf(c.player); r.dedup.records[c.player].entry != late.Entry+1 {
		t.Error("a copy of an Enter takes the place of a later one")
	}
}

// TestActsOfAnotherSession: what one session has asked for says nothing of what
// the next one does under the same numbers.
func TestActsOfAnotherSession(t *testing.T) {
	b := newBed(t)
	c := builder(b, "ada")
	seq := c.act(Act{Kind: uint8(world.ActDrop), A: 3, B: 1})
	b.run(200 * time.Millisecond)
	if c.results[seq] == nil {
		t.Fatal("no answer")
	}
	left := int(c.items[3].Count)
	delete(b.clients, c.peer)
	c.peer, c.acts = machine.Peer{ID: id.Of([]byte("another"))}, Acts{}
	b.clients[c.peer] = c
	c.enter()
	delete(c.results, seq)
	if again := c.act(Act{Kind: uint8(world.ActDrop), A: 3, B: 1}); again != seq {
		t.Fatalf("act %d is not %d", again, seq)
	}
	b.run(200 * time.Millisecond)
	if _, h := b.homeOf(c.player); c.results[seq] == nil || int(h.p.Items[3].Count) != left-1 {
		t.Errorf("%+v, %d left of %d", c.results[seq], h.p.Items[3].Count, left)
	}
}

// TestSettledWhenAway: what an edit over the border brings comes to a player who
// has left the world since.
func TestSettledWhenAway(t *testing.T) {
	b := newBed(t)
	c := byBorder(b)
	had := c.items[1].Count
	b.protect(there, world.Zone{Min: world.Pos{X: 128}, Max: world.Pos{X: 200, Y: 255, Z: 200}})
	b.delay = 200 * time.Millisecond
	c.planks(beyond)
	b.run(50 * time.Millisecond)
	c.send(here, &Leave{c.player})
	b.run(time.Second)
	c.acts.Discard()
	c.enter()
	if _, h := b.homeOf(c.player); h.p.Items[1].Count != had {
		t.Errorf("%d in the hand of %d", h.p.Items[1].Count, had)
	}
}

func FuzzActRecord(f *testing.F) {
	l := &actRecord{session: id.Of([]byte("s")), entry: 3, floor: 7, next: 9}
	l.complete(completedAct{seq: 7, code: world.NoItem, durable: true})
	l.complete(completedAct{seq: 8, edit: &world.Remote{Kind: world.RemotePlace, Block: world.Bricks, Seq: 8}, durable: true})
	f.Add(l.encode(9))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := decodeActRecord(b)
		if err != nil {
			return
		}
		m, err := decodeActRecord(l.encode(l.next))
		if err != nil || m.entry != l.entry || m.floor != l.floor || m.next != l.next || string(m.encode(m.next)) != string(l.encode(l.next)) {
			t.Errorf("%+v became %+v: %v", l, m, err)
		}
	})
}

func FuzzPendingEdit(f *testing.F) {
	q := &pendingEdit{Remote: &world.Remote{Op: 5, Kind: world.RemotePlace, Seq: 9, At: world.Pos{X: -3, Y: 70, Z: 8}, Block: world.Bricks, Operator: true}, epoch: 4}
	f.Add(q.encode())
	q.proof = ActProof{[32]byte{1}, [32]byte{2}, []byte("segment")}
	f.Add(q.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		r := New(Config{}, nil)
		if r.pending.unpack(pendingEditKey(5)[1:], b) != nil {
			return
		}
		again := New(Config{}, nil)
		if err := again.pending.unpack(pendingEditKey(5)[1:], r.pending.list[0].encode()); err != nil {
			t.Fatal(err)
		}
		x, y := r.pending.list[0], again.pending.list[0]
		if *x.Remote != *y.Remote || x.epoch != y.epoch || x.session != y.session || !reflect.DeepEqual(x.proof, y.proof) {
			t.Errorf("%+v became %+v", x.Remote, y.Remote)
		}
	})
}
