package invitation

import (
	"crypto/ed25519"
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// subject is what is admitted.
type subject string

const (
	node   subject = "node"
	player subject = "player"
)

// needs are the permissions one of which a subject is admitted by.
func (s subject) needs() Permissions {
	if s == node {
		return Host
	}
	return Enter
}

// AdmissionSize is the length of an admission in bytes: a statement, and the
// invitation's signature over who is admitted.
const AdmissionSize = statementSize + ed25519.SignatureSize

// admissionPrefix begins the text of every admission.
const admissionPrefix = "vpa-"

// AdmissionCode is a player's admission as a text. The player shows it to other nodes
// in place of an invitation, whose secret they do not learn.
func AdmissionCode(proof []byte) string { return admissionPrefix + encoding.EncodeToString(proof) }

// ParseAdmission reads the text of an admission; ok is false if it is none. Nothing in
// it is verified.
func ParseAdmission(text string) (proof []byte, ok bool) {
	digits, ok := strings.CutPrefix(text, admissionPrefix)
	if !ok || len(digits) != encoding.EncodedLen(AdmissionSize) {
		return nil, false
	}
	proof, err := encoding.DecodeString(digits)
	return proof, err == nil && len(proof) == AdmissionSize
}

func admissionText(as subject, world, who id.ID) []byte {
	b := append([]byte("voxelpopuli admission of a "+as), " 1\n"...)
	return append(append(b, world[:]...), who[:]...)
}

// StatementOf returns the statement of an admission that was verified before.
func StatementOf(proof []byte) (*Statement, error) {
	if len(proof) != AdmissionSize {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", ErrFormat, len(proof), AdmissionSize)
	}
	return decodeStatement(proof[:statementSize])
}

// decodeAdmission returns the statement that an admission is made with, if the
// admission is somebody's. What the statement says is not verified.
func decodeAdmission(proof []byte, as subject, world, who id.ID) (*Statement, error) {
	if len(proof) == 0 {
		return nil, fmt.Errorf("%w: %s %s shows none", ErrInvitation, as, who.Short())
	}
	s, err := StatementOf(proof)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvitation, err)
	}
	if !ed25519.Verify(s.Key[:], admissionText(as, world, who), proof[statementSize:]) {
		return nil, fmt.Errorf("%w: the signature for %s %s is wrong", ErrInvitation, as, who.Short())
	}
	return s, nil
}

// MayBuild reports whether the founder lets whoever was admitted by a proof change the
// world. It is for a proof that was verified before; who needed none may.
func MayBuild(proof []byte) bool {
	s, err := StatementOf(proof)
	return err != nil || s.Permits&Build != 0
}
