package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Evidence proves that the leader of a region has lied: a Proof or a Display.
type Evidence interface {
	// Span are the checkpoints between which the lie lies; one key has signed both.
	Span() (from, to *Checkpoint)
	Append(b []byte) []byte
	Check() (*Finding, error)
}

// Span implements Evidence.
func (p *Proof) Span() (from, to *Checkpoint) { return p.From, p.To }

// Span implements Evidence.
func (p *Display) Span() (from, to *Checkpoint) { return p.From.Checkpoint, p.To.Checkpoint }

// Accused is the node that evidence is against, and the region that it led.
func Accused(e Evidence) (id.ID, *Checkpoint) {
	_, to := e.Span()
	return to.By(), to
}

// The kinds of evidence as they travel between nodes.
const (
	kindProof   = 1
	kindDisplay = 2
)

// AppendEvidence appends evidence with its kind.
func AppendEvidence(b []byte, e Evidence) []byte {
	kind := byte(kindProof)
	if _, ok := e.(*Display); ok {
		kind = kindDisplay
	}
	return e.Append(append(b, kind))
}

// MaxEvidence bounds what travels between nodes. Larger proofs stay where they were made.
const MaxEvidence = 3 << 20

// SignedBy returns the checkpoint with which evidence begins, if its key has signed it:
// the cheap part of the check.
func SignedBy(b []byte) (*Checkpoint, error) {
	r := newReader(b)
	kind := r.Byte()
	first := r.Bytes(MaxShown)
	if r.Bad() {
		return nil, fmt.Errorf("evidence: %w", ErrFormat)
	}
	var c *Checkpoint
	var err error
	switch kind {
	case kindProof:
		c, err = DecodeCheckpoint(first, nil)
	case kindDisplay:
		var s *Shown
		if s, err = DecodeShown(first, nil); err == nil {
			c = s.Checkpoint
		}
	default:
		err = fmt.Errorf("evidence: %w", ErrFormat)
	}
	if err == nil && !c.Verify() {
		err = ErrSignature
	}
	return c, err
}

// DecodeEvidence reads what AppendEvidence wrote. Nothing is verified.
func DecodeEvidence(b []byte) (Evidence, error) {
	switch {
	case len(b) > 0 && b[0] == kindProof:
		return DecodeProof(b[1:])
	case len(b) > 0 && b[0] == kindDisplay:
		return DecodeDisplay(b[1:])
	}
	return nil, fmt.Errorf("evidence: %w", ErrFormat)
}
