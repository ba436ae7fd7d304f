package replica

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

// Patches sends cells to nodes that have some versions of their objects, and makes cells
// of what has come.
type Patches struct {
	*part.Part
	Replica *Replica
}

// Encoder encodes cells for a node that has asked for them.
type Encoder struct {
	*Patches
	have *versions
	base []baseObject
}

// For encodes cells for who has asked for them.
func (pc *Patches) For(q *messages.Fetch) *Encoder {
	return &Encoder{pc, versionsOf(q), pc.Replica.commonBase(q)}
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
func (en *Encoder) choosePatch(o *state.Object, cell int) (p messages.ObjectPatch, from *state.Object, size int) {
	if at, ok := en.have.find(o); ok {
		p = messages.ObjectPatch{How: messages.Has, At: uint32(at)}
		return p, nil, p.Size(0)
	}
	var d messages.ObjectPatch
	if i, ok := slices.BinarySearchFunc(en.base, o.ID, func(b baseObject, id state.ObjectID) int { return cmp.Compare(b.ID, id) }); ok {
		b := &en.base[i]
		d, from = messages.ObjectPatch{How: messages.Based, In: int32(b.cell - cell), At: uint32(b.at)}, b.Object
	} else if at, place, index := en.Replica.origin(o); at != nil {
		d, from = messages.ObjectPatch{How: messages.Begun, In: place, At: index}, at
	}
	size = p.Size(o.Size)
	if from != nil {
		if less := d.Size(en.Cache.Delta(en.Cfg.Rules, from, o)); less < size {
			return d, from, less
		}
	}
	return p, nil, size
}

// Cell makes the patches of a cell, which is the one of this number that was asked for.
func (en *Encoder) Cell(c *state.Cell, number int) (out []messages.ObjectPatch) {
	if c == nil {
		return nil
	}
	for _, o := range c.Objects {
		p, from, _ := en.choosePatch(o, number)
		switch {
		case p.How == messages.Whole:
			p.Data = en.Cfg.Rules.AppendObject(nil, o)
		case from != nil:
			p.Data = state.AppendDelta(nil, en.Cfg.Rules.AppendObject(nil, from), en.Cfg.Rules.AppendObject(nil, o))
		}
		out = append(out, p)
	}
	return out
}

// Size is what a cell takes: how many objects there are, and each of them.
func (en *Encoder) Size(c *state.Cell, number int) int {
	size := 2
	if c == nil {
		return size
	}
	for _, o := range c.Objects {
		_, _, bytes := en.choosePatch(o, number)
		size += bytes
	}
	return size
}

// decodeCell makes a cell of what has come for it; left is how many bytes objects may
// still take.
func (pc *Patches) decodeCell(pieces []messages.ObjectPatch, q *messages.Fetch, k int, left *int) (*state.Cell, error) {
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

// DecodeCells makes the cells of an answer; nil if it is not one to what was asked.
// A cell whose pieces say nothing is one that nobody has promised.
func (pc *Patches) DecodeCells(m *messages.Blocks, q *messages.Fetch) (cells []*state.Cell) {
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
func (pc *Patches) decodeObject(p *messages.ObjectPatch, q *messages.Fetch, k int, left *int) (*state.Object, error) {
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
		if from = pc.Replica.originAt(q.Cells[k], p.In, p.At); from == nil {
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

// EncodeQuestion is a question as it travels: versions that the asker has are named by their
// digests.
func EncodeQuestion(m *messages.Fetch) *messages.Fetch {
	out := *m
	out.Have, out.Base = nil, nil
	for _, o := range m.Have {
		out.HaveTags = append(out.HaveTags, versionPrefix(o))
	}
	for _, c := range m.Base {
		tag := state.SaltedDigest{}
		if c != nil {
			tag = state.Salted(m.Query, c)
		}
		out.BaseTags = append(out.BaseTags, tag)
	}
	return &out
}
