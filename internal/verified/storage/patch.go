package storage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

const (
	// maxObject bounds the encoding of an object that is made of a difference, and
	// maxBlocks that of all objects in an answer.
	maxObject, maxBlocks = 4 << 20, 64 << 20
)

var errPiece = errors.New("a piece that refers to nothing")

// versions are those that who fetches has said that it has: the objects between
// nodes of a simulation, their tags between real ones.
type versions struct {
	objects []*state.Object // ascending by ID
	tags    map[uint64]int
}

func versionsOf(q *messages.Fetch) *versions {
	v := &versions{objects: q.Have}
	if len(q.HaveTags) > 0 {
		v.tags = make(map[uint64]int, len(q.HaveTags))
		for i, t := range q.HaveTags {
			v.tags[t] = i
		}
	}
	return v
}

// find is the place of an object among them.
func (v *versions) find(o *state.Object) (int, bool) {
	if v == nil {
		return 0, false
	}
	if v.tags != nil {
		i, ok := v.tags[versionPrefix(o)]
		return i, ok
	}
	i, _ := slices.BinarySearchFunc(v.objects, o, state.ByID)
	for ; i < len(v.objects) && v.objects[i].ID == o.ID; i++ {
		if state.SameObject(v.objects[i], o) {
			return i, true
		}
	}
	return 0, false
}

// patchCodec encodes cells for somebody who has some versions of their objects.
type patchCodec struct {
	*part.Part
	replica *replica
}

// baseObject is an object of a cell that who fetches and who is asked had an update
// before.
type baseObject struct {
	*state.Object
	cell int
	at   int
}

// choosePatch is the shortest way to send an object of a cell, what a difference is
// from, and how many bytes it takes.
func (pc *patchCodec) choosePatch(o *state.Object, cell int, have *versions, base []baseObject) (p messages.ObjectPatch, from *state.Object, size int) {
	if at, ok := have.find(o); ok {
		p = messages.ObjectPatch{How: messages.Has, At: uint32(at)}
		return p, nil, p.Size(0)
	}
	var d messages.ObjectPatch
	if i, ok := slices.BinarySearchFunc(base, o.ID, func(b baseObject, id state.ObjectID) int { return cmp.Compare(b.ID, id) }); ok {
		b := &base[i]
		d, from = messages.ObjectPatch{How: messages.Based, In: int32(b.cell - cell), At: uint32(b.at)}, b.Object
	} else if at, place, index := pc.replica.origin(o); at != nil {
		d, from = messages.ObjectPatch{How: messages.Begun, In: place, At: index}, at
	}
	size = p.Size(o.Size)
	if from != nil {
		if less := d.Size(pc.Cache.Delta(pc.Cfg.Rules, from, o)); less < size {
			return d, from, less
		}
	}
	return p, nil, size
}

// encodeCell makes the pieces of a cell.
func (pc *patchCodec) encodeCell(c *state.Cell, cell int, have *versions, base []baseObject) (out []messages.ObjectPatch) {
	if c == nil {
		return nil
	}
	for _, o := range c.Objects {
		p, from, _ := pc.choosePatch(o, cell, have, base)
		switch {
		case p.How == messages.Whole:
			p.Data = pc.Cfg.Rules.AppendObject(nil, o)
		case from != nil:
			p.Data = state.AppendDelta(nil, pc.Cfg.Rules.AppendObject(nil, from), pc.Cfg.Rules.AppendObject(nil, o))
		}
		out = append(out, p)
	}
	return out
}

// decodeCell makes a cell of what has come for it; left is how many bytes objects may
// still take.
func (pc *patchCodec) decodeCell(pieces []messages.ObjectPatch, q *messages.Fetch, k int, left *int) (*state.Cell, error) {
	at := q.Cells[k]
	square := pc.World.Square(at.X, at.Y)
	var objects []*state.Object
	for i := range pieces {
		o, err := pc.decodeObject(&pieces[i], q, k, left)
		switch {
		case err != nil:
			return nil, err
		case o.Static || !square.Holds(o.Pos):
			return nil, state.ErrUnseen
		case len(objects) > 0 && objects[len(objects)-1].ID >= o.ID:
			return nil, state.ErrOrder
		}
		objects = append(objects, o)
	}
	return state.NewCell(objects), nil
}

// decodeCells makes the cells of an answer; nil if it is not one to what was asked.
// A cell whose pieces say nothing is one that nobody has promised.
func (pc *patchCodec) decodeCells(m *messages.Blocks, q *messages.Fetch) (cells []*state.Cell) {
	if len(m.Pieces) != len(q.Cells) {
		return nil
	}
	left := maxBlocks
	for k, pieces := range m.Pieces {
		c, err := pc.decodeCell(pieces, q, k, &left)
		if err != nil {
			c = nil
		}
		cells = append(cells, c)
	}
	return cells
}

// decodeObject is what a piece makes of what the node has said that it has.
func (pc *patchCodec) decodeObject(p *messages.ObjectPatch, q *messages.Fetch, k int, left *int) (*state.Object, error) {
	var from *state.Object
	switch p.How {
	case messages.Has:
		if int(p.At) >= len(q.Have) {
			return nil, errPiece
		}
		return q.Have[p.At], nil
	case messages.Based:
		cell := int64(k) + int64(p.In)
		if cell < 0 || cell >= int64(len(q.Base)) || q.Base[cell] == nil || int(p.At) >= len(q.Base[cell].Objects) {
			return nil, errPiece
		}
		from = q.Base[cell].Objects[p.At]
	case messages.Begun:
		if from = pc.replica.originAt(q.Cells[k], p.In, p.At); from == nil {
			return nil, errPiece
		}
	}
	b := p.Data
	if from != nil {
		var err error
		if b, err = state.ApplyDelta(pc.Cfg.Rules.AppendObject(nil, from), p.Data, min(maxObject, *left)); err != nil {
			return nil, err
		}
	}
	if *left -= len(b); *left < 0 {
		return nil, state.ErrLarge
	}
	return pc.Cfg.Rules.DecodeObject(b)
}

// versionPrefix is how who fetches names a version that it has: the beginning of
// its digest, which is enough to tell versions of an object apart that nobody has
// made to be mistaken; what comes of a mistake is seen by the cell's tag.
func versionPrefix(o *state.Object) uint64 { return binary.BigEndian.Uint64(o.Digest[:]) }
