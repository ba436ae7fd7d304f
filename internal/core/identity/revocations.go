package identity

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// MaxRevoked is how many certificates a list can name. The authority leaves out
// those that have expired.
const MaxRevoked = 1 << 16

// Revocations is the list of certificates that the authority of a world took
// back; of two lists the higher version counts. Frozen once signed.
type Revocations struct {
	World     id.ID
	Version   uint64
	Issued    machine.Time
	Serials   []uint64 // ascending, each once
	Signature [64]byte // of the authority
}

const (
	revocationsContext = "voxelpopuli revocations 1\n"
	revocationsHead    = 1 + id.Size + 8 + 8 + 4
)

// Sign puts the list in order and signs it with the authority's key.
func (r *Revocations) Sign(authority ed25519.PrivateKey) error {
	slices.Sort(r.Serials)
	r.Serials = slices.Compact(r.Serials)
	if len(r.Serials) > MaxRevoked {
		return fmt.Errorf("revocations: %d certificates, at most %d fit", len(r.Serials), MaxRevoked)
	}
	r.Signature = [64]byte(ed25519.Sign(authority, r.signed()))
	return nil
}

func (r *Revocations) signed() []byte { return r.body([]byte(revocationsContext)) }

func (r *Revocations) body(b []byte) []byte {
	b = append(b, version)
	b = append(b, r.World[:]...)
	b = binary.BigEndian.AppendUint64(b, r.Version)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Issued))
	b = binary.BigEndian.AppendUint32(b, uint32(len(r.Serials)))
	for _, s := range r.Serials {
		b = binary.BigEndian.AppendUint64(b, s)
	}
	return b
}

// Append adds the canonical encoding to b.
func (r *Revocations) Append(b []byte) []byte { return append(r.body(b), r.Signature[:]...) }

// DecodeRevocations reads what Append wrote. The list is not verified.
func DecodeRevocations(b []byte) (*Revocations, error) {
	if len(b) < revocationsHead+ed25519.SignatureSize || b[0] != version {
		return nil, fmt.Errorf("revocations: %w: %d bytes", ErrFormat, len(b))
	}
	r := &Revocations{World: id.ID(b[1 : 1+id.Size])}
	rest := b[1+id.Size:]
	r.Version = binary.BigEndian.Uint64(rest)
	r.Issued = machine.Time(binary.BigEndian.Uint64(rest[8:]))
	n := binary.BigEndian.Uint32(rest[16:])
	rest = rest[20:]
	if n > MaxRevoked || len(rest) != int(n)*8+ed25519.SignatureSize {
		return nil, fmt.Errorf("revocations: %w: %d certificates in %d bytes", ErrFormat, n, len(b))
	}
	if n > 0 {
		r.Serials = make([]uint64, n)
	}
	for i := range r.Serials {
		r.Serials[i] = binary.BigEndian.Uint64(rest[i*8:])
		if i > 0 && r.Serials[i] <= r.Serials[i-1] {
			return nil, fmt.Errorf("revocations: %w: not in ascending order", ErrFormat)
		}
	}
	copy(r.Signature[:], rest[n*8:])
	return r, nil
}

// Has reports whether a certificate was taken back; a nil list has none.
func (r *Revocations) Has(serial uint64) bool {
	if r == nil {
		return false
	}
	_, found := slices.BinarySearch(r.Serials, serial)
	return found
}
