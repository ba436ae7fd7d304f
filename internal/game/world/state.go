package world

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// Canonical bytes of players and mobs: for saves, for handing over and for the
// digest. The same state gives the same bytes. Numbers are LEB128, signed ones
// zigzag; the first byte is the layout's version.

// ErrState is returned for bytes that no AppendBinary has written.
var ErrState = errors.New("malformed state")

const stateVersion = 1

// writer appends numbers.
type writer struct{ b []byte }

func (w *writer) uint(v uint64)       { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)         { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) vec(v Vec)           { w.int(int64(v.X)); w.int(int64(v.Y)); w.int(int64(v.Z)) }
func (w *writer) pos(p Pos)           { w.int(int64(p.X)); w.int(int64(p.Y)); w.int(int64(p.Z)) }
func (w *writer) string(s string)     { w.uint(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) flags(flags ...bool) { w.uint(packFlags(flags)) }

func packFlags(flags []bool) (bits uint64) {
	for i, on := range flags {
		if on {
			bits |= 1 << i
		}
	}
	return bits
}

// reader reads what writer wrote. After the first error it returns zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrState, what)
	}
}

// uint reads a number up to a limit, inclusive.
func (r *reader) uint(limit uint64, what string) uint64 {
	v, n := binary.Uvarint(r.b)
	if r.err != nil || n <= 0 || v > limit {
		r.fail(what)
		return 0
	}
	r.b = r.b[n:]
	return v
}

// version reads the layout's version.
func (r *reader) version() {
	if r.uint(1<<62, "version") != stateVersion {
		r.fail("version")
	}
}

// int reads a number whose magnitude is at most limit.
func (r *reader) int(limit int64, what string) int64 {
	v, n := binary.Varint(r.b)
	if r.err != nil || n <= 0 || v > limit || v < -limit {
		r.fail(what)
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) vec(limit fixed.Num, what string) Vec {
	n := func() fixed.Num { return fixed.Num(r.int(int64(limit), what)) }
	return Vec{n(), n(), n()}
}

func (r *reader) pos(what string) Pos {
	n := func() int32 { return int32(r.int(Limit, what)) }
	return Pos{n(), n(), n()}
}

func (r *reader) take(n int, what string) []byte {
	if r.err != nil || n > len(r.b) {
		r.fail(what)
		return make([]byte, min(n, 64))
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) string(limit int, what string) string {
	n := r.uint(uint64(limit), what)
	return string(r.take(int(n), what))
}

// flags reads bits into the places given.
func (r *reader) flags(what string, into ...*bool) {
	bits := r.uint(1<<len(into)-1, what)
	for i, p := range into {
		*p = bits>>i&1 != 0
	}
}

// end returns the error, also if something is left.
func (r *reader) end(what string) error {
	if r.err == nil && len(r.b) > 0 {
		r.fail(fmt.Sprintf("%d bytes after the end", len(r.b)))
	}
	if r.err != nil {
		return fmt.Errorf("%s: %w", what, r.err)
	}
	return nil
}

func (w *writer) body(b *Body) {
	w.vec(b.Pos)
	w.vec(b.Vel)
	w.uint(uint64(b.Yaw))
	w.int(int64(b.Pitch))
	w.flags(b.OnGround, b.Flying, b.InWater, b.Climbing, b.Sneaking, b.Sprinting, b.Blocked)
	w.uint(uint64(b.Fall))
}

func (r *reader) body(b *Body) {
	b.Pos = r.vec(fixed.Int(Limit), "position")
	b.Vel = r.vec(2*maxSpeed, "speed")
	b.Yaw = uint16(r.uint(1<<16-1, "yaw"))
	b.Pitch = int16(r.int(1<<15-1, "pitch"))
	r.flags("body flags", &b.OnGround, &b.Flying, &b.InWater, &b.Climbing, &b.Sneaking, &b.Sprinting, &b.Blocked)
	b.Fall = fixed.Num(r.uint(1<<32, "fall"))
}
