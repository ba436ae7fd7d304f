package inputlog

import (
	"crypto/ed25519"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// SignEvery is how many ticks a client lets pass until it signs what it did.
const SignEvery = 20

// Builder makes the segments of a session at the player's client.
type Builder struct {
	session Session
	key     ed25519.PrivateKey
	next    Segment
	last    uint32 // step
	signed  uint64 // tick of the last segment; 0: there is none
}

// NewBuilder begins the log of a session.
func NewBuilder(session Session, key ed25519.PrivateKey) *Builder {
	return &Builder{session: session, key: key, next: Segment{Number: 1}}
}

// Step adds a body step, and returns a segment that must be sent before it; nil: none.
// A step that was added before, which is sent again, changes nothing.
func (b *Builder) Step(seq uint32, in world.Input, tick uint64) (full *Segment) {
	if seq <= b.last {
		return nil
	}
	if n := len(b.next.Steps); n == MaxSteps || n > 0 && seq != b.last+1 {
		full = b.Sign(tick)
	}
	if len(b.next.Steps) == 0 {
		b.next.First = seq
	}
	b.last = seq
	b.next.Steps = append(b.next.Steps, in)
	return full
}

// Due reports whether it is time to sign: after the first step at once, so that the
// home sees that the session's client signs.
func (b *Builder) Due(tick uint64) bool {
	return len(b.next.Steps) > 0 && (b.signed == 0 || tick >= b.signed+SignEvery)
}

// Act signs an act, with the steps before it.
func (b *Builder) Act(a Act, tick uint64) *Segment {
	a.After = b.last
	b.next.Acts = append(b.next.Acts, a)
	return b.Sign(tick)
}

// Sign ends the segment.
func (b *Builder) Sign(tick uint64) *Segment {
	s := b.next
	if len(s.Steps) == 0 {
		s.First = b.last + 1
	}
	// Clocks may be set back; the log goes forward.
	b.signed = max(tick, b.signed)
	s.Tick = b.signed
	s.Sign(&b.session, b.key)
	b.next = Segment{Number: s.Number + 1, Prev: s.Hash(&b.session)}
	return &s
}
