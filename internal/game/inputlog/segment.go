package inputlog

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Session is what all segments of a session are signed for.
type Session struct {
	World id.ID
	Key   [32]byte // Ed25519 public key of the player
	Nonce [32]byte // of the challenge with which the session began
}

// Segment is what a player did since the segment before. Frozen once signed.
type Segment struct {
	Number    uint32   // counts up from 1
	Tick      uint64   // when it was signed
	Prev      [32]byte // Hash of the segment before; zero in the first
	First     uint32   // number of the first step; the others count on
	Steps     []world.Input
	Acts      []Act
	Signature [64]byte
}

// Act is something that a player does that is not moving: the fields of the message
// Act of the client protocol.
type Act struct {
	Seq   uint32 // counts up from 1 in a session
	After uint32 // number of the last step before it
	Kind  uint8
	At    world.Pos
	Face  uint8
	A     uint64
	B     uint32
	Text  string // of an act that writes; others have none
}

const (
	maxA     = 1<<53 - 1
	maxCoord = 1<<31 - 1
	maxU32   = 1<<32 - 1
	stepSize = 6
)

// body is all but the signature.
func (s *Segment) body(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(s.Number))
	b = binary.AppendUvarint(b, s.Tick)
	b = append(b, s.Prev[:]...)
	b = binary.AppendUvarint(b, uint64(s.First))
	b = append(b, byte(len(s.Steps)))
	for _, st := range s.Steps {
		b = binary.LittleEndian.AppendUint16(b, st.Buttons)
		b = binary.LittleEndian.AppendUint16(b, st.Yaw)
		b = binary.LittleEndian.AppendUint16(b, uint16(st.Pitch))
	}
	b = append(b, byte(len(s.Acts)))
	for i := range s.Acts {
		b = s.Acts[i].append(b)
	}
	return b
}

func (a *Act) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(a.Seq))
	b = binary.AppendUvarint(b, uint64(a.After))
	b = append(b, a.Kind)
	b = binary.AppendVarint(b, int64(a.At.X))
	b = binary.AppendVarint(b, int64(a.At.Y))
	b = binary.AppendVarint(b, int64(a.At.Z))
	b = append(b, a.Face)
	b = binary.AppendUvarint(b, a.A)
	b = binary.AppendUvarint(b, uint64(a.B))
	if a.writes() {
		b = append(binary.AppendUvarint(b, uint64(len(a.Text))), a.Text...)
	}
	return b
}

// Append adds the encoding to b.
func (s *Segment) Append(b []byte) []byte { return append(s.body(b), s.Signature[:]...) }

// text is what is signed.
func (s *Segment) text(of *Session) []byte {
	b := append(make([]byte, 0, 256), Context...)
	b = append(b, of.World[:]...)
	b = append(b, of.Nonce[:]...)
	return s.body(b)
}

// Hash is what the next segment of the session names.
func (s *Segment) Hash(of *Session) [32]byte { return sha256.Sum256(s.text(of)) }

// Sign signs the segment with the player's key.
func (s *Segment) Sign(of *Session, key ed25519.PrivateKey) {
	s.Signature = [64]byte(ed25519.Sign(key, s.text(of)))
}

// Verify reports whether the player has signed the segment for the session.
func (s *Segment) Verify(of *Session) bool {
	return ed25519.Verify(of.Key[:], s.text(of), s.Signature[:])
}

// Last is the number of the last step, that before First if there are none.
func (s *Segment) Last() uint32 { return s.First + uint32(len(s.Steps)) - 1 }

// step returns a step of the segment.
func (s *Segment) step(seq uint32) (world.Input, bool) {
	if i := seq - s.First; seq >= s.First && i < uint32(len(s.Steps)) {
		return s.Steps[i], true
	}
	return world.Input{}, false
}

// Act returns the act with a number; nil: there is none.
func (s *Segment) Act(seq uint32) *Act {
	i := slices.IndexFunc(s.Acts, func(a Act) bool { return a.Seq == seq })
	if i < 0 {
		return nil
	}
	return &s.Acts[i]
}

// Decode reads what Append wrote. The segment is not verified.
func Decode(b []byte) (*Segment, error) {
	if len(b) > MaxSize {
		return nil, fmt.Errorf("segment: %w: %d bytes", ErrFormat, len(b))
	}
	r := bin.NewReader(b)
	s := &Segment{Number: uint32(r.Uint(maxU32)), Tick: r.Uint(maxA), Prev: [32]byte(r.Take(32))}
	s.First = uint32(r.Uint(maxU32 - MaxSteps))
	steps := r.Byte()
	if steps > MaxSteps || r.Len() < int(steps)*stepSize {
		r.Fail()
		steps = 0
	}
	for range steps {
		st := r.Take(stepSize)
		s.Steps = append(s.Steps, world.Input{
			Buttons: binary.LittleEndian.Uint16(st), Yaw: binary.LittleEndian.Uint16(st[2:]), Pitch: int16(binary.LittleEndian.Uint16(st[4:])),
		})
	}
	acts := r.Byte()
	if acts > MaxActs {
		r.Fail()
	}
	for i := byte(0); i < acts && !r.Bad(); i++ {
		s.Acts = append(s.Acts, readAct(&r))
	}
	s.Signature = [64]byte(r.Take(64))
	if !r.End() || s.Number == 0 || s.First == 0 || !bytes.Equal(s.Append(nil), b) {
		return nil, fmt.Errorf("segment: %w", ErrFormat)
	}
	return s, nil
}

func (a *Act) writes() bool { return world.ActKind(a.Kind) == world.ActWrite }

func readAct(r *bin.Reader) Act {
	a := Act{
		Seq: uint32(r.Uint(maxU32)), After: uint32(r.Uint(maxU32)), Kind: r.Byte(),
		At:   world.Pos{X: int32(r.Int(maxCoord)), Y: int32(r.Int(maxCoord)), Z: int32(r.Int(maxCoord))},
		Face: r.Byte(), A: r.Uint(maxA), B: uint32(r.Uint(maxU32)),
	}
	if a.writes() {
		a.Text = string(r.Bytes(world.MaxSignText))
	}
	return a
}
