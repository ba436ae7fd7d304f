package wire

import "github.com/tinylib/msgp/msgp"

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

// Type is the message's first byte.
func (*Sign) Type() Type { return TypeSign }

// Type is the message's first byte.
func (*Signed) Type() Type { return TypeSigned }

func (m *Sign) append(b []byte) []byte   { return appendStatement(b, m.Statement) }
func (m *Signed) append(b []byte) []byte { return appendStatement(b, m.Statement) }
func (m *Sign) read(r *reader)           { m.Statement = r.statement() }
func (m *Signed) read(r *reader)         { m.Statement = r.statement() }

func appendStatement(b, statement []byte) []byte {
	return msgp.AppendBytes(msgp.AppendArrayHeader(b, 1), statement)
}

func (r *reader) statement() []byte {
	r.fields(1)
	return r.bin(MaxStatement)
}
