package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/tinylib/msgp/msgp"
)

// A skin is what a player looks like: nothing (by its name), one byte (the number of a
// built-in look, from 1), or pixels: 0, the number of colours, as many times red, green
// and blue, and a colour for each pixel, face after face. No node decodes pictures: the
// player's own browser makes pixels of them.
const (
	// MaxSkin bounds a skin in bytes.
	MaxSkin    = 2 + 3*maxColours + skinPixels
	maxColours = 64
	skinPixels = 1632 // of the faces of six boxes
)

// Skin tells the node what the player looks like.
type Skin struct {
	Skin []byte `json:"skin"`
}

// AskSkin asks for the skin of a player who is here.
type AskSkin struct {
	Entity uint64 `json:"entity"`
}

// SkinOf is the skin of a player.
type SkinOf struct {
	Entity uint64 `json:"entity"`
	Skin   []byte `json:"skin"`
}

// ValidSkin reports whether b is a skin.
func ValidSkin(b []byte) bool {
	switch {
	case len(b) == 0:
		return true
	case len(b) == 1:
		return b[0] != 0
	case b[0] != 0 || b[1] == 0 || b[1] > maxColours || len(b) != 2+3*int(b[1])+skinPixels:
		return false
	}
	for _, pixel := range b[2+3*int(b[1]):] {
		if pixel >= b[1] {
			return false
		}
	}
	return true
}

// SkinID tells skins apart: 0 for none, the number of a built-in one, more for others.
func SkinID(skin []byte) uint32 {
	switch len(skin) {
	case 0:
		return 0
	case 1:
		return uint32(skin[0])
	}
	sum := sha256.Sum256(skin)
	return binary.BigEndian.Uint32(sum[:]) | 1<<31
}

var errSkin = errors.New("no skin")

// Type is the message's first byte.
func (*Skin) Type() Type { return TypeSkin }

// Type is the message's first byte.
func (*AskSkin) Type() Type { return TypeAskSkin }

// Type is the message's first byte.
func (*SkinOf) Type() Type { return TypeSkinOf }

func (m *Skin) append(b []byte) []byte {
	return msgp.AppendBytes(msgp.AppendArrayHeader(b, 1), m.Skin)
}

func (m *Skin) read(r *reader) {
	r.fields(1)
	m.Skin = r.skin()
}

func (m *AskSkin) append(b []byte) []byte {
	return msgp.AppendUint64(msgp.AppendArrayHeader(b, 1), m.Entity)
}

func (m *AskSkin) read(r *reader) {
	r.fields(1)
	m.Entity = r.uint(maxSafe)
}

func (m *SkinOf) append(b []byte) []byte {
	b = msgp.AppendUint64(msgp.AppendArrayHeader(b, 2), m.Entity)
	return msgp.AppendBytes(b, m.Skin)
}

func (m *SkinOf) read(r *reader) {
	r.fields(2)
	m.Entity = r.uint(maxSafe)
	m.Skin = r.skin()
}

func (r *reader) skin() []byte {
	b := r.bin(MaxSkin)
	if r.err == nil && !ValidSkin(b) {
		r.fail(errSkin)
	}
	return b
}
