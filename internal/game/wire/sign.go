package wire

import (
	"github.com/tinylib/msgp/msgp"

	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
)

// MaxStatement bounds a statement of package decision.
const MaxStatement = 1024

// Sign asks the player to sign a decision that a command of the player asks for
// (docs/protocols/decisions.md).
type Sign struct {
	Statement []byte `json:"statement"` // without issuer and signature: those are zero
}

// Signed is the decision with the player as the issuer, signed.
type Signed struct {
	Statement []byte `json:"statement"`
}

// Segment is what the player did since the last one, signed: an encoded
// inputlog.Segment, which the player's home verifies.
type Segment struct {
	Segment []byte `json:"segment"`
}

// Type is the message's first byte.
func (*Segment) Type() Type { return TypeSegment }

// Type is the message's first byte.
func (*Sign) Type() Type { return TypeSign }

// Type is the message's first byte.
func (*Signed) Type() Type { return TypeSigned }

func (m *Sign) append(b []byte) []byte    { return appendBytes(b, m.Statement) }
func (m *Signed) append(b []byte) []byte  { return appendBytes(b, m.Statement) }
func (m *Segment) append(b []byte) []byte { return appendBytes(b, m.Segment) }
func (m *Sign) read(r *reader)            { m.Statement = r.bytes(MaxStatement) }
func (m *Signed) read(r *reader)          { m.Statement = r.bytes(MaxStatement) }
func (m *Segment) read(r *reader)         { m.Segment = r.bytes(inputlog.MaxSize) }

func appendBytes(b, field []byte) []byte {
	return msgp.AppendBytes(msgp.AppendArrayHeader(b, 1), field)
}

// bytes takes the one field of a message.
func (r *reader) bytes(limit int) []byte {
	r.fields(1)
	return r.bin(limit)
}
