package regionlog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// TestLongHonest: whatever happens in a region, its log leads to what was signed, from
// each state that was given on.
func TestLongHonest(t *testing.T) {
	simtest.Long(t)
	var all seen
	for _, seed := range seeds(12) {
		all.add(testHonest(t, seed, 1500))
	}
	all.check(t)
}

func TestHonest(t *testing.T) {
	var all seen
	for _, seed := range seeds(3) {
		all.add(testHonest(t, seed, 400))
	}
	all.check(t)
}

func testHonest(t *testing.T, seed uint64, ticks int) seen {
	t.Helper()
	w := newPlay(seed, 6, seed%2 == 0)
	w.build = true
	for range ticks {
		w.step()
	}
	states := 0
	for i, o := range w.outs {
		if o.State == nil {
			continue
		}
		states++
		if p, err := replay(w.outs, i); p != nil || err != nil {
			what := ""
			if p != nil {
				f, err := p.Check()
				what = fmt.Sprint(f, err, p.To.Number)
			}
			t.Fatalf("seed %d, from output %d on: %v %s", seed, i, err, what)
		}
	}
	if states < 2 {
		t.Errorf("seed %d: only %d states were given", seed, states)
	}
	return w.seen
}

// TestLies: a change that the log does not have, or an act that its player has not
// signed, is proven with the next checkpoint, by a proof that survives being written
// down, and that no longer proves anything when it is changed.
func TestLies(t *testing.T) {
	at := world.Pos{X: 40, Y: top, Z: 40}
	for name, lie := range map[string]func(w *play, a *Area){
		"drops a block": func(w *play, a *Area) { a.Area.Revert([]world.BlockChange{{At: at, Was: world.Air, Now: world.Grass}}) },
		"invents one": func(w *play, a *Area) {
			a.Area.Revert([]world.BlockChange{{At: at, Was: world.GoldOre, Now: world.Grass}})
		},
		"grants an item": func(w *play, a *Area) {
			a.Player(w.players[0].id).Items[5] = world.Stack{Block: world.GoldOre, Count: 9}
		},
		"lets fly": func(w *play, a *Area) { a.Player(w.players[0].id).Body.Pos.Y += 5 * fixed.One },
		"heals":    func(w *play, a *Area) { a.Player(w.players[0].id).Mode = world.Creative },
		"forges an act": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdAct, Seq: 999, Act: world.Act{Kind: world.ActDrop, A: 1, B: 1}}})
		},
		"logs that it grants an item": func(w *play, a *Area) {
			p := a.Player(w.players[0].id)
			p.Items[5] = world.Stack{Block: world.GoldOre, Count: 9}
			a.Changed(p)
		},
		"logs that it heals": func(w *play, a *Area) {
			p := a.Player(w.players[0].id)
			p.Health, p.Food = 3, 2
			a.Changed(p)
		},
		"gives without an order": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderGive, Block: world.GoldOre, Count: 9}}})
		},
		"gives more than was ordered": func(w *play, a *Area) {
			c := ordered(w.players[0].id, decision.Order{Kind: decision.Give, Text: "stone", Count: 1}, 7)
			c.Order.Count = 64
			a.Act([]world.Command{c})
		},
		"gives another what was ordered": func(w *play, a *Area) {
			c := ordered(w.players[1].id, decision.Order{Kind: decision.Give, Text: "stone", Count: 1}, 7)
			c.Player = w.players[0].id
			a.Act([]world.Command{c})
		},
		"moves somebody": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderTeleport, At: world.Vec{X: fixed.Int(60), Y: fixed.Int(90), Z: fixed.Int(60)}}}})
		},
		"heals by no order": func(w *play, a *Area) {
			a.Act([]world.Command{{Player: w.players[0].id, Kind: world.CmdOrder, Seq: 1, Order: &world.Order{Kind: world.OrderHealth, Count: 20}}})
		},
		"goes back in time": func(w *play, a *Area) { a.Tick(w.tick-1, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newPlay(5, 3, true)
			w.a.Area.Player(w.players[0].id).Mode = world.Survival
			w.g, w.stay = rng.New(3), true
			for range 50 {
				w.step()
			}
			if w.a.Player(w.players[0].id) == nil {
				t.Fatal("the player has gone")
			}
			done := len(w.outs)
			w.extra = func(a *Area) { lie(w, a); w.extra = nil }
			for range Every + 2 {
				w.step()
			}
			p, err := replay(w.outs, 0)
			if p == nil {
				t.Fatalf("nothing is proven: %v", err)
			}
			if int(p.To.Number) > done+Every+1 {
				t.Errorf("proven with entry %d, the lie is in entry %d", p.To.Number, done)
			}
			again, err := DecodeProof(p.Append(nil))
			if err != nil {
				t.Fatal(err)
			}
			found, err := again.Check()
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s (%d bytes)", found, len(p.Append(nil)))
			forge(t, p)
		})
	}
}

