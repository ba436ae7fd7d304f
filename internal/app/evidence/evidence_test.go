package evidence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(n byte) [32]byte { return [32]byte(key(n).Public().(ed25519.PublicKey)) }

// record is how a world with a storage begins.
func record(founder byte) *genesis.Record {
	r := &genesis.Record{
		Name: "castle", Seed: "7", Mode: 1, Epoch: 5,
		Truth:   genesis.Truth{Begin: 9, LMax: time.Second, Regions: 4},
		Genesis: identity.Genesis{Authority: public(200), Zones: 4},
	}
	r.Sign(key(founder))
	return r
}

// node1 to node4 stand in the middle of the four zones.
func certificate(r *genesis.Record, n byte) *identity.Certificate {
	space := overlay.SpaceFor(4)
	low := space.SubArea(int(n - 1)).Min
	c := &identity.Certificate{
		World: r.World(), Key: public(n), Serial: uint64(n), Pos: geom.Point{X: low.X + space.SubSide()/2, Y: low.Y + space.SubSide()/2},
	}
	c.Sign(key(200))
	return c
}

// answer is what a node says that the world is: terrain in which somebody has
// placed a block of some kind.
func answer(t *testing.T, g *Ground, n, block byte) *verifiedworld.Answer {
	w := Rules(g.record).World()
	return answerAbout(t, g, n, block, geom.Circle{C: geom.Point{X: w.Side / 2, Y: w.Side / 2}, R: w.Side})
}

// answerAbout is about a part of the world only.
func answerAbout(t *testing.T, g *Ground, n, block byte, part geom.Circle) *verifiedworld.Answer {
	rules := Rules(g.record)
	w := rules.World()
	o, err := rules.DecodeObject([]byte{2, 0, 0, 2, 1, 7, block})
	if err != nil {
		t.Fatal(err)
	}
	c := certificate(g.record, n)
	area := overlay.Area{Circle: part}
	m := &messages.Result{
		Query: 3, Area: area, Seen: state.NewSnapshot(8, []*state.Object{o}, w),
		Around: messages.NewAround(&overlay.Contact{ID: c.ID(), Pos: c.Pos}, nil, g.space.Bounds()),
	}
	a := &verifiedworld.Answer{Certificate: c, Result: m.Seal(w)}
	if err := g.Sign(a, key(n)); err != nil {
		t.Fatal(err)
	}
	return a
}

