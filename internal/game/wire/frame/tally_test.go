package frame

import (
	"encoding/hex"
	"slices"
	"testing"
)

// tallied counts by decoding what Tally counts by skipping.
func tallied(f *Frame) (seen uint64, blocks []InCell) {
	for _, c := range f.Cells {
		seen += uint64(len(c.Moves) + len(c.Enters))
		for _, b := range c.Blocks {
			blocks = append(blocks, InCell{c.Index, b})
		}
	}
	return seen, blocks
}

func bytesOf(e golden) []byte {
	b, err := hex.DecodeString(e.Hex)
	if err != nil {
		panic(err)
	}
	return b
}

func compareTally(t *testing.T, b []byte) {
	t.Helper()
	var f Frame
	if f.Decode(b) != nil {
		new(Tally).Read(b) // need not fail, but must not panic
		return
	}
	var tally Tally
	if err := tally.Read(b); err != nil {
		t.Fatalf("a tally cannot read what Decode can: %v", err)
	}
	seen, blocks := tallied(&f)
	if tally.Head != f.Head || tally.Seen != seen || !slices.Equal(tally.Blocks, blocks) {
		t.Errorf("tally: %+v %d %v\ndecoded: %+v %d %v", tally.Head, tally.Seen, tally.Blocks, f.Head, seen, blocks)
	}
}

func TestTallyAgreesWithDecode(t *testing.T) {
	for _, e := range examples() {
		compareTally(t, bytesOf(e))
	}
}

func TestTallyCountsPlayers(t *testing.T) {
	var tally Tally
	read := func(key bool, fill func(*CellEncoder)) uint64 {
		t.Helper()
		before := tally.Moves
		if err := tally.Read(encoded(Head{}, func(e *CellEncoder) { e.Begin(3, key); fill(e) })); err != nil {
			t.Fatal(err)
		}
		return tally.Moves - before
	}
	move := func(e *CellEncoder, handle uint32) { e.Move(handle, &Motion{X: 5}, &Motion{X: 9}) }
	got := []uint64{
		read(true, func(e *CellEncoder) {
			e.Enter(&Enter{Handle: 1})
			e.Enter(&Enter{Handle: 2, Kind: 1})
		}),
		read(false, func(e *CellEncoder) { move(e, 1); move(e, 2) }),
		read(false, func(e *CellEncoder) { e.Enter(&Enter{Handle: 7}) }),
		read(false, func(e *CellEncoder) { e.Leave(Leave{Handle: 7}) }),
		read(false, func(e *CellEncoder) { move(e, 1); move(e, 7) }),
	}
	if want := []uint64{0, 1, 1, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

func FuzzTally(f *testing.F) {
	for _, e := range examples() {
		f.Add(bytesOf(e))
	}
	f.Fuzz(compareTally)
}

func BenchmarkTallyMoves(b *testing.B) {
	c := newCrowd(1000)
	var e CellEncoder
	c.step()
	c.encode(&e)
	buf := append(AppendHead(nil, &Head{}), e.Buf...)
	var t Tally
	b.ReportAllocs()
	for b.Loop() {
		if err := t.Read(buf); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/move")
}
