package storage

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
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
	objects []*Object // ascending by ID
	tags    map[uint64]int
}

func versionsOf(q *Fetch) *versions {
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
func (v *versions) find(o *Object) (int, bool) {
	if v == nil {
		return 0, false
	}
	if v.tags != nil {
		i, ok := v.tags[versionPrefix(o)]
		return i, ok
	}
	i, _ := slices.BinarySearchFunc(v.objects, o, byID)
	for ; i < len(v.objects) && v.objects[i].ID == o.ID; i++ {
		if sameObject(v.objects[i], o) {
			return i, true
		}
	}
	return 0, false
}

// patchCodec encodes cells for somebody who has some versions of their objects.
type patchCodec struct {
	*core
	replica *replica
}

// baseObject is an object of a cell that who fetches and who is asked had an update
// before.
type baseObject struct {
	*Object
	cell int
	at   int
}

// choosePatch is the shortest way to send an object of a cell, what a difference is
// from, and how many bytes it takes.
func (pc *patchCodec) choosePatch(o *Object, cell int, have *versions, base []baseObject) (p ObjectPatch, from *Object, size int) {
	if at, ok := have.find(o); ok {
		p = ObjectPatch{How: Has, At: uint32(at)}
		return p, nil, p.size(0)
	}
	var d ObjectPatch
	if i, ok := slices.BinarySearchFunc(base, o.ID, func(b baseObject, id ObjectID) int { return cmp.Compare(b.ID, id) }); ok {
		b := &base[i]
		d, from = ObjectPatch{How: Based, In: int32(b.cell - cell), At: uint32(b.at)}, b.Object
	} else if at, place, index := pc.replica.origin(o); at != nil {
		d, from = ObjectPatch{How: Begun, In: place, At: index}, at
	}
	size = p.size(o.Size)
	if from != nil {
		if less := d.size(pc.cache.delta(pc.cfg.Rules, from, o)); less < size {
			return d, from, less
		}
	}
	return p, nil, size
}

// encodeCell makes the pieces of a cell.
func (pc *patchCodec) encodeCell(c *Cell, cell int, have *versions, base []baseObject) (out []ObjectPatch) {
	if c == nil {
		return nil
	}
	for _, o := range c.Objects {
		p, from, _ := pc.choosePatch(o, cell, have, base)
		switch {
		case p.How == Whole:
			p.Data = pc.cfg.Rules.AppendObject(nil, o)
		case from != nil:
			p.Data = AppendDelta(nil, pc.cfg.Rules.AppendObject(nil, from), pc.cfg.Rules.AppendObject(nil, o))
		}
		out = append(out, p)
	}
	return out
}

// decodeCell makes a cell of what has come for it; left is how many bytes objects may
// still take.
func (pc *patchCodec) decodeCell(pieces []ObjectPatch, q *Fetch, k int, left *int) (*Cell, error) {
	at := q.Cells[k]
	square := pc.world.square(at.X, at.Y)
	var objects []*Object
	for i := range pieces {
		o, err := pc.decodeObject(&pieces[i], q, k, left)
		switch {
		case err != nil:
			return nil, err
		case o.Static || !square.Holds(o.Pos):
			return nil, errUnseen
		case len(objects) > 0 && objects[len(objects)-1].ID >= o.ID:
			return nil, errOrder
		}
		objects = append(objects, o)
	}
	return NewCell(objects), nil
}

// decodeCells makes the cells of an answer; nil if it is not one to what was asked.
// A cell whose pieces say nothing is one that nobody has promised.
func (pc *patchCodec) decodeCells(m *Blocks, q *Fetch) (cells []*Cell) {
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
func (pc *patchCodec) decodeObject(p *ObjectPatch, q *Fetch, k int, left *int) (*Object, error) {
	var from *Object
	switch p.How {
	case Has:
		if int(p.At) >= len(q.Have) {
			return nil, errPiece
		}
		return q.Have[p.At], nil
	case Based:
		cell := int64(k) + int64(p.In)
		if cell < 0 || cell >= int64(len(q.Base)) || q.Base[cell] == nil || int(p.At) >= len(q.Base[cell].Objects) {
			return nil, errPiece
		}
		from = q.Base[cell].Objects[p.At]
	case Begun:
		if from = pc.replica.originAt(q.Cells[k], p.In, p.At); from == nil {
			return nil, errPiece
		}
	}
	b := p.Data
	if from != nil {
		var err error
		if b, err = ApplyDelta(pc.cfg.Rules.AppendObject(nil, from), p.Data, min(maxObject, *left)); err != nil {
			return nil, err
		}
	}
	if *left -= len(b); *left < 0 {
		return nil, errLarge
	}
	return pc.cfg.Rules.DecodeObject(b)
}

// versionPrefix is how who fetches names a version that it has: the beginning of
// its digest, which is enough to tell versions of an object apart that nobody has
// made to be mistaken; what comes of a mistake is seen by the cell's tag.
func versionPrefix(o *Object) uint64 { return binary.BigEndian.Uint64(o.Digest[:]) }
