package mmve

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

const sec = machine.Time(time.Second)

func players(n int) []*state.Player {
	out := make([]*state.Player, n)
	for i := range out {
		out[i] = &state.Player{
			ID:   id.Of(binary.BigEndian.AppendUint64(nil, uint64(i))),
			Home: geom.Point{X: int32(i * 100), Y: int32(i * 37)},
		}
	}
	return out
}

// whole is the square of the whole world.
func (w *World) whole() geom.Rect { return geom.Rect{Max: geom.Point{X: w.side, Y: w.side}} }

// The world's content is that of the thesis (6.4.1, Stored Data).
func TestThePopulationIsTheThesis(t *testing.T) {
	w := New(Config{Seed: 1}, players(5000))
	var npcs, npcBytes, characters, bytes, atPoint, homeAtPoint int
	least, most := largest, 0
	for _, o := range w.Initial(w.whole()) {
		near := func(p geom.Point) bool { return w.nearest(p, 1)[0].Dist2(p) <= around*around }
		switch s := o.State.(type) {
		case *npc:
			npcs, npcBytes = npcs+1, npcBytes+o.Size
			if near(s.home) {
				homeAtPoint++
			}
			if o.Static {
				t.Fatal("an NPC is static")
			}
		case *character:
			characters, bytes = characters+1, bytes+o.Size
			least, most = min(least, o.Size), max(most, o.Size)
			if near(o.Pos) {
				atPoint++
			}
			if !o.Static {
				t.Fatal("a character is active before its player has come")
			}
		}
	}
	if npcs != 44890 || npcBytes != 44890*158 {
		t.Errorf("%d NPCs of %d bytes in all, want 44890 of 158 each", npcs, npcBytes)
	}
	const want = 308 << 20 / 10 // 30.8 MB
	if characters != 5000 || bytes < want*97/100 || bytes > want*103/100 {
		t.Errorf("%d characters of %d bytes in all, want 5000 of about %d", characters, bytes, want)
	}
	if least < 374 || least > 420 || most > 12534 || most < 12480 {
		t.Errorf("characters have %d to %d bytes, want 374 to 12534", least, most)
	}
	// Some of those who are anywhere are near a point too: 100 circles of 50 m
	// are 1.7 % of the world.
	if share := homeAtPoint * 1000 / npcs; share < 333 || share > 360 {
		t.Errorf("%d of 1000 NPCs live at points of interest, want a third and a few", share)
	}
	if share := atPoint * 1000 / characters; share < 490 || share > 530 {
		t.Errorf("%d of 1000 characters are at points of interest, want half and a few", share)
	}
}

// The cells together hold everything once.
func TestCellsAreAPartition(t *testing.T) {
	w := New(Config{Seed: 2, Side: 500, Points: 5}, players(50))
	seen := map[state.ObjectID]bool{}
	for y := int32(0); y < w.side; y += cellSide {
		for x := int32(0); x < w.side; x += cellSide {
			cell := geom.Rect{Min: geom.Point{X: x, Y: y}, Max: geom.Point{X: x + cellSide, Y: y + cellSide}}
			last := state.ObjectID(0)
			for _, o := range w.Initial(cell) {
				if seen[o.ID] || o.ID <= last || !cell.Holds(o.Pos) {
					t.Fatalf("object %d is in a second cell, out of order or outside of its cell", o.ID)
				}
				seen[o.ID], last = true, o.ID
			}
		}
	}
	if len(seen) != 250+50 {
		t.Errorf("%d objects in all cells, want 300", len(seen))
	}
}

// crowd is players who act, and everything they have done.
type crowd struct {
	w       *World
	players []*state.Player
	minds   []*Mind
	seq     []uint64
}

func newCrowd(w *World, players []*state.Player) *crowd {
	c := &crowd{w: w, players: players, seq: make([]uint64, len(players))}
	place := map[state.ObjectID]geom.Point{}
	for _, o := range w.Initial(w.whole()) {
		place[o.ID] = o.Pos
	}
	for _, p := range players {
		c.minds = append(c.minds, w.NewMind(p, 1, place[CharacterOf(p)]))
	}
	return c
}

// actions returns what is done until a time, in order.
func (c *crowd) actions(to machine.Time) []*state.Action {
	var out []*state.Action
	for i, m := range c.minds {
		for m.Next() <= to {
			at := m.Next()
			if body := m.Act(); body != nil {
				c.seq[i]++
				out = append(out, &state.Action{Player: c.players[i], Seq: c.seq[i], At: at, Body: body, Size: ActionSize})
			}
		}
	}
	sortActions(out)
	return out
}

