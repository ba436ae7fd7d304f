// Package bin reads binary layouts that others wrote: files, records and messages
// whose bytes are not trusted.
//
// A [Reader] never reads beyond its bytes and allocates nothing that the bytes do not
// pay for. The first field that is missing or out of range makes it bad; from then on
// every field is zero. A decoder therefore reads all fields without looking, and asks
// once, at the end. Loops over a number of elements that the bytes state must stop
// when the reader is bad.
package bin

import "encoding/binary"

// maxZeros is how many zero bytes Take returns at most for bytes that are missing: as
// many as the longest field of a fixed size, a signature.
const maxZeros = 64

// Reader takes fields off the beginning of its bytes. The zero value has none.
type Reader struct {
	b   []byte
	bad bool
}

// NewReader returns a reader of b, which must not change while what Take returns is
// in use.
func NewReader(b []byte) Reader { return Reader{b: b} }

// Fail makes the reader bad: a field has a value that it may not have.
func (r *Reader) Fail() { r.b, r.bad = nil, true }

// Bad reports whether a field was missing or out of range.
func (r *Reader) Bad() bool { return r.bad }

// Len is how many bytes are left, 0 if the reader is bad.
func (r *Reader) Len() int { return len(r.b) }

// End reports whether all fields were good and nothing is left.
func (r *Reader) End() bool { return !r.bad && len(r.b) == 0 }

// Take returns the next n bytes, not copied, with no room to append. If they are
// missing it returns n zeros, at most 64, so that a field of a fixed size can be
// converted to an array.
func (r *Reader) Take(n uint64) []byte {
	if r.bad || n > uint64(len(r.b)) {
		r.Fail()
		return make([]byte, min(n, maxZeros))
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

// Byte returns the next byte.
func (r *Reader) Byte() byte {
	if len(r.b) == 0 {
		r.Fail()
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

// U32 returns the next four bytes as a number, most significant first.
func (r *Reader) U32() uint32 { return binary.BigEndian.Uint32(r.Take(4)) }

// U64 returns the next eight bytes as a number, most significant first.
func (r *Reader) U64() uint64 { return binary.BigEndian.Uint64(r.Take(8)) }

// Uint returns a number in unsigned LEB128 that is at most limit.
func (r *Reader) Uint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		r.Fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Int returns a number in zigzag LEB128 whose magnitude is at most limit.
func (r *Reader) Int(limit int64) int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v > limit || v < -limit {
		r.Fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

// Count returns the length of a list whose elements take at least size bytes each:
// never more than the bytes that are left can hold.
func (r *Reader) Count(size int) int { return int(r.Uint(uint64(len(r.b) / size))) }

// Bytes returns bytes that have their length, at most limit, in front. They are not
// copied.
func (r *Reader) Bytes(limit uint64) []byte { return r.Take(r.Uint(limit)) }
