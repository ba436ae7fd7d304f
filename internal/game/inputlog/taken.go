package inputlog

import (
	"encoding/binary"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
)

// TakenSpan is how many acts below the highest one Taken knows apart: more than a
// session may have open at once. All below count as taken.
const TakenSpan = 512

// Taken tells which acts of a player have been taken, in whatever order they come, so
// that none is taken twice. It knows the newest session: acts of an earlier one count
// as taken.
type Taken struct {
	nonce [32]byte // of the session
	tick  uint64   // the newest of its segments was signed then
	top   uint32   // the highest act
	acts  [TakenSpan / 8]byte
}

// Fresh reports whether an act of a segment has not been taken.
func (t *Taken) Fresh(nonce [32]byte, s *Segment, seq uint32) bool {
	switch {
	case nonce != t.nonce:
		return s.Tick > t.tick
	case seq > t.top:
		return true
	}
	return t.top-seq < TakenSpan && t.acts[seq%TakenSpan/8]&(1<<(seq%8)) == 0
}

// Take takes an act of a session that was signed at a tick.
func (t *Taken) Take(nonce [32]byte, tick uint64, seq uint32) {
	t.session(nonce, tick)
	if seq > t.top {
		for n := range min(seq-t.top, TakenSpan) {
			t.acts[(seq-n)%TakenSpan/8] &^= 1 << ((seq - n) % 8)
		}
		t.top = seq
	}
	if t.top-seq < TakenSpan {
		t.acts[seq%TakenSpan/8] |= 1 << (seq % 8)
	}
}

// TakeAll takes all acts of a session up to one.
func (t *Taken) TakeAll(nonce [32]byte, tick uint64, seq uint32) {
	t.session(nonce, tick)
	if t.top = max(t.top, seq); t.top == seq {
		for i := range t.acts {
			t.acts[i] = 0xff
		}
	}
}

// session goes on with a session, or begins with another.
func (t *Taken) session(nonce [32]byte, tick uint64) {
	if nonce != t.nonce {
		*t = Taken{nonce: nonce, tick: t.tick}
	}
	t.tick = max(t.tick, tick)
}

// Append adds the encoding to b.
func (t *Taken) Append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, t.nonce[:]...), t.tick)
	return append(binary.AppendUvarint(b, uint64(t.top)), t.acts[:]...)
}

// DecodeTaken reads what Append wrote.
func DecodeTaken(b []byte) (*Taken, error) {
	r := bin.NewReader(b)
	t := &Taken{nonce: [32]byte(r.Take(32)), tick: r.Uint(maxA), top: uint32(r.Uint(maxU32)), acts: [TakenSpan / 8]byte(r.Take(TakenSpan / 8))}
	if !r.End() || len(b) != len(t.Append(nil)) {
		return nil, fmt.Errorf("acts that were taken: %w", ErrFormat)
	}
	return t, nil
}
