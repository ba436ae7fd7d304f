package world

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
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
	in    bin.Reader
	wrong string // the first field that was missing or out of range
}

func newReader(b []byte) reader { return reader{in: bin.NewReader(b)} }

func (r *reader) fail(what string) {
	r.in.Fail()
	r.check(what)
}

// check keeps the name of the first field that could not be read.
func (r *reader) check(what string) {
	if r.in.Bad() && r.wrong == "" {
		r.wrong = what
	}
}

// uint reads a number up to a limit, inclusive.
func (r *reader) uint(limit uint64, what string) uint64 {
	v := r.in.Uint(limit)
	r.check(what)
	return v
}

// block reads the id of a block of the table.
func (r *reader) block(what string) Block {
	b := Block(r.uint(uint64(BlockLimit)-1, what))
	if !b.Known() {
		r.fail("there is no such block: " + what)
	}
	return b
}

// version reads the layout's version.
func (r *reader) version() {
	if r.uint(1<<62, "version") != stateVersion {
		r.fail("version")
	}
}

// int reads a number whose magnitude is at most limit.
func (r *reader) int(limit int64, what string) int64 {
	v := r.in.Int(limit)
	r.check(what)
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
	v := r.in.Take(uint64(n))
	r.check(what)
	return v
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
	switch left := r.in.Len(); {
	case r.in.Bad():
		return fmt.Errorf("%s: %w: %s", what, ErrState, r.wrong)
	case left > 0:
		return fmt.Errorf("%s: %w: %d bytes after the end", what, ErrState, left)
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
