package inputlog

import (
	"bytes"
	"testing"
)

// TestTaken: each act is taken once, in any order, within the span; a later session
// ends the one before, an earlier one never comes back.
func TestTaken(t *testing.T) {
	var taken Taken
	first, second := [32]byte{1}, [32]byte{2}
	at := func(tick uint64) *Segment { return &Segment{Tick: tick} }
	for _, seq := range []uint32{3, 1, 700, 699, 189, 2000} {
		if !taken.Fresh(first, at(100), seq) {
			t.Errorf("act %d counts as taken", seq)
		}
		taken.Take(first, 100, seq)
		if taken.Fresh(first, at(100), seq) {
			t.Errorf("act %d can be taken again", seq)
		}
	}
	if taken.Fresh(first, at(100), 2) || taken.Fresh(first, at(100), 2000-TakenSpan) || !taken.Fresh(first, at(100), 2001-TakenSpan) {
		t.Error("the span is not what it says")
	}
	again, err := DecodeTaken(taken.Append(nil))
	if err != nil || *again != taken {
		t.Errorf("read again: %+v, %v", again, err)
	}
	if taken.Fresh(second, at(100), 1) || !taken.Fresh(second, at(101), 1) {
		t.Error("a session counts that is not later than the last one")
	}
	taken.TakeAll(second, 150, 40)
	if taken.Fresh(second, at(200), 40) || taken.Fresh(second, at(200), 7) || !taken.Fresh(second, at(200), 41) || taken.Fresh(first, at(140), 3000) {
		t.Error("all up to 40 of the second session should be taken, and the first one be over")
	}
	taken.Take(second, 160, 41)
	if taken.Fresh(second, at(200), 41) || taken.Fresh(second, at(200), 40) || !taken.Fresh(second, at(200), 42) {
		t.Error("act 41 alone should be taken besides")
	}
}

func FuzzTaken(f *testing.F) {
	f.Add((&Taken{}).Append(nil))
	f.Add((&Taken{nonce: [32]byte{3}, tick: 1 << 40, top: 77}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		taken, err := DecodeTaken(b)
		if err != nil {
			return
		}
		if !bytes.Equal(taken.Append(nil), b) {
			t.Fatalf("%x reads as %x", b, taken.Append(nil))
		}
	})
}
