package mmve

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Encodings are fixed fields, big-endian. An NPC needs npcHead bytes; the thesis'
// has 158, so that its name takes up the rest, in zeros. A character is a head of
// headSize bytes and its bag.
const (
	npcMark, characterMark = 1, 2

	npcHead  = 1 + 8 + 8 + 8 + 4*8 + 4 + 1
	headSize = 1 + 1 + 8 + 20 + 8 + 8 + 4*8 + 1 + 4
)

var errObject = errors.New("not an object of this world")

func digest(b []byte) state.Digest { return id.Of(b) }

// digestOf returns the digest of a character: that of its head and of its bag's
// sum, so that a step does not cost a sum over the whole bag.
func digestOf(o *state.Object, c *character) state.Digest {
	var buf [headSize + sha256.Size]byte
	return digest(append(appendHead(buf[:0], o, c), c.bag.sum[:]...))
}

// AppendObject appends an object's encoding, Size bytes of it (storage.Rules).
func (w *World) AppendObject(out []byte, o *state.Object) []byte {
	switch s := o.State.(type) {
	case *npc:
		return appendNPC(out, o, s)
	case *character:
		return append(appendHead(out, o, s), s.bag.b...)
	}
	panic(fmt.Sprintf("mmve: an object of another world: %T", o.State))
}

func appendPoint(out []byte, p geom.Point) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(p.X))
	return binary.BigEndian.AppendUint32(out, uint32(p.Y))
}

func appendLeg(out []byte, l *leg) []byte {
	out = appendPoint(appendPoint(out, l.from), l.to)
	out = binary.BigEndian.AppendUint64(out, uint64(l.start))
	return binary.BigEndian.AppendUint64(out, uint64(l.arrive))
}

func appendNPC(out []byte, o *state.Object, n *npc) []byte {
	out = append(out, npcMark)
	out = binary.BigEndian.AppendUint64(out, uint64(o.ID))
	out = appendLeg(appendPoint(appendPoint(out, o.Pos), n.home), &n.walk)
	out = binary.BigEndian.AppendUint32(out, n.legs)
	out = append(out, n.health)
	var name [npcSize - npcHead]byte
	return append(out, name[:]...)
}

func appendHead(out []byte, o *state.Object, c *character) []byte {
	out = append(out, characterMark, bit(o.Static)|byte(c.coming)<<1)
	out = binary.BigEndian.AppendUint64(out, uint64(o.ID))
	out = append(out, o.Player.ID[:]...)
	out = appendLeg(appendPoint(appendPoint(out, o.Player.Home), o.Pos), &c.walk)
	out = append(out, c.health)
	return binary.BigEndian.AppendUint32(out, c.experience)
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// fields takes fixed fields from bytes that are long enough.
type fields []byte

func (f *fields) byte() byte {
	v := (*f)[0]
	*f = (*f)[1:]
	return v
}

func (f *fields) uint32() uint32 {
	v := binary.BigEndian.Uint32(*f)
	*f = (*f)[4:]
	return v
}

func (f *fields) uint64() uint64 {
	v := binary.BigEndian.Uint64(*f)
	*f = (*f)[8:]
	return v
}

func (f *fields) point() geom.Point { return geom.Point{X: int32(f.uint32()), Y: int32(f.uint32())} }

func (f *fields) leg() leg {
	return leg{f.point(), f.point(), machine.Time(f.uint64()), machine.Time(f.uint64())}
}

// DecodeObject reads what AppendObject wrote, all of it (storage.Rules).
func (w *World) DecodeObject(b []byte) (*state.Object, error) {
	var o *state.Object
	switch {
	case len(b) == npcSize && b[0] == npcMark:
		o = decodeNPC(b)
	case len(b) >= smallest && len(b) <= largest && b[0] == characterMark:
		o = w.decodeCharacter(b)
	}
	if o == nil || !w.sane(o) {
		return nil, fmt.Errorf("%w: %d bytes", errObject, len(b))
	}
	return w.share(o), nil
}

func decodeNPC(b []byte) *state.Object {
	f := fields(b[1:])
	o := &state.Object{ID: state.ObjectID(f.uint64()), Pos: f.point(), Size: npcSize}
	n := &npc{home: f.point(), walk: f.leg(), legs: f.uint32(), health: f.byte()}
	for _, zero := range f {
		if zero != 0 {
			return nil
		}
	}
	o.State, o.Digest = n, digest(b)
	return o
}

func (w *World) decodeCharacter(b []byte) *state.Object {
	f := fields(b[1:])
	flags := f.byte()
	o := &state.Object{ID: state.ObjectID(f.uint64()), Static: flags&1 != 0, Size: len(b)}
	p := state.Player{ID: id.ID(f[:id.Size])}
	f = f[id.Size:]
	p.Home = f.point()
	o.Player = &p
	if known := w.players[p.ID]; known != nil && *known == p {
		o.Player = known
	}
	o.Pos = f.point()
	c := &character{walk: f.leg(), coming: coming(flags >> 1), health: f.byte(), experience: f.uint32()}
	c.bag = newBag(append([]byte(nil), f...))
	o.State, o.Digest = c, digestOf(o, c)
	if c.coming > newcomer || o.Static && c.coming != present || o.ID != CharacterOf(o.Player) {
		return nil
	}
	return o
}

// sane reports whether an object can be replayed: a leg that leads out of the
// world or through centuries would overflow.
func (w *World) sane(o *state.Object) bool {
	var l leg
	speed := int64(playerSpeed)
	switch s := o.State.(type) {
	case *npc:
		l, speed = s.walk, npcSpeed
		if s.home != w.inside(s.home) || s.health > fullHealth || o.ID >= characterBit ||
			s.home.Dist2(l.from) > wander*wander || s.home.Dist2(l.to) > wander*wander {
			return false
		}
	case *character:
		l = s.walk
		if s.health > fullHealth {
			return false
		}
	}
	longest := machine.Time(root(l.from.Dist2(l.to))*int64(1e9)/speed) + 1
	return o.Pos == w.inside(o.Pos) && l.from == w.inside(l.from) && l.to == w.inside(l.to) &&
		l.start >= 0 && l.arrive >= l.start && l.arrive-l.start <= longest
}
