package inputlog

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Log is what the home of a player knows of the session's segments. The zero value is
// the log of a player who has never signed anything.
type Log struct {
	Key   [32]byte
	Nonce [32]byte

	number uint32   // of the last segment
	hash   [32]byte // of the last segment
	tick   uint64   // at which the last segment was signed
	floor  uint64   // segments of this session are signed later: the last tick of another session
	to     uint32   // the last step that is signed
	open   []openStep
	begun  bool // a segment has been taken since the session entered
}

// openStep is a step that was taken and is not signed yet.
type openStep struct {
	seq  uint32
	step world.Input
	at   uint64 // tick in which it came
}

// Enter begins with a session, or goes on with the same one. No step is run until the
// next segment is taken (Stopped): otherwise whoever enters again and again would
// never need a signature.
func (l *Log) Enter(key, nonce [32]byte) {
	if l.Nonce != nonce || l.Key != key {
		*l = Log{Key: key, Nonce: nonce, floor: max(l.floor, l.tick)}
	}
	l.open, l.begun = nil, false
}

// Step notes a step that has come at a tick, before its signature; false: it is not to
// be run, because it is an old one, or too many wait for their signature.
func (l *Log) Step(seq uint32, step world.Input, tick uint64) bool {
	if seq <= l.to || len(l.open) >= MaxOpen {
		return false
	}
	l.open = append(l.open, openStep{seq, step, tick})
	return true
}

// To is the last step that is signed.
func (l *Log) To() uint32 { return l.to }

// Stopped reports whether no steps may be run at a tick, because the player has not
// signed for too long.
func (l *Log) Stopped(tick uint64) bool {
	return !l.begun || len(l.open) > 0 && tick > l.open[0].at+StopAfter
}

// Current says why a segment cannot count at a tick, or ever.
func (l *Log) Current(s *Segment, tick uint64) error {
	if s.Tick <= l.floor || s.Tick+Window < tick || s.Tick > tick+Ahead {
		return fmt.Errorf("%w: it was signed at tick %d, now is %d", ErrStale, s.Tick, tick)
	}
	return nil
}

// Take takes a segment that the player has signed and that is current. One that was
// overtaken by a later one, or comes again, signs its steps and changes nothing else.
func (l *Log) Take(of *Session, s *Segment) error {
	next := s.Number > l.number
	if next && s.Number == l.number+1 && s.Prev != l.hash {
		return fmt.Errorf("%w: number %d", ErrChain, s.Number)
	}
	for _, o := range l.open {
		if st, ok := s.step(o.seq); ok && st != o.step {
			return fmt.Errorf("%w: number %d", ErrForged, o.seq)
		}
	}
	l.open = slices.DeleteFunc(l.open, func(o openStep) bool { _, ok := s.step(o.seq); return ok })
	if next {
		l.number, l.hash, l.tick, l.begun = s.Number, s.Hash(of), max(l.tick, s.Tick), true
		l.to = max(l.to, s.Last())
	}
	return nil
}

// Tick is when the last segment was signed.
func (l *Log) Tick() uint64 { return max(l.tick, l.floor) }

// Append adds the encoding to b.
func (l *Log) Append(b []byte) []byte {
	b = append(append(b, l.Key[:]...), l.Nonce[:]...)
	b = binary.AppendUvarint(b, uint64(l.number))
	b = append(b, l.hash[:]...)
	b = binary.AppendUvarint(b, l.tick)
	b = binary.AppendUvarint(b, l.floor)
	b = binary.AppendUvarint(b, uint64(l.to))
	begun := byte(0)
	if l.begun {
		begun = 1
	}
	b = append(b, begun, byte(len(l.open)))
	for _, o := range l.open {
		b = binary.AppendUvarint(b, uint64(o.seq))
		b = binary.LittleEndian.AppendUint16(b, o.step.Buttons)
		b = binary.LittleEndian.AppendUint16(b, o.step.Yaw)
		b = binary.LittleEndian.AppendUint16(b, uint16(o.step.Pitch))
		b = binary.AppendUvarint(b, o.at)
	}
	return b
}

// MaxLogSize bounds the encoding of a Log.
const MaxLogSize = 64 + 32 + 3*10 + 2*5 + 2 + MaxOpen*(5+stepSize+10)

// DecodeLog reads what Append wrote.
func DecodeLog(b []byte) (*Log, error) {
	r := bin.NewReader(b)
	l := &Log{Key: [32]byte(r.Take(32)), Nonce: [32]byte(r.Take(32))}
	l.number = uint32(r.Uint(maxU32))
	l.hash = [32]byte(r.Take(32))
	l.tick, l.floor, l.to = r.Uint(maxA), r.Uint(maxA), uint32(r.Uint(maxU32))
	begun, n := r.Byte(), r.Byte()
	if begun > 1 || n > MaxOpen {
		r.Fail()
	}
	l.begun = begun == 1
	for i := byte(0); i < n && !r.Bad(); i++ {
		o := openStep{seq: uint32(r.Uint(maxU32))}
		st := r.Take(stepSize)
		o.step = world.Input{
			Buttons: binary.LittleEndian.Uint16(st), Yaw: binary.LittleEndian.Uint16(st[2:]), Pitch: int16(binary.LittleEndian.Uint16(st[4:])),
		}
		o.at = r.Uint(maxA)
		l.open = append(l.open, o)
	}
	if !r.End() || len(b) != len(l.Append(nil)) {
		return nil, fmt.Errorf("log of a player: %w", ErrFormat)
	}
	return l, nil
}