// forge changes a proof so that it would be against somebody innocent.
func forge(t *testing.T, p *Proof) {
	t.Helper()
	less := *p
	less.Entries = p.Entries[:len(p.Entries)-1]
	other := *p
	other.Entries = slices.Clone(p.Entries)
	other.Entries[0] = append([]byte{evRingClear}, p.Entries[0]...)
	state := *p
	state.State = bytes.Clone(p.State)
	state.State[len(state.State)/2] ^= 1
	signed := *p
	to := *p.To
	to.Hashes[partItems][0] ^= 1
	signed.To = &to
	back := *p
	back.From, back.To = p.To, p.From
	for name, q := range map[string]*Proof{"an entry less": &less, "another entry": &other, "another state": &state, "another checkpoint": &signed, "the wrong order": &back} {
		if found, err := q.Check(); err == nil {
			t.Errorf("%s proves: %v", name, found)
		}
	}
}

// TestMixed: lost, repeated and swapped entries, and those of another log of the same
// host, prove nothing.
func TestMixed(t *testing.T) {
	for _, seed := range seeds(20) {
		g := rng.New(seed, 3)
		w, v := newPlay(seed, 2, false), newPlay(seed, 2, false)
		v.g = rng.New(seed, 5)
		for range 90 {
			w.step()
			v.step()
		}
		outs := slices.Clone(w.outs)
		for i := 1; i < len(outs); i++ {
			switch g.Intn(30) {
			case 0:
				outs = slices.Delete(outs, i, i+1)
			case 1:
				outs = slices.Insert(outs, i, outs[i])
			case 2:
				outs[i], outs[i-1+g.Intn(2)] = outs[i-1+g.Intn(2)], outs[i]
			case 3:
				outs[i] = v.outs[min(i, len(v.outs)-1)]
			}
		}
		for i := range outs {
			if outs[i].State == nil {
				continue
			}
			p, err := replay(outs, i)
			if p == nil {
				continue
			}
			if found, wrong := p.Check(); wrong == nil {
				t.Errorf("seed %d: an honest host is convicted: %v, %v", seed, found, err)
			}
		}
	}
}

// TestHonestProofs: a proof whose events lead to what was signed proves nothing.
func TestHonestProofs(t *testing.T) {
	w := newPlay(1, 3, true)
	for range 70 {
		w.step()
	}
	first := w.outs[0]
	p := &Proof{From: first.Checkpoint, State: first.State}
	for _, o := range w.outs[1:] {
		p.Entries = append(p.Entries, o.Entry)
		if p.To = o.Checkpoint; p.To != nil {
			break
		}
	}
	if found, err := p.Check(); !errors.Is(err, ErrHonest) {
		t.Errorf("%v, %v", found, err)
	}
	old := *p.From
	old.Version++
	signing.sign(&old)
	old.Version = Version + 1
	old.Signature = signing.Sign(old.text())
	to := *p.To
	to.Version = Version + 1
	to.Signature = signing.Sign(to.text())
	if _, err := (&Proof{From: &old, To: &to, State: p.State, Entries: p.Entries}).Check(); !errors.Is(err, ErrVersion) {
		t.Errorf("other rules: %v", err)
	}
}

// TestRulesVersion notices when the rules change: hosts of both versions would convict
// each other, so Version has to be raised together with this digest.
func TestRulesVersion(t *testing.T) {
	w := newPlay(9, 8, false)
	for range 600 {
		w.step()
	}
	digest := w.a.state(false).Hashes.Digest()
	const want = "15 d7a6246cde9c1b20"
	if got := fmt.Sprintf("%d %s", Version, hex.EncodeToString(digest[:8])); got != want {
		t.Errorf("the rules have changed: raise Version in doc.go, and write here %q", strings.TrimSpace(got))
	}
}