func tampering(t *testing.T, g *Ground, accused *verifiedworld.Answer, others ...*verifiedworld.Answer) []byte {
	b, err := g.Tampering(&verifiedworld.Contradiction{Of: 8, X: 2, Y: 2, Accused: accused, Others: others}, time.Unix(1, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// change makes another line of one.
func change(t *testing.T, b []byte, do func(*Line)) []byte {
	var l Line
	if err := json.Unmarshal(b, &l); err != nil {
		t.Fatal(err)
	}
	do(&l)
	out, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestProven: a line and the world's genesis are all that it takes to see that a
// node has tampered; nothing but what its nodes have signed makes one guilty.
func TestProven(t *testing.T) {
	r := record(90)
	g := NewGround(r)
	say := func(n, block byte) *verifiedworld.Answer { return answer(t, g, n, block) }
	good := tampering(t, g, say(4, 2), say(1, 1), say(2, 1), say(3, 1))
	who, err := Proven(good, r.Genesis)
	if liar := public(4); err != nil || who != id.Of(liar[:]) {
		t.Fatalf("guilty is %s, %v", who, err)
	}
	// Of a cell that it holds a part of it is guilty as far as that goes.
	built := Rules(r).World().Cell*2 + 16*64 // in the middle of the lowest column
	near, far := geom.Circle{C: geom.Point{X: built, Y: built}, R: 900}, geom.Circle{C: geom.Point{X: 3 * built / 2, Y: built}, R: 900}
	if who, err := Proven(tampering(t, g, answerAbout(t, g, 4, 2, near), say(1, 1), say(2, 1), say(3, 1)), r.Genesis); err != nil || who != certificate(r, 4).ID() {
		t.Errorf("who tampers with a part: %s, %v", who, err)
	}
	stranger := say(3, 1)
	self := *stranger.Certificate
	self.Sign(key(3)) // it has certified itself
	stranger.Certificate = &self
	elsewhere := NewGround(record(91)) // somebody else claims to be the founder
	for name, line := range map[string][]byte{
		"two zones are not most of four":   tampering(t, g, say(4, 2), say(1, 1), say(2, 1)),
		"all say the same":                 tampering(t, g, say(4, 1), say(1, 1), say(2, 1), say(3, 1)),
		"it tells of another part":         tampering(t, g, answerAbout(t, g, 4, 2, far), say(1, 1), say(2, 1), say(3, 1)),
		"one of them tells of a part":      tampering(t, g, say(4, 2), say(1, 1), say(2, 1), answerAbout(t, g, 3, 1, near)),
		"the others disagree":              tampering(t, g, say(4, 2), say(1, 1), say(2, 1), say(3, 3)),
		"one of them twice":                tampering(t, g, say(4, 2), say(1, 1), say(2, 1), say(2, 1)),
		"one whom nobody has admitted":     tampering(t, g, say(4, 2), say(1, 1), say(2, 1), stranger),
		"read under another record":        change(t, good, func(l *Line) { l.Record = recordOf(t, elsewhere) }),
		"another update":                   change(t, good, func(l *Line) { l.Update++ }),
		"a cell in which nothing is built": change(t, good, func(l *Line) { l.Cell[0]-- }),
		"no cell of the world":             change(t, good, func(l *Line) { l.Cell[0] = 1 << 30 }),
		"no answer":                        change(t, good, func(l *Line) { l.Answer = "" }),
		"no others":                        change(t, good, func(l *Line) { l.Others = nil }),
		"no record":                        change(t, good, func(l *Line) { l.Record = "" }),
		"no line":                          []byte("tampered"),
		"nobody stands by it":              change(t, good, func(l *Line) { l.Answer = strings.Replace(l.Answer, "9b01", "9b00", 1) }),
	} {
		if who, err := Proven(line, r.Genesis); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %s is guilty, %v", name, who, err)
		}
	}
	other := r.Genesis
	other.Salt[0]++
	if _, err := Proven(good, other); !errors.Is(err, ErrNone) {
		t.Errorf("in another world: %v", err)
	}
}

// TestProvenByDigests: answers that say digests only are proofs if they are to the
// same retrieval, and tell of the cell.
func TestProvenByDigests(t *testing.T) {
	r := record(90)
	g := NewGround(r)
	w := Rules(r).World()
	say := func(n, block byte, query uint64, doubts ...uint32) *verifiedworld.Answer {
		c := certificate(r, n)
		area := overlay.Area{Circle: geom.Circle{C: geom.Point{X: w.Side / 2, Y: w.Side / 2}, R: w.Side}}
		m := &messages.Result{Query: query, Area: area, Brief: true, Same: true, Sent: &messages.DigestAnswer{Of: 8, Cover: area, Unsure: doubts}}
		for _, at := range m.Cells(w) {
			tag := state.SaltedDigest{1, byte(at.X), byte(at.Y)}
			if at == (messages.CellAt{X: 2, Y: 2}) {
				tag[7] = block
			}
			m.Sent.Tags = append(m.Sent.Tags, tag)
		}
		a := &verifiedworld.Answer{Certificate: c, Result: m.Seal(w)}
		if err := g.Sign(a, key(n)); err != nil {
			t.Fatal(err)
		}
		return a
	}
	good := tampering(t, g, say(4, 2, 3), say(1, 1, 3), say(2, 1, 3), say(3, 1, 3))
	if who, err := Proven(good, r.Genesis); err != nil || who != certificate(r, 4).ID() {
		t.Errorf("%s is guilty, %v", who, err)
	}
	cell := uint32(2*(w.Side/w.Cell)+2)*4 + 1
	for name, line := range map[string][]byte{
		"it says the same":                 tampering(t, g, say(4, 1, 3), say(1, 1, 3), say(2, 1, 3), say(3, 1, 3)),
		"it was asked something else":      tampering(t, g, say(4, 2, 4), say(1, 1, 3), say(2, 1, 3), say(3, 1, 3)),
		"others were asked something else": tampering(t, g, say(4, 2, 3), say(1, 1, 3), say(2, 1, 4), say(3, 1, 3)),
		"it has only guessed":              tampering(t, g, say(4, 2, 3, cell), say(1, 1, 3), say(2, 1, 3), say(3, 1, 3)),
		"others have only guessed":         tampering(t, g, say(4, 2, 3), say(1, 1, 3), say(2, 1, 3, cell), say(3, 1, 3)),
		"too few":                          tampering(t, g, say(4, 2, 3), say(1, 1, 3), say(2, 1, 3)),
		"something was left out":           change(t, good, func(l *Line) { l.Left[0] = "0102030405060708" }),
		"against what shows its cells":     tampering(t, g, answer(t, g, 4, 2), say(1, 1, 3), say(2, 1, 3), say(3, 1, 3)),
	} {
		if who, err := Proven(line, r.Genesis); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %s is guilty, %v", name, who, err)
		}
	}
}

// recordOf is the record that the lines of another ground bear.
func recordOf(t *testing.T, g *Ground) (record string) {
	var l Line
	if err := json.Unmarshal(tampering(t, g, answer(t, g, 1, 1)), &l); err != nil {
		t.Fatal(err)
	}
	return l.Record
}

// TestVerdict: a file has lines of all sorts.
func TestVerdict(t *testing.T) {
	r := record(90)
	g := NewGround(r)
	say := func(n, block byte) *verifiedworld.Answer { return answer(t, g, n, block) }
	view := &overlay.NetworkView{Source: &overlay.Contact{ID: id.Of([]byte("a"))}}
	weak, err := g.FalseView(overlay.Evidence{Accusation: overlay.Missing, View: view, Node: view.Source, Seen: machine.Time(1)})
	if err != nil {
		t.Fatal(err)
	}
	file := slices.Concat(tampering(t, g, say(4, 2), say(1, 1), say(2, 1), say(3, 1)), []byte("\n"),
		weak, []byte("\nrubbish\n\n"), tampering(t, g, say(2, 2), say(1, 1), say(4, 1), say(3, 1)), []byte("\n"))
	v, err := Read(bytes.NewReader(file), r.Genesis)
	if err != nil || v.Lines != 5 || v.Weak != 1 || len(v.Refused) != 1 || len(v.Guilty) != 2 || v.Guilty[certificate(r, 4).ID()] != 1 || v.Guilty[certificate(r, 2).ID()] != 1 {
		t.Fatalf("%+v, %v", v, err)
	}
	if !strings.HasPrefix(v.Refused[0].Error(), "line 3:") {
		t.Errorf("refused: %v", v.Refused[0])
	}
}

// TestExplain: a statement says who has done what, where and when; what nobody has
// signed is not stated.
func TestExplain(t *testing.T) {
	r := record(90)
	g := NewGround(r)
	say := func(n, block byte) *verifiedworld.Answer { return answer(t, g, n, block) }
	good := tampering(t, g, say(4, 2), say(1, 1), say(2, 1), say(3, 1))
	liar := certificate(r, 4).ID()
	s, err := Explain(good)
	if err != nil || s.By != liar || s.World != r.World() {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, want := range []string{liar.String(), `"castle"`, "region 0,0 (x 0 to 127, z 0 to 127)", "update 8", "3 of the 4 zones", "1970-01-01 00:00:01 UTC", certificate(r, 2).ID().String()} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("%q is missing in: %s", want, s.Text)
		}
	}
	for name, line := range map[string][]byte{
		"somebody else is accused": change(t, good, func(l *Line) { l.By = certificate(r, 2).ID() }),
		"another update":           change(t, good, func(l *Line) { l.Update++ }),
		"too few":                  tampering(t, g, say(4, 2), say(1, 1), say(2, 1)),
		"no charge":                change(t, good, func(l *Line) { l.Charge = "" }),
		"no line":                  []byte("tampered"),
	} {
		if s, err := Explain(line); !errors.Is(err, ErrNone) || s.Text != "" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	view := &overlay.NetworkView{Source: &overlay.Contact{ID: liar}}
	weak, err := g.FalseView(overlay.Evidence{Accusation: overlay.Missing, View: view, Node: view.Source, Seen: machine.Time(1)})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Explain(weak); !errors.Is(err, ErrWeak) || !strings.Contains(s.Text, "did not count") {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestReceipts: a receipt is its storer's word for one batch of one player, from
// its own place.
func TestReceipts(t *testing.T) {
	g := NewGround(record(90))
	c := certificate(g.record, 1)
	player := &state.Player{ID: certificate(g.record, 2).ID()}
	batch := func(of int64, seq uint64) *state.Batch {
		a := &state.Action{Player: player, Seq: seq, At: 5, Body: []byte("dig")}
		voxelrules.SignAction(g.record.World(), key(2), a)
		b, err := state.NewBatch(player, of, []*state.Action{a})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	r := &messages.Receipt{By: &overlay.Contact{ID: c.ID(), Pos: c.Pos}, Batch: batch(3, 1)}
	if err := g.SignReceipt(r, c, key(1)); err != nil || !g.SignedReceipt(r) {
		t.Fatalf("a good receipt does not count: %v", err)
	}
	elsewhere := certificate(g.record, 3)
	for name, change := range map[string]func(*messages.Receipt){
		"another batch":    func(r *messages.Receipt) { r.Batch = batch(3, 2) },
		"another interval": func(r *messages.Receipt) { r.Batch = batch(4, 1) },
		"another place":    func(r *messages.Receipt) { r.By = &overlay.Contact{ID: c.ID(), Pos: elsewhere.Pos} },
		"another node":     func(r *messages.Receipt) { r.By = &overlay.Contact{ID: elsewhere.ID(), Pos: elsewhere.Pos} },
		"no signature":     func(r *messages.Receipt) { r.Signature = nil },
		"a bit": func(r *messages.Receipt) {
			r.Signature = slices.Clone(r.Signature)
			r.Signature[len(r.Signature)-1] ^= 1
		},
		"another's key": func(r *messages.Receipt) { _ = g.SignReceipt(r, c, key(3)) },
	} {
		bad := *r
		if change(&bad); g.SignedReceipt(&bad) {
			t.Errorf("%s: it counts", name)
		}
	}
}

// TestBatches: that a player has done some things in an interval, or nothing, is
// its own word alone.
func TestBatches(t *testing.T) {
	g := NewGround(record(90))
	player, other := &state.Player{ID: certificate(g.record, 2).ID()}, &state.Player{ID: certificate(g.record, 3).ID()}
	batch := func(of *state.Player, in int64, seqs ...uint64) *state.Batch {
		var acts []*state.Action
		for _, seq := range seqs {
			a := &state.Action{Player: of, Seq: seq, At: 5, Body: []byte("dig")}
			voxelrules.SignAction(g.record.World(), key(2), a)
			acts = append(acts, a)
		}
		b, err := state.NewBatch(of, in, acts)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	signature, err := g.SignBatch(batch(player, 3, 1, 2), key(2))
	if err != nil || !g.SignedBatch(batch(player, 3, 1, 2).Signed(signature)) {
		t.Fatalf("a good signature does not count: %v", err)
	}
	nothing, err := g.SignBatch(batch(player, 3), key(2))
	if err != nil || !g.SignedBatch(batch(player, 3).Signed(nothing)) {
		t.Fatalf("that nothing was done does not count: %v", err)
	}
	forged, _ := g.SignBatch(batch(player, 3), key(3))
	bent := slices.Clone(signature)
	bent[len(bent)-1] ^= 1
	elsewhere := *g.record
	elsewhere.Seed += "x"
	for name, bad := range map[string]bool{
		"nothing instead of something": g.SignedBatch(batch(player, 3).Signed(signature)),
		"a part":                       g.SignedBatch(batch(player, 3, 1).Signed(signature)),
		"another interval":             g.SignedBatch(batch(player, 4, 1, 2).Signed(signature)),
		"another player":               g.SignedBatch(batch(other, 3).Signed(nothing)),
		"another's key":                g.SignedBatch(batch(player, 3).Signed(forged)),
		"no signature":                 g.SignedBatch(batch(player, 3).Signed(nil)),
		"a bit":                        g.SignedBatch(batch(player, 3, 1, 2).Signed(bent)),
		"another world":                NewGround(&elsewhere).SignedBatch(batch(player, 3).Signed(nothing)),
	} {
		if bad {
			t.Errorf("%s: it counts", name)
		}
	}
}

// FuzzProven: whatever is in a line, nobody is guilty who has not signed it.
func FuzzProven(f *testing.F) {
	t := &testing.T{}
	r := record(90)
	g := NewGround(r)
	f.Add(tampering(t, g, answer(t, g, 4, 2), answer(t, g, 1, 1), answer(t, g, 2, 1), answer(t, g, 3, 1)))
	f.Add([]byte(`{"charge":"tampered","cell":[0,0]}`))
	liar := certificate(r, 4).ID()
	f.Fuzz(func(t *testing.T, line []byte) {
		if who, err := Proven(line, r.Genesis); err == nil && who != liar {
			t.Fatalf("%s is guilty", who)
		}
		if s, err := Explain(line); err == nil && s.World == r.World() && s.By != liar {
			t.Fatalf("%s is accused: %s", s.By, s.Text)
		}
	})
}

// What a node keeps on its disk can be read again, and nothing else can.
func TestKept(t *testing.T) {
	g := NewGround(record(1))
	w := Rules(g.record).World()
	o, err := Rules(g.record).DecodeObject([]byte{2, 0, 0, 2, 1, 7, 3})
	if err != nil {
		t.Fatal(err)
	}
	s := state.NewSnapshot(0, []*state.Object{o}, w)
	s.Cover = overlay.Area{Circle: geom.Circle{C: o.Pos, R: w.Cell}}
	b, err := g.Codec().Append(nil, (&messages.Push{Seen: s, Area: s.Cover}).Seal(w))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := g.Kept(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := kept.Seen.Objects(&kept.Seen.Cover, w, nil); len(got) != 1 || got[0].Digest != o.Digest {
		t.Errorf("read again, there are %v", got)
	}
	other, err := g.Codec().Append(nil, &messages.PeerQuery{Query: 1, Zones: []uint8{1}})
	if err != nil {
		t.Fatal(err)
	}
	for what, b := range map[string][]byte{"nothing": nil, "half of it": b[:len(b)/2], "another message": other} {
		if _, err := g.Kept(b); err == nil {
			t.Errorf("%s is read", what)
		}
	}
}
