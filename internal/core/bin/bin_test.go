package bin

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// TestFields reads one field of each kind, and checks that nothing is left.
func TestFields(t *testing.T) {
	b := []byte{7}
	b = binary.BigEndian.AppendUint32(b, 0x01020304)
	b = binary.BigEndian.AppendUint64(b, 1<<60)
	b = binary.AppendUvarint(b, 300)
	b = binary.AppendVarint(b, -300)
	b = append(binary.AppendUvarint(b, 3), "abc"...)
	b = append(binary.AppendUvarint(b, 2), 1, 2, 3, 4)
	r := NewReader(b)
	if r.Byte() != 7 || r.U32() != 0x01020304 || r.U64() != 1<<60 || r.Uint(300) != 300 || r.Int(300) != -300 {
		t.Fatal("a number differs")
	}
	if s := r.Bytes(3); string(s) != "abc" || cap(s) != 3 {
		t.Fatalf("%q with room for %d", s, cap(s))
	}
	if n := r.Count(2); n != 2 || r.End() {
		t.Fatalf("%d elements, at the end: %v", n, r.End())
	}
	if !bytes.Equal(r.Take(4), []byte{1, 2, 3, 4}) || !r.End() || r.Bad() {
		t.Fatal("the end differs")
	}
}

// TestHostileFields: each field that is missing or out of range makes the reader bad,
// gives zero, and so does everything after it.
func TestHostileFields(t *testing.T) {
	long := bytes.Repeat([]byte{0x80}, 11)
	for name, c := range map[string]struct {
		b    []byte
		read func(*Reader) bool // reports zero
	}{
		"no byte":              {nil, func(r *Reader) bool { return r.Byte() == 0 }},
		"short number":         {[]byte{1, 2, 3}, func(r *Reader) bool { return r.U32() == 0 }},
		"short wide number":    {[]byte{1, 2, 3, 4, 5, 6, 7}, func(r *Reader) bool { return r.U64() == 0 }},
		"above the limit":      {[]byte{9}, func(r *Reader) bool { return r.Uint(8) == 0 }},
		"below the limit":      {[]byte{17}, func(r *Reader) bool { return r.Int(8) == 0 }},
		"smallest number":      {binary.AppendVarint(nil, math.MinInt64), func(r *Reader) bool { return r.Int(math.MaxInt64) == 0 }},
		"endless number":       {long, func(r *Reader) bool { return r.Uint(math.MaxUint64) == 0 }},
		"endless signed":       {long, func(r *Reader) bool { return r.Int(math.MaxInt64) == 0 }},
		"too many elements":    {[]byte{3, 0, 0, 0, 0}, func(r *Reader) bool { return r.Count(2) == 0 }},
		"bytes beyond the end": {[]byte{3, 1, 2}, func(r *Reader) bool { return len(r.Bytes(9)) == 3 }},
		"bytes over the limit": {[]byte{3, 1, 2, 3}, func(r *Reader) bool { return len(r.Bytes(2)) == 0 }},
		"a promise of memory":  {nil, func(r *Reader) bool { return len(r.Take(math.MaxUint64)) == maxZeros }},
		"refused by a caller":  {[]byte{1}, func(r *Reader) bool { r.Fail(); return r.Byte() == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(c.b)
			if !c.read(&r) || !r.Bad() || r.End() || r.Len() != 0 {
				t.Fatalf("read as if it were good: %+v", r)
			}
			if r.Byte() != 0 || r.U64() != 0 || r.Uint(9) != 0 || r.Int(9) != 0 || r.Count(1) != 0 || !r.Bad() {
				t.Fatal("a bad reader gave something")
			}
		})
	}
}
