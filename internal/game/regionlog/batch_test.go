package regionlog

import (
	"bytes"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// TestBatch: entries come out of a batch as they were put in, whatever was packed before,
// and together they take fewer bytes than each alone.
func TestBatch(t *testing.T) {
	w := newPlayOn(2, 3, true, air)
	for range 200 {
		w.step()
	}
	var p Packer
	var b Batch
	var in [][]byte
	together, alone := 0, 0
	for _, o := range w.outs[1:] {
		if !b.Takes(o.Entry) {
			packed := p.Pack(&b)
			out, err := UnpackBatch(packed)
			if err != nil || !slices.EqualFunc(in, out, bytes.Equal) {
				t.Fatalf("%d entries, not %d: %v", len(out), len(in), err)
			}
			if b.First != o.Number-BatchEntries {
				t.Errorf("entry %d follows a batch from %d", o.Number, b.First)
			}
			together += len(packed)
			b.Reset()
			in = nil
		}
		b.Add(o.Number, o.Entry)
		in, alone = append(in, o.Entry), alone+len(o.Entry)
	}
	t.Logf("%d bytes, deflated together %d", alone, together)
	if together == 0 || together >= alone {
		t.Errorf("%d bytes deflated are %d", alone, together)
	}
}

// TestLargeBatch: an entry as large as one may be travels, and nothing with it.
func TestLargeBatch(t *testing.T) {
	var b Batch
	entry := make([]byte, MaxEntry)
	g := rng.New(1)
	for i := range entry { // does not deflate
		entry[i] = byte(g.Intn(256))
	}
	b.Add(1, entry)
	if b.Takes(make([]byte, 60)) {
		t.Error("it takes more than is unpacked")
	}
	var p Packer
	packed := p.Pack(&b)
	if len(packed) > MaxPacked {
		t.Errorf("%d bytes", len(packed))
	}
	if out, err := UnpackBatch(packed); err != nil || len(out) != 1 || !bytes.Equal(out[0], entry) {
		t.Errorf("%d entries, %v", len(out), err)
	}
}

// FuzzBatch: what is unpacked is a batch that can be packed.
func FuzzBatch(f *testing.F) {
	var p Packer
	pack := func(b []byte) []byte { return p.Pack(&Batch{w: writer{b}}) }
	f.Add([]byte{})
	f.Add([]byte{2, 1, 2})
	f.Add([]byte{0, 0, 1, 7, 0})
	f.Add([]byte{0, 0, 0, 0, 0})
	f.Add([]byte{3, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = UnpackBatch(b) // deflated or not
		entries, err := UnpackBatch(pack(b))
		if err != nil {
			return
		}
		var again Batch
		for i, e := range entries {
			if !again.Takes(e) {
				t.Fatalf("%d entries", len(entries))
			}
			again.Add(uint64(i), e)
		}
		if got, err := UnpackBatch(p.Pack(&again)); err != nil || !slices.EqualFunc(got, entries, bytes.Equal) {
			t.Errorf("%d entries are %d: %v", len(entries), len(got), err)
		}
	})
}
