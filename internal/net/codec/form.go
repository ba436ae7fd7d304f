package codec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// form is what the fields of a message are written to or read from. A field is
// given by a pointer in both directions; writing never changes what it points
// to, because messages are frozen. The first thing wrong sticks, and everything
// read after it is zero.
type form struct {
	codec   *Codec
	b       []byte // writing: what there is so far; reading: what is left
	reading bool
	err     error
	depth   int
}

func (f *form) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
	}
	if f.reading {
		f.b = nil
	}
}

// num is a number without a sign.
func num[T ~uint8 | ~uint16 | ~uint32 | ~uint64](f *form, v *T) {
	if !f.reading {
		f.b = binary.AppendUvarint(f.b, uint64(*v))
		return
	}
	n := f.uvarint()
	if n > uint64(^T(0)) {
		f.fail("number %d does not fit into %d bits", n, bits.Len64(uint64(^T(0))))
		n = 0
	}
	*v = T(n)
}

// signed is a number with a sign.
func signed[T ~int16 | ~int32 | ~int64](f *form, v *T) {
	if !f.reading {
		f.b = binary.AppendVarint(f.b, int64(*v))
		return
	}
	u := f.uvarint()
	n := int64(u>>1) ^ -int64(u&1)
	if int64(T(n)) != n {
		f.fail("number %d is too large for its field", n)
		n = 0
	}
	*v = T(n)
}

// uvarint reads a LEB128 number in its shortest form.
func (f *form) uvarint() uint64 {
	if len(f.b) > 0 && f.b[0] < 0x80 {
		v := f.b[0]
		f.b = f.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(f.b)
	if n <= 0 || n > 1 && f.b[n-1] == 0 {
		f.fail("not a number, or the message ends early")
		return 0
	}
	f.b = f.b[n:]
	return v
}

// fixed64 is a number that has no reason to be small.
func (f *form) fixed64(v *uint64) {
	if !f.reading {
		f.b = binary.BigEndian.AppendUint64(f.b, *v)
	} else if b := f.take(8); b != nil {
		*v = binary.BigEndian.Uint64(b)
	}
}

func (f *form) fixed32(v *uint32) {
	if !f.reading {
		f.b = binary.BigEndian.AppendUint32(f.b, *v)
	} else if b := f.take(4); b != nil {
		*v = binary.BigEndian.Uint32(b)
	}
}

// exact are bytes whose number is fixed.
func (f *form) exact(v []byte) {
	if !f.reading {
		f.b = append(f.b, v...)
		return
	}
	copy(v, f.take(len(v)))
}

// take returns the next n bytes, nil if there are fewer.
func (f *form) take(n int) []byte {
	if len(f.b) < n {
		f.fail("%d bytes missing", n-len(f.b))
		return nil
	}
	out := f.b[:n]
	f.b = f.b[n:]
	return out
}

func (f *form) id(v *id.ID) { f.exact(v[:]) }

func (f *form) bool(v *bool) { f.bools(v) }

// bools are up to eight truths in one byte.
func (f *form) bools(vs ...*bool) {
	var b byte
	if !f.reading {
		for i, v := range vs {
			if *v {
				b |= 1 << i
			}
		}
		f.b = append(f.b, b)
		return
	}
	if in := f.take(1); in != nil {
		b = in[0]
	}
	if b>>len(vs) != 0 {
		f.fail("flags 0x%02x, but there are %d", b, len(vs))
		return
	}
	for i, v := range vs {
		*v = b>>i&1 != 0
	}
}

// length is the length of a list or a text of at most limit elements, each of
// which takes at least least bytes.
func (f *form) length(n, limit, least int) int {
	if !f.reading {
		if n > limit {
			f.fail("%d elements, at most %d allowed", n, limit)
			return 0
		}
		f.b = binary.AppendUvarint(f.b, uint64(n))
		return n
	}
	v := f.uvarint()
	if v > uint64(limit) || v*uint64(least) > uint64(len(f.b)) {
		f.fail("%d elements, at most %d allowed and %d bytes left", v, limit, len(f.b))
		return 0
	}
	return int(v)
}

// list is a list of at most limit elements, each of which takes at least least
// bytes. An empty one is read as nil.
func list[T any](f *form, v *[]T, limit, least int, element func(*form, *T)) {
	n := f.length(len(*v), limit, least)
	if f.reading && n > 0 {
		*v = make([]T, n)
	}
	for i := 0; i < n && f.err == nil; i++ {
		element(f, &(*v)[i])
	}
}

// optional is a value that may not be there.
func optional[T any](f *form, v **T, fields func(*form, *T)) {
	there := *v != nil
	f.bool(&there)
	if !there || f.err != nil {
		return
	}
	if f.reading {
		*v = new(T)
	}
	fields(f, *v)
}

// bytes are at most limit bytes. None are read as nil.
func (f *form) bytes(v *[]byte, limit int) {
	n := f.length(len(*v), limit, 1)
	switch {
	case n == 0:
	case f.reading:
		*v = append([]byte(nil), f.take(n)...)
	default:
		f.b = append(f.b, *v...)
	}
}

// text is UTF-8 of at most limit bytes.
func text[T ~string](f *form, v *T, limit int) {
	n := f.length(len(*v), limit, 1)
	if f.reading {
		*v = T(f.take(n))
	}
	if !utf8.ValidString(string(*v)) {
		f.fail("text is not UTF-8")
		*v = cleared(f, *v)
		return
	}
	if !f.reading && f.err == nil {
		f.b = append(f.b, *v...)
	}
}

// cleared is the empty text when reading; what is written stays untouched.
func cleared[T ~string](f *form, v T) T {
	if f.reading {
		return ""
	}
	return v
}

// Families of addresses.
const (
	here = 0 // the same process
	ipv4 = 4
	ipv6 = 6
)

var mapped = [12]byte{10: 0xff, 11: 0xff}

// addr is an address in its shortest form.
func (f *form) addr(v *machine.Addr) {
	family := familyOf(v)
	num(f, &family)
	switch family {
	case here:
	case ipv4:
		if f.reading {
			copy(v[:], mapped[:])
		}
		f.exact(v[12:])
	case ipv6:
		f.exact(v[:])
	default:
		f.fail("address of family %d", family)
	}
	if f.reading && f.err == nil && familyOf(v) != family {
		f.fail("address not in its shortest form")
	}
}

func familyOf(v *machine.Addr) uint8 {
	switch {
	case *v == machine.Addr{}:
		return here
	case [12]byte(v[:12]) == mapped:
		return ipv4
	}
	return ipv6
}

// minPeer is the least that a peer takes.
const minPeer = id.Size + 1

// plainPeer is what a peer takes that has an IPv4 address. Answers of the
// directory are lists of those, so they are written and read in one go.
const plainPeer = id.Size + 1 + 6

func (f *form) peer(v *machine.Peer) {
	switch {
	case !f.reading && [12]byte(v.Addr[:12]) == mapped:
		f.b = append(f.b, v.ID[:]...)
		f.b = append(f.b, ipv4, v.Addr[12], v.Addr[13], v.Addr[14], v.Addr[15], v.Addr[16], v.Addr[17])
	case f.reading && len(f.b) >= plainPeer && f.b[id.Size] == ipv4:
		in := (*[plainPeer]byte)(f.b)
		copy(v.ID[:], in[:])
		*(*[12]byte)(v.Addr[:]) = mapped
		copy(v.Addr[12:], in[id.Size+1:])
		f.b = f.b[plainPeer:]
	default:
		f.id(&v.ID)
		f.addr(&v.Addr)
	}
}

func peer(f *form, v *machine.Peer) { f.peer(v) }
