package invitation

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// version is the first byte of every encoding.
const version = 1

// Permissions are what an invitation permits.
type Permissions uint8

// The permissions.
const (
	Build Permissions = 1 << iota // enter the world as a player who may change it
	Host                          // host the world as a node
	Visit                         // enter the world as a player who changes nothing

	// Enter is what players need, one of the two.
	Enter = Build | Visit
	all   = Build | Host | Visit
)

func (p Permissions) String() string {
	var out []string
	for _, one := range []struct {
		bit  Permissions
		name string
	}{{Visit, "visit"}, {Build, "build"}, {Host, "host"}} {
		if p&one.bit != 0 {
			out = append(out, one.name)
		}
	}
	return strings.Join(out, ", ")
}

// either says permissions one of which is needed.
func (p Permissions) either() string { return strings.ReplaceAll(p.String(), ", ", " or ") }

// Statement is what the founder signs of an invitation. Frozen once signed.
type Statement struct {
	World     id.ID
	Key       [32]byte // Ed25519 public key of the invitation
	Permits   Permissions
	Until     int64    // Unix seconds, at most 32 bits; 0: it does not expire
	Uses      uint16   // how many players may enter by it; 0: any number
	Signature [64]byte // of the founder
}

const (
	statementContext = "voxelpopuli invitation 1\n"
	statementBody    = 1 + id.Size + 32 + 1 + 4 + 2
	statementSize    = statementBody + ed25519.SignatureSize
)

// ID names the invitation, for example in a list of revoked ones.
func (s *Statement) ID() id.ID { return id.Of(s.Key[:]) }

func (s *Statement) sign(founder ed25519.PrivateKey) {
	s.Signature = [64]byte(ed25519.Sign(founder, s.signed()))
}

func (s *Statement) signed() []byte { return s.body([]byte(statementContext)) }

func (s *Statement) body(b []byte) []byte {
	b = append(b, version)
	b = append(b, s.World[:]...)
	b = append(b, s.Key[:]...)
	b = append(b, byte(s.Permits))
	b = binary.BigEndian.AppendUint32(b, uint32(s.Until))
	return binary.BigEndian.AppendUint16(b, s.Uses)
}

// check says what is wrong with a statement, apart from its signature.
func (s *Statement) check() error {
	switch {
	case s.Permits == 0 || s.Permits&^all != 0 || s.Permits&Enter == Enter:
		return fmt.Errorf("invitation: %w: permissions %#x", ErrFormat, uint8(s.Permits))
	case s.Until < 0 || s.Until > 1<<32-1:
		return fmt.Errorf("invitation: %w: it ends at %d", ErrFormat, s.Until)
	case s.Uses > 0 && s.Permits&Host != 0: // nodes admit each other, and nobody counts them for all
		return fmt.Errorf("invitation: %w: only one for players can be limited to a number of uses", ErrFormat)
	}
	return nil
}

// SignedBy reports whether the holder of a key has signed the statement.
func (s *Statement) SignedBy(key [32]byte) bool {
	return ed25519.Verify(key[:], s.signed(), s.Signature[:])
}

// Over reports whether the invitation has expired.
func (s *Statement) Over(now machine.Time) bool {
	return s.Until != 0 && now >= machine.Time(time.Duration(s.Until)*time.Second).Add(identity.Slack)
}

func (s *Statement) append(b []byte) []byte { return append(s.body(b), s.Signature[:]...) }

// decodeStatement reads what append wrote. The signature is not verified.
func decodeStatement(b []byte) (*Statement, error) {
	if len(b) != statementSize {
		return nil, fmt.Errorf("invitation: %w: %d bytes instead of %d", ErrFormat, len(b), statementSize)
	}
	if b[0] != version {
		return nil, fmt.Errorf("invitation: %w: version %d, this program knows %d", ErrFormat, b[0], version)
	}
	s := &Statement{}
	b = b[1:]
	b = b[copy(s.World[:], b):]
	b = b[copy(s.Key[:], b):]
	s.Permits, s.Until, s.Uses = Permissions(b[0]), int64(binary.BigEndian.Uint32(b[1:])), binary.BigEndian.Uint16(b[5:])
	copy(s.Signature[:], b[7:])
	return s, s.check()
}
