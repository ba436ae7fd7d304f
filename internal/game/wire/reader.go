package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tinylib/msgp/msgp"
)

// maxExtra is how many unknown fields at the end of a message are skipped.
const maxExtra = 16

// reader takes values off a message's body. The first thing wrong sticks and
// every later value is zero, so that messages read without a check for each
// field.
type reader struct {
	b     []byte
	err   error
	extra uint32 // unknown fields of the open message array
}

var errShort = errors.New("too short")

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

// end reports what went wrong, also bytes that nobody asked for.
func (r *reader) end() error {
	for ; r.err == nil && r.extra > 0; r.extra-- {
		rest, err := msgp.Skip(r.b)
		if err != nil {
			r.fail(err)
			break
		}
		r.b = rest
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.b))
	}
	return r.err
}

// fields opens the array of a message with n known fields.
func (r *reader) fields(n uint32) {
	have := r.array(n + maxExtra)
	if r.err == nil && have < n {
		r.fail(fmt.Errorf("%d fields, want %d", have, n))
		return
	}
	r.extra = have - n
}

// tuple opens an array of exactly n values.
func (r *reader) tuple(n uint32) {
	if have := r.array(n); r.err == nil && have != n {
		r.fail(fmt.Errorf("%d values, want %d", have, n))
	}
}

// array opens an array of at most limit values, each at least one byte long.
func (r *reader) array(limit uint32) uint32 {
	if r.err != nil {
		return 0
	}
	n, rest, err := msgp.ReadArrayHeaderBytes(r.b)
	switch {
	case err != nil:
		r.fail(err)
		return 0
	case n > limit:
		r.fail(fmt.Errorf("list of %d, at most %d allowed", n, limit))
		return 0
	case int(n) > len(rest):
		r.fail(errShort)
		return 0
	}
	r.b = rest
	return n
}

func (r *reader) uint(limit uint64) uint64 {
	if r.err != nil {
		return 0
	}
	n, rest, err := msgp.ReadUint64Bytes(r.b)
	if err == nil && n > limit {
		err = fmt.Errorf("number %d, at most %d allowed", n, limit)
	}
	if err != nil {
		r.fail(err)
		return 0
	}
	r.b = rest
	return n
}

func (r *reader) int(limit int64) int64 {
	if r.err != nil {
		return 0
	}
	n, rest, err := msgp.ReadInt64Bytes(r.b)
	if err == nil && (n > limit || n < -limit) {
		err = fmt.Errorf("number %d, magnitude at most %d allowed", n, limit)
	}
	if err != nil {
		r.fail(err)
		return 0
	}
	r.b = rest
	return n
}

func (r *reader) bool() bool {
	if r.err != nil {
		return false
	}
	v, rest, err := msgp.ReadBoolBytes(r.b)
	if err != nil {
		r.fail(err)
		return false
	}
	r.b = rest
	return v
}

// str takes a string of at most limit bytes.
func (r *reader) str(limit int) string {
	if r.err != nil {
		return ""
	}
	v, rest, err := msgp.ReadStringZC(r.b)
	switch {
	case err != nil:
	case len(v) > limit:
		err = fmt.Errorf("text of %d bytes, at most %d allowed", len(v), limit)
	case !utf8.Valid(v):
		err = errors.New("text is not UTF-8")
	}
	if err != nil {
		r.fail(err)
		return ""
	}
	r.b = rest
	return string(v)
}

// bin takes at most limit bytes; they point into the message.
func (r *reader) bin(limit int) []byte {
	if r.err != nil {
		return nil
	}
	v, rest, err := msgp.ReadBytesZC(r.b)
	if err == nil && len(v) > limit {
		err = fmt.Errorf("%d bytes, at most %d allowed", len(v), limit)
	}
	if err != nil {
		r.fail(err)
		return nil
	}
	r.b = rest
	return v
}

// exact fills dst, whose length the page fixes.
func (r *reader) exact(dst []byte) {
	v := r.bin(len(dst))
	if r.err == nil && len(v) != len(dst) {
		r.fail(fmt.Errorf("%d bytes, want %d", len(v), len(dst)))
		return
	}
	copy(dst, v)
}

// The rest is for layouts that are not MessagePack.

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail(errShort)
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) u16() uint16 {
	if len(r.b) < 2 {
		r.fail(errShort)
		return 0
	}
	v := binary.LittleEndian.Uint16(r.b)
	r.b = r.b[2:]
	return v
}

func (r *reader) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	switch {
	case n <= 0:
		r.fail(errShort)
		return 0
	case v > limit:
		r.fail(fmt.Errorf("number %d, at most %d allowed", v, limit))
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) svarint(limit int64) int64 {
	v, n := binary.Varint(r.b)
	switch {
	case n <= 0:
		r.fail(errShort)
		return 0
	case v > limit || v < -limit:
		r.fail(fmt.Errorf("number %d, magnitude at most %d allowed", v, limit))
		return 0
	}
	r.b = r.b[n:]
	return v
}
