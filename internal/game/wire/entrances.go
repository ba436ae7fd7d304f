package wire

import (
	"github.com/tinylib/msgp/msgp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// Bounds of an Entrances message.
const (
	MaxEntrances = 16
	maxURL       = 300
	maxCode      = 512
)

// AskEntrances asks which other nodes let players into the world.
type AskEntrances struct{}

// Entrances answers AskEntrances: where a client goes on when its node is gone.
type Entrances struct {
	List []Entrance `json:"list"`
	// Code is what the player shows there when a code is asked for; empty: nothing
	// is known that would do. It is of no use to another player.
	Code string `json:"code"`
}

// Entrance is a node that lets players in.
type Entrance struct {
	Node id.ID `json:"node"` // whose challenge the client signs there, and no other
	// URL is that of its gateway, ending in a slash; or webrtc: and where it is reached
	// over data channels, as in a link.
	URL string `json:"url"`
}

// Type is the message's first byte.
func (*AskEntrances) Type() Type { return TypeAskEntrances }

// Type is the message's first byte.
func (*Entrances) Type() Type { return TypeEntrances }

func (*AskEntrances) append(b []byte) []byte { return msgp.AppendArrayHeader(b, 0) }
func (*AskEntrances) read(r *reader)         { r.fields(0) }

func (m *Entrances) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 2)
	b = msgp.AppendArrayHeader(b, uint32(len(m.List)))
	for i := range m.List {
		b = msgp.AppendArrayHeader(b, 2)
		b = msgp.AppendBytes(b, m.List[i].Node[:])
		b = msgp.AppendString(b, m.List[i].URL)
	}
	return msgp.AppendString(b, m.Code)
}

func (m *Entrances) read(r *reader) {
	r.fields(2)
	m.List = m.List[:0]
	for range r.array(MaxEntrances) {
		r.tuple(2)
		var e Entrance
		r.exact(e.Node[:])
		e.URL = r.str(maxURL)
		m.List = append(m.List, e)
	}
	m.Code = r.str(maxCode)
}
