package regionlog

import (
	"bytes"
	"compress/flate"
	"fmt"
)

// BatchEntries is how many entries travel as one message at most: what players do in one
// tick is much like what they did in the tick before, and deflates with it.
const BatchEntries = 4

// MaxBatch bounds the encoding of entries that travel together, before it is deflated:
// one entry may have MaxEntry bytes, and is alone then. MaxPacked bounds what Pack returns:
// what does not deflate grows by some bytes in each 64 KiB.
const (
	MaxBatch  = MaxEntry + 64
	MaxPacked = MaxBatch + 1<<10
)

// Batch gathers entries of a log that travel together. The zero value is an empty one.
type Batch struct {
	First uint64 // number of the first entry
	Len   int
	w     writer
}

// Takes reports whether one more entry may be added.
func (b *Batch) Takes(entry []byte) bool {
	return b.Len == 0 || b.Len < BatchEntries && len(b.w.b)+len(entry)+10 <= MaxBatch
}

// Add adds the entry with a number, which follows that of the one before.
func (b *Batch) Add(number uint64, entry []byte) {
	if b.Len == 0 {
		b.First = number
	}
	b.Len++
	b.w.put(entry)
}

// Reset empties it.
func (b *Batch) Reset() { b.Len, b.w.b = 0, b.w.b[:0] }

// Packer deflates batches. A deflating writer takes over a megabyte, so a node has one.
type Packer struct{ f *flate.Writer }

// Pack deflates the entries of a batch.
func (p *Packer) Pack(b *Batch) []byte {
	var packed bytes.Buffer
	if p.f == nil {
		p.f, _ = flate.NewWriter(&packed, flate.BestSpeed) // the level is a valid one
	} else {
		p.f.Reset(&packed)
	}
	_, _ = p.f.Write(b.w.b) // a Buffer takes everything
	_ = p.f.Close()
	return packed.Bytes()
}

// UnpackBatch returns the entries of a batch that was packed.
func UnpackBatch(packed []byte) (entries [][]byte, err error) {
	b, err := unpack(packed, MaxBatch)
	if err != nil {
		return nil, err
	}
	r := newReader(b)
	for !r.End() && !r.Bad() && len(entries) < BatchEntries {
		entries = append(entries, r.Bytes(MaxEntry))
	}
	if len(entries) == 0 || !r.End() {
		return nil, fmt.Errorf("entries of a log: %w", ErrFormat)
	}
	return entries, nil
}
