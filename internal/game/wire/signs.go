package wire

import (
	"errors"

	"github.com/tinylib/msgp/msgp"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Signs are what is written on the signs of a column, all of them.
type Signs struct {
	Column world.ColumnPos `json:"column"`
	Texts  []SignText      `json:"texts"`
}

// SignText is a sign with its text. Place is x | z<<5 | y<<10 within the column.
type SignText struct {
	Place uint32 `json:"place"`
	Text  string `json:"text"` // lines end with \n
}

var errSignText = errors.New("no text of a sign")

// maxPlace is the last place of a column.
const maxPlace = world.ChunkSize*world.ChunkSize*world.Height - 1

// Type is the message's first byte.
func (*Signs) Type() Type { return TypeSigns }

func (m *Signs) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 3)
	b = msgp.AppendInt32(b, m.Column.X)
	b = msgp.AppendInt32(b, m.Column.Z)
	b = msgp.AppendArrayHeader(b, uint32(len(m.Texts)))
	for _, t := range m.Texts {
		b = msgp.AppendArrayHeader(b, 2)
		b = msgp.AppendUint32(b, t.Place)
		b = msgp.AppendString(b, t.Text)
	}
	return b
}

func (m *Signs) read(r *reader) {
	r.fields(3)
	m.Column.X, m.Column.Z = int32(r.int(maxCoord)), int32(r.int(maxCoord))
	m.Texts = m.Texts[:0]
	for range r.array(world.MaxTexts) {
		r.tuple(2)
		t := SignText{Place: uint32(r.uint(maxPlace)), Text: r.str(world.MaxSignText)}
		if r.err == nil && !world.ValidSignText(t.Text) {
			r.fail(errSignText)
		}
		if r.err != nil {
			return
		}
		m.Texts = append(m.Texts, t)
	}
}
