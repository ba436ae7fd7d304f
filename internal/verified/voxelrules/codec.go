package voxelrules

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// ErrObject is returned for bytes that are not an object of this world.
var ErrObject = errors.New("not an object of this world")

// Limits of what is read.
const (
	maxNotes   = 1 << 14
	maxRestLen = 1 << 21
)

// AppendObject appends an object's encoding: the tag and what package world
// says of the state, or numbers as LEB128, signed ones zigzag (storage.Rules).
func (r *Rules) AppendObject(out []byte, o *state.Object) []byte {
	out = append(out, byte(tagOf(o)))
	switch s := o.State.(type) {
	case *character:
		out = append(out, bit(o.Static)|byte(s.coming)<<1)
		out = binary.BigEndian.AppendUint32(out, uint32(o.Player.Home.X))
		out = binary.BigEndian.AppendUint32(out, uint32(o.Player.Home.Y))
		return s.body.AppendBinary(out)
	case *world.Mob:
		return s.AppendBinary(out)
	case *world.Item:
		return s.AppendBinary(out)
	case *difference:
		return appendDifference(out, s)
	case *regionState:
		return appendRegionState(out, s)
	case *remoteEdit:
		return appendRemoteEdit(out, s)
	case *auditor:
		return appendAuditor(out, o.Player, s)
	case *leftInventory:
		return appendInventory(appendInts(out, int64(s.at.X), int64(s.at.Z)), &s.inventory)
	}
	panic(fmt.Sprintf("voxelrules: an object of another world: %T", o.State))
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

func appendInts(out []byte, ns ...int64) []byte {
	for _, n := range ns {
		out = binary.AppendVarint(out, n)
	}
	return out
}

func appendUints(out []byte, ns ...uint64) []byte {
	for _, n := range ns {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

func appendDifference(out []byte, d *difference) []byte {
	out = append(appendInts(out, int64(d.pos.X), int64(d.pos.Z)), d.y)
	out = binary.AppendUvarint(out, uint64(len(d.blocks)))
	last := -1
	for _, c := range d.blocks {
		out = binary.AppendUvarint(out, uint64(int(c.at)-last-1))
		out = binary.AppendUvarint(out, uint64(c.is))
		last = int(c.at)
	}
	return out
}

func appendRegionState(out []byte, s *regionState) []byte {
	out = appendInts(out, int64(s.pos.X), int64(s.pos.Z))
	out = append(binary.AppendUvarint(out, uint64(len(s.area))), s.area...)
	out = binary.AppendUvarint(out, uint64(len(s.notes)))
	for _, p := range s.notes {
		out = appendInts(out, int64(p.X), int64(p.Y), int64(p.Z))
	}
	return out
}

func appendRemoteEdit(out []byte, e *remoteEdit) []byte {
	m := &e.remote
	out = append(out, bit(e.answered)|bit(m.Operator)<<1, byte(m.Kind), byte(m.Mode), byte(m.Face))
	out = append(out, m.Player[:]...)
	for _, n := range [...]uint64{e.tick, uint64(m.Seq), uint64(m.Block), uint64(m.Got)} {
		out = binary.AppendUvarint(out, n)
	}
	out = appendInts(out, int64(m.From.X), int64(m.From.Z), int64(m.At.X), int64(m.At.Y), int64(m.At.Z),
		int64(m.Body.X), int64(m.Body.Y), int64(m.Body.Z))
	return append(append(out, byte(len(m.Code))), m.Code...)
}

// DecodeObject reads what AppendObject wrote, all of it, and nothing else
// (storage.Rules).
func (r *Rules) DecodeObject(b []byte) (*state.Object, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("%w: empty", ErrObject)
	}
	o, err := r.decode(int(b[0]), b[1:])
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrObject, err)
	case !bytes.Equal(r.AppendObject(nil, o), b):
		return nil, fmt.Errorf("%w: not in the canonical form", ErrObject)
	}
	return o, nil
}

func (r *Rules) decode(tag int, b []byte) (*state.Object, error) {
	switch tag {
	case tagCharacter:
		return r.decodeCharacter(b)
	case tagMob:
		m, err := world.DecodeMob(b)
		if err != nil || !r.holds(m.Body.Pos) {
			return nil, errors.Join(err, errOutside)
		}
		return r.newMob(m), nil
	case tagItem:
		it, err := world.DecodeItem(b)
		if err != nil || !r.holds(it.Body.Pos) {
			return nil, errors.Join(err, errOutside)
		}
		return r.newItem(it), nil
	case tagChunk:
		return r.decodeChunk(&reader{bin.NewReader(b)})
	case tagRegionState:
		return r.decodeRegionState(&reader{bin.NewReader(b)})
	case tagRemoteEdit:
		return r.decodeRemoteEdit(&reader{bin.NewReader(b)})
	case tagAuditor:
		return r.decodeAuditor(&reader{bin.NewReader(b)})
	case tagLeftInventory:
		return r.decodeLeftInventory(&reader{bin.NewReader(b)})
	}
	return nil, fmt.Errorf("tag %d", tag)
}

