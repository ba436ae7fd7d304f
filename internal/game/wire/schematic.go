package wire

import "github.com/tinylib/msgp/msgp"

// Bounds of schematics on the way between a client and its node: bytes of the file, and of a
// part of it.
const (
	MaxSchematic  = 256 << 10
	MaxSchemSent  = 3 << 10  // of a client
	MaxSchemGiven = 16 << 10 // to a client
)

// PutSchematic is a part of a file in the format of Sponge schematics that the player wants
// to paste; the last one says no More. An empty file asks for what the player has copied.
type PutSchematic struct {
	Data []byte `json:"data"`
	More bool   `json:"more"`
}

// Schematic is a part of such a file with what the player has copied.
type Schematic struct {
	Data []byte `json:"data"`
	More bool   `json:"more"`
}

// Type is the message's first byte.
func (*PutSchematic) Type() Type { return TypePutSchematic }

// Type is the message's first byte.
func (*Schematic) Type() Type { return TypeSchematic }

func (m *PutSchematic) append(b []byte) []byte { return appendPart(b, m.Data, m.More) }
func (m *Schematic) append(b []byte) []byte    { return appendPart(b, m.Data, m.More) }

func appendPart(b, data []byte, more bool) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	return msgp.AppendBool(msgp.AppendBytes(b, data), more)
}

func (m *PutSchematic) read(r *reader) {
	r.fields(2)
	m.Data, m.More = r.bin(MaxSchemSent), r.bool()
}

func (m *Schematic) read(r *reader) {
	r.fields(2)
	m.Data, m.More = r.bin(MaxSchemGiven), r.bool()
}
