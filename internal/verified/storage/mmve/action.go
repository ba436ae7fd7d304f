package mmve

import (
	"encoding/binary"
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// kind is what an action does.
type kind uint8

const (
	activate   kind = iota + 1 // comes into the world
	deactivate                 // leaves it
	move                       // walks to a place
	strike                     // takes health from an NPC
	gesture                    // something that concerns nobody else
	kinds
)

// deed is an action's body.
type deed struct {
	kind   kind
	to     geom.Point     // move
	target state.ObjectID // strike
}

// An action is charged with the thesis' 30 bytes: a GUID of 8, a time of 8, a
// number of 4 and a body of 10.
const bodySize = 10

var errBody = errors.New("not the body of an action: want 10 bytes, the first 1 to 5, the last 0")

func (d deed) body() []byte {
	b := make([]byte, bodySize)
	b[0] = byte(d.kind)
	switch d.kind {
	case move:
		binary.BigEndian.PutUint32(b[1:], uint32(d.to.X))
		binary.BigEndian.PutUint32(b[5:], uint32(d.to.Y))
	case strike:
		binary.BigEndian.PutUint64(b[1:], uint64(d.target))
	}
	return b
}

func parse(b []byte) (deed, error) {
	if len(b) != bodySize || b[0] == 0 || b[0] >= byte(kinds) || b[9] != 0 {
		return deed{}, errBody
	}
	d := deed{kind: kind(b[0])}
	switch d.kind {
	case move:
		d.to.X = int32(binary.BigEndian.Uint32(b[1:]))
		d.to.Y = int32(binary.BigEndian.Uint32(b[5:]))
	case strike:
		d.target = state.ObjectID(binary.BigEndian.Uint64(b[1:]))
	}
	return d, nil
}