var (
	errOutside = errors.New("outside of the world")
	errFields  = errors.New("malformed fields")
)

// holds reports whether a point lies in the window.
func (r *Rules) holds(v world.Vec) bool { return r.inWindow(v.Block().Region()) }

func (r *Rules) decodeCharacter(b []byte) (*state.Object, error) {
	if len(b) < 9 || b[0]>>1 > byte(newcomer) {
		return nil, errFields
	}
	static, c := b[0]&1 != 0, &character{coming: coming(b[0] >> 1)}
	home := geom.Point{X: int32(binary.BigEndian.Uint32(b[1:])), Y: int32(binary.BigEndian.Uint32(b[5:]))}
	var err error
	if c.body, err = world.DecodePlayer(b[9:]); err != nil {
		return nil, err
	}
	if !r.holds(c.body.Body.Pos) || static && c.coming != present {
		return nil, errOutside
	}
	return r.newCharacter(r.player(c.body.ID, home), static, c), nil
}

// player returns the one player with an id and a home.
func (r *Rules) player(who id.ID, home geom.Point) *state.Player {
	if p, ok := r.known.Get(who); ok && p.Home == home {
		return p
	}
	p := &state.Player{ID: who, Home: home}
	r.known.Put(who, p)
	return p
}

func (r *Rules) decodeChunk(in *reader) (*state.Object, error) {
	d := &difference{pos: world.ColumnPos{X: in.int32(), Z: in.int32()}, y: in.Byte()}
	n, last := in.Uint(world.ChunkVolume), -1
	for range n {
		last += int(in.Uint(world.ChunkVolume)) + 1
		is := in.block()
		if last >= world.ChunkVolume || in.Bad() {
			return nil, errFields
		}
		d.blocks = append(d.blocks, changed{uint16(last), is})
	}
	if !in.End() || n == 0 || d.y >= world.ColumnLen || !r.inWindow(d.pos.Region()) {
		return nil, errFields
	}
	return r.newChunk(d), nil
}

func (r *Rules) decodeRegionState(in *reader) (*state.Object, error) {
	s := &regionState{pos: world.RegionPos{X: in.int32(), Z: in.int32()}}
	s.area = bytes.Clone(in.Take(in.Uint(maxRestLen)))
	for range in.Uint(maxNotes) {
		s.notes = append(s.notes, in.pos())
		if in.Bad() {
			break
		}
	}
	if !in.End() || !r.inWindow(s.pos) {
		return nil, errFields
	}
	a := world.NewArea(world.AreaConfig{}, s.pos, nil)
	if err := a.LoadRest(s.area); err != nil {
		return nil, err
	}
	if len(a.Mobs()) > 0 || !bytes.Equal(a.AppendRest(nil), s.area) {
		return nil, errFields
	}
	return r.newRegionState(s), nil
}

func (r *Rules) decodeRemoteEdit(in *reader) (*state.Object, error) {
	flags := in.Byte()
	e := &remoteEdit{answered: flags&1 != 0}
	m := &e.remote
	m.Operator = flags&2 != 0
	m.Kind, m.Mode, m.Face = world.RemoteKind(in.Byte()), world.Mode(in.Byte()), world.Face(in.Byte())
	m.Player = id.ID(in.Take(id.Size))
	e.tick, m.Seq = in.Uint(1<<62), uint32(in.Uint(1<<32-1))
	m.Block, m.Got = in.block(), in.block()
	m.From, m.At = world.RegionPos{X: in.int32(), Z: in.int32()}, in.pos()
	m.Body = world.Vec{X: in.num(), Y: in.num(), Z: in.num()}
	m.Code = world.Refusal(in.Take(uint64(in.Byte())))
	if !in.End() || !m.At.InWorld() || !r.inWindow(m.At.Region()) || m.Mode > world.Spectator || m.Face > world.FaceEast {
		return nil, errFields
	}
	return r.newRemoteEdit(e), nil
}

// reader adds the types of the voxel world to [bin.Reader].
type reader struct{ bin.Reader }

func (in *reader) block() world.Block {
	b := world.Block(in.Uint(uint64(world.BlockLimit) - 1))
	if !b.Known() {
		in.Fail()
	}
	return b
}

func (in *reader) int16() int16 {
	v := in.Int(1 << 15)
	if v == 1<<15 {
		in.Fail()
	}
	return int16(v)
}

func (in *reader) int32() int32 { return int32(in.Int(world.Limit)) }

func (in *reader) pos() world.Pos { return world.Pos{X: in.int32(), Y: in.int32(), Z: in.int32()} }

func (in *reader) num() fixed.Num { return fixed.Num(in.Int(int64(fixed.Int(world.Limit)))) }
