package identity

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// version is the first byte of every encoding.
const version = 1

// Certificate binds a node's key to its place in the overlay of a world: the
// authority chooses where a node stands, never the node (thesis 4.2.2). Frozen
// once signed.
type Certificate struct {
	World       id.ID
	Key         [32]byte // Ed25519 public key of the node
	Pos         geom.Point
	Serial      uint64       // counts up at the authority; names the certificate when it is revoked
	From, Until machine.Time // in force: From ≤ now < Until; Until 0: for good
	Signature   [64]byte     // of the authority
}

const (
	certificateContext = "voxelpopuli certificate 1\n"
	certificateBody    = 1 + id.Size + 32 + 4 + 4 + 8 + 8 + 8
	// CertificateSize is the length of a certificate in bytes.
	CertificateSize = certificateBody + ed25519.SignatureSize
)

// ID is the node's.
func (c *Certificate) ID() id.ID { return id.Of(c.Key[:]) }

// Sign signs the certificate with the authority's key.
func (c *Certificate) Sign(authority ed25519.PrivateKey) {
	c.Signature = [64]byte(ed25519.Sign(authority, c.signed()))
}

func (c *Certificate) signed() []byte {
	return c.body(append(make([]byte, 0, len(certificateContext)+certificateBody), certificateContext...))
}

func (c *Certificate) body(b []byte) []byte {
	b = append(b, version)
	b = append(b, c.World[:]...)
	b = append(b, c.Key[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(c.Pos.X))
	b = binary.BigEndian.AppendUint32(b, uint32(c.Pos.Y))
	b = binary.BigEndian.AppendUint64(b, c.Serial)
	b = binary.BigEndian.AppendUint64(b, uint64(c.From))
	return binary.BigEndian.AppendUint64(b, uint64(c.Until))
}

// IssuedFor reports whether it is the authority's of the world that begins so,
// in force or not.
func (c *Certificate) IssuedFor(g *Genesis) bool {
	return g.Verified() && c.World == g.World() && ed25519.Verify(g.Authority[:], c.signed(), c.Signature[:])
}

// Append adds the canonical encoding to b.
func (c *Certificate) Append(b []byte) []byte { return append(c.body(b), c.Signature[:]...) }

// DecodeCertificate reads what Append wrote. The certificate is not verified.
func DecodeCertificate(b []byte) (*Certificate, error) {
	if len(b) != CertificateSize {
		return nil, fmt.Errorf("certificate: %w: %d bytes instead of %d", ErrFormat, len(b), CertificateSize)
	}
	if b[0] != version {
		return nil, fmt.Errorf("certificate: %w: version %d, this program knows %d", ErrFormat, b[0], version)
	}
	c := &Certificate{}
	b = b[1:]
	b = b[copy(c.World[:], b):]
	b = b[copy(c.Key[:], b):]
	c.Pos = geom.Point{X: int32(binary.BigEndian.Uint32(b)), Y: int32(binary.BigEndian.Uint32(b[4:]))}
	c.Serial = binary.BigEndian.Uint64(b[8:])
	c.From = machine.Time(binary.BigEndian.Uint64(b[16:]))
	c.Until = machine.Time(binary.BigEndian.Uint64(b[24:]))
	copy(c.Signature[:], b[32:])
	return c, nil
}

// Slack is how far apart clocks may be: a certificate counts that much earlier
// and longer.
const Slack = 2 * time.Minute

// inForce says why a certificate does not count at a time.
func (c *Certificate) inForce(now machine.Time) error {
	if now.Add(Slack) < c.From {
		return fmt.Errorf("%w: number %d begins at %s; is the clock right?", ErrExpired, c.Serial, date(c.From))
	}
	if c.Ended(now) {
		return fmt.Errorf("%w: number %d ended at %s; ask the authority for a new one", ErrExpired, c.Serial, date(c.Until))
	}
	return nil
}

// Ended reports whether the certificate does not count any more.
func (c *Certificate) Ended(now machine.Time) bool {
	return c.Until != 0 && now.Add(-Slack) >= c.Until
}

func date(t machine.Time) string { return time.Unix(0, int64(t)).UTC().Format(time.RFC3339) }