// A cell that is replayed from what is within Reach of it comes out as in a
// replay of the whole world at once (thesis 5.3.1, 5.3.2).
func TestCellsComeOutAsInTheWholeWorld(t *testing.T) {
	for seed := range uint64(2) {
		all := players(60)
		w := New(Config{Seed: seed, Side: 600, NPCs: 900, Points: 4}, all)
		crowd, other, struck := newCrowd(w, all), New(w.cfg, all), 0
		objects := w.Initial(w.whole())
		for i, o := range objects {
			if o.Static {
				objects[i] = w.Activate(o.Player, o.Pos, o)
			}
		}
		reach := w.World().Reach(10 * time.Second)
		r := rng.New(seed)
		for now := machine.Time(0); now < 120*sec; now += 10 * sec {
			actions := crowd.actions(now + 10*sec)
			s := state.Step{From: now, To: now + 10*sec, Target: w.whole(), Objects: objects, Actions: actions}
			want := w.Replay(&s)
			var got []*state.Object
			for y := int32(0); y < w.side; y += cellSide {
				for x := int32(0); x < w.side; x += cellSide {
					s.Target = geom.Rect{Min: geom.Point{X: x, Y: y}, Max: geom.Point{X: x + cellSide, Y: y + cellSide}}
					s.Objects = around1(objects, s.Target, reach+int32(r.Intn(1000)))
					s.Actions = ofThese(actions, s.Objects)
					got = append(got, other.Replay(&s)...)
				}
			}
			compare(t, seed, got, want)
			objects = want
			for _, o := range want {
				if n, ok := o.State.(*npc); ok && n.health < fullHealth {
					struck++
				}
			}
		}
		if struck == 0 {
			t.Errorf("seed %d: nobody was ever struck", seed)
		}
	}
}

func TestStepsMayBeCut(t *testing.T) {
	all := players(60)
	w := New(Config{Seed: 5, Side: 600, NPCs: 900, Points: 4}, all)
	objects := w.Initial(w.whole())
	for i, o := range objects {
		if o.Static {
			objects[i] = w.Activate(o.Player, o.Pos, o)
		}
	}
	actions := newCrowd(w, all).actions(60 * sec)
	once := w.Replay(&state.Step{To: 60 * sec, Target: w.whole(), Objects: objects, Actions: actions})
	var now machine.Time
	for _, to := range []machine.Time{sec, 7*sec + 123456789, 20 * sec, 59 * sec, 60 * sec} {
		s := state.Step{From: now, To: to, Target: w.whole(), Objects: objects}
		for _, a := range actions {
			if a.At > now && a.At <= to {
				s.Actions = append(s.Actions, a)
			}
		}
		objects, now = w.Replay(&s), to
	}
	compare(t, 5, objects, once)
}

func compare(t *testing.T, seed uint64, got, want []*state.Object) {
	t.Helper()
	digests := map[state.ObjectID]state.Digest{}
	for _, o := range got {
		if _, twice := digests[o.ID]; twice {
			t.Fatalf("seed %d: object %x is in two cells", seed, o.ID)
		}
		digests[o.ID] = o.Digest
	}
	if len(digests) != len(want) {
		t.Fatalf("seed %d: %d objects, want %d", seed, len(digests), len(want))
	}
	for _, o := range want {
		if digests[o.ID] != o.Digest {
			t.Fatalf("seed %d: object %x differs", seed, o.ID)
		}
	}
}

// around1 returns the objects in a cell and as far around it.
func around1(objects []*state.Object, cell geom.Rect, far int32) []*state.Object {
	cell.Min.X, cell.Min.Y = cell.Min.X-far, cell.Min.Y-far
	cell.Max.X, cell.Max.Y = cell.Max.X+far, cell.Max.Y+far
	var out []*state.Object
	for _, o := range objects {
		if cell.Holds(o.Pos) {
			out = append(out, o)
		}
	}
	return out
}

// ofThese returns the actions of the players of objects.
func ofThese(actions []*state.Action, objects []*state.Object) []*state.Action {
	who := map[*state.Player]bool{}
	for _, o := range objects {
		who[o.Player] = true
	}
	var out []*state.Action
	for _, a := range actions {
		if who[a.Player] {
			out = append(out, a)
		}
	}
	return out
}
