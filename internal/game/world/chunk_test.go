package world

import (
	"bytes"
	"errors"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// scribble writes n random blocks of the first kinds of the table to c and to
// the dense array beside it.
func scribble(r *rng.Rand, c *Chunk, d *Dense, n, kinds int) {
	for range n {
		x, y, z := r.Intn(ChunkSize), r.Intn(ChunkSize), r.Intn(ChunkSize)
		b := Block(r.Intn(kinds))
		c.Set(x, y, z, b)
		d[chunkIndex(x, y, z)] = b
	}
}

func checkDense(t *testing.T, c *Chunk, want *Dense) {
	t.Helper()
	var got Dense
	c.Unpack(&got)
	if got != *want {
		t.Fatal("Unpack differs from what was set")
	}
	for i := 0; i < ChunkVolume; i += 97 {
		if b := c.At(i&31, i>>10, i>>5&31); b != want[i] {
			t.Fatalf("At(%d) = %v, want %v", i, b, want[i])
		}
	}
}

func TestChunkIsWhatWasSet(t *testing.T) {
	for _, kinds := range []int{1, 2, 3, 4, 5, 16, 17, int(BlockCount)} {
		r := rng.New(uint64(kinds))
		var c Chunk
		var want Dense
		scribble(&r, &c, &want, 5000, kinds)
		checkDense(t, &c, &want)
		packed := PackChunk(&want)
		checkDense(t, &packed, &want)
		if !packed.Equal(&c) || !c.Equal(&packed) {
			t.Errorf("%d kinds: packed and set chunks are not equal", kinds)
		}
		if !bytes.Equal(packed.AppendBinary(nil), c.AppendBinary(nil)) {
			t.Errorf("%d kinds: same blocks, other bytes", kinds)
		}
		c.Compact()
		checkDense(t, &c, &want)
		back, rest, err := DecodeChunk(c.AppendBinary(nil))
		if err != nil || len(rest) > 0 {
			t.Fatalf("decode: %v, %d bytes left", err, len(rest))
		}
		checkDense(t, &back, &want)
	}
}

func TestUniformChunkCostsNothing(t *testing.T) {
	var d Dense
	for i := range d {
		d[i] = Stone
	}
	c := PackChunk(&d)
	if b, ok := c.Uniform(); !ok || b != Stone {
		t.Errorf("Uniform() = %v, %t", b, ok)
	}
	if got := c.AppendBinary(nil); !bytes.Equal(got, []byte{1, byte(Stone)}) {
		t.Errorf("encoded as %v", got)
	}
	c.Set(3, 4, 5, Dirt)
	c.Set(3, 4, 5, Stone)
	c.Compact()
	if _, ok := c.Uniform(); !ok {
		t.Error("uniform again, but still packed")
	}
}

func TestUnusedPaletteEntriesGoBeforeIndicesWiden(t *testing.T) {
	var c Chunk
	for b := Stone; b < BlockCount; b++ { // the same place: three kinds in use while it changes
		c.Set(1, 2, 3, b)
	}
	if c.log > 1 {
		t.Errorf("three kinds of blocks, but %d bits an index", 1<<c.log)
	}
}

func TestCloneIsFrozen(t *testing.T) {
	r := rng.New(7)
	col := &Column{}
	var want Dense
	scribble(&r, &col.Chunks[2], &want, 500, 9)
	frozen := col.Clone()
	again := frozen.Clone()
	scribble(&r, &col.Chunks[2], &Dense{}, 500, 40)
	checkDense(t, &frozen.Chunks[2], &want)
	again.Set(0, 70, 0, Lamp)
	checkDense(t, &frozen.Chunks[2], &want)
	if again.At(0, 70, 0) != Lamp || frozen.Equal(again) {
		t.Error("a clone cannot be written to")
	}
}

func TestCloneCopiesAChunkOnlyWhenWritten(t *testing.T) {
	r := rng.New(8)
	col := &Column{}
	for i := range col.Chunks {
		scribble(&r, &col.Chunks[i], &Dense{}, 100, 9)
	}
	if n := testing.AllocsPerRun(100, func() { col.Clone() }); n > 1 {
		t.Errorf("Clone allocates %v times, want once", n)
	}
	frozen := col.Clone()
	col.Set(1, 1, 1, Lamp)
	if &col.Chunks[0].words[0] == &frozen.Chunks[0].words[0] {
		t.Error("the written chunk is still shared")
	}
	if &col.Chunks[1].words[0] != &frozen.Chunks[1].words[0] {
		t.Error("an untouched chunk was copied")
	}
}

func TestColumnRoundTrip(t *testing.T) {
	r := rng.New(9)
	c := &Column{Pos: ColumnPos{-3, 12}}
	scribble(&r, &c.Chunks[0], &Dense{}, 900, 20)
	scribble(&r, &c.Chunks[4], &Dense{}, 9, 2)
	c.Chunks[7] = Chunk{fill: Water}
	mask, payload := c.AppendPayload(nil)
	if mask != 1<<0|1<<4|1<<7 {
		t.Errorf("mask %b", mask)
	}
	back, err := DecodeColumn(c.Pos, mask, payload)
	if err != nil {
		t.Fatal(err)
	}
	if !back.Equal(c) {
		t.Error("another column came back")
	}
	if _, err := DecodeColumn(c.Pos, mask, append(payload, 0)); !errors.Is(err, ErrMalformed) {
		t.Errorf("trailing byte: %v", err)
	}
}

func TestTop(t *testing.T) {
	c := &Column{}
	if got := c.Top(4, 4); got != -1 {
		t.Errorf("empty column: %d", got)
	}
	c.Set(4, 77, 4, Stone)
	c.Set(5, 99, 4, Stone)
	if got := c.Top(4, 4); got != 77 {
		t.Errorf("Top = %d, want 77", got)
	}
}

// twoKinds is the encoding of a chunk of air with one stone, for breaking.
func twoKinds() []byte {
	var c Chunk
	c.Set(0, 0, 0, Stone)
	return c.AppendBinary(nil)
}

func TestDecodeRefuses(t *testing.T) {
	good := twoKinds()
	change := func(i int, b byte) []byte {
		out := bytes.Clone(good)
		out[i] = b
		return out
	}
	three := append([]byte{3, 0, 1, 2}, make([]byte, ChunkVolume/4)...)
	for name, b := range map[string][]byte{
		"nothing":              {},
		"no palette":           {0},
		"palette too long":     {200, 1},
		"unknown block":        {1, byte(BlockCount)},
		"long form of 1":       {0x81, 0x00, 1},
		"endless number":       bytes.Repeat([]byte{0x80}, 20),
		"palette out of order": change(1, 5),
		"palette repeats":      change(1, 1),
		"cut short":            good[:len(good)-1],
		"unused entry":         change(3, 0),
		"index not in palette": func() []byte { b := bytes.Clone(three); b[4] = 0b11100100; return b }(),
		"uniform, but packed":  three,
	} {
		if _, _, err := DecodeChunk(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := DecodeColumn(ColumnPos{}, 1, []byte{1, 0}); !errors.Is(err, ErrMalformed) {
		t.Errorf("masked air: %v", err)
	}
}

func FuzzDecodeChunk(f *testing.F) {
	f.Add(twoKinds())
	f.Add([]byte{1, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, rest, err := DecodeChunk(b)
		if err != nil {
			return
		}
		if got := c.AppendBinary(nil); !bytes.Equal(got, b[:len(b)-len(rest)]) {
			t.Error("decoded, but not canonical")
		}
	})
}

func FuzzDecodeColumn(f *testing.F) {
	f.Add(uint8(1), twoKinds())
	f.Add(uint8(0b101), []byte{1, 5, 1, 3})
	f.Fuzz(func(t *testing.T, mask uint8, b []byte) {
		c, err := DecodeColumn(ColumnPos{}, mask, b)
		if err != nil {
			return
		}
		if m, got := c.AppendPayload(nil); m != mask || !bytes.Equal(got, b) {
			t.Error("decoded, but not canonical")
		}
	})
}

func BenchmarkChunkAt(b *testing.B) {
	r := rng.New(1)
	var c Chunk
	scribble(&r, &c, &Dense{}, 4000, 12)
	var sum Block
	for i := range b.N {
		sum += c.At(i&31, i>>10&31, i>>5&31)
	}
	_ = sum
}

func BenchmarkChunkSet(b *testing.B) {
	b.ReportAllocs()
	r := rng.New(1)
	var c Chunk
	scribble(&r, &c, &Dense{}, 4000, 12)
	for i := range b.N {
		c.Set(i&31, i>>10&31, i>>5&31, Block(i%12))
	}
}

func BenchmarkPackChunk(b *testing.B) {
	b.ReportAllocs()
	r := rng.New(1)
	var c Chunk
	var d Dense
	scribble(&r, &c, &d, 4000, 12)
	for range b.N {
		PackChunk(&d)
	}
}

func BenchmarkChunkCodec(b *testing.B) {
	b.ReportAllocs()
	r := rng.New(1)
	var c Chunk
	scribble(&r, &c, &Dense{}, 4000, 12)
	buf := c.AppendBinary(nil)
	for range b.N {
		buf = c.AppendBinary(buf[:0])
		if _, _, err := DecodeChunk(buf); err != nil {
			b.Fatal(err)
		}
	}
}
