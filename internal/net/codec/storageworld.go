package codec

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The world in messages of the storage.

// static is what is not replayed.
func (f *form) static(objects *[]*state.Object, batches *[]*state.Batch) {
	list(f, objects, maxObjects, 2, object)
	list(f, batches, maxBatches, 4, batch)
	if f.err != nil {
		return
	}
	for _, o := range *objects {
		if !o.Static {
			f.fail("an object that is replayed among the static ones")
			return
		}
	}
	if !state.Ascend(*objects) {
		f.fail("objects that do not ascend by their ids")
	}
}

// names are those of what is not replayed.
func (f *form) names(names *[]messages.DormantName) {
	list(f, names, maxObjects, 30, sleeper)
	for i := range *names {
		if i > 0 && (*names)[i-1].ID >= (*names)[i].ID {
			f.fail("names that do not ascend")
			return
		}
	}
}

// sleeper is the name of a version of a character.
func sleeper(f *form, v *messages.DormantName) {
	f.fixed64((*uint64)(&v.ID))
	f.id(&v.Digest)
	f.place(&v.Pos)
}

// snapshot is what of a part of the world lies in an area.
func (f *form) snapshot(v **state.Snapshot, area *overlay.Area) {
	has := *v != nil
	if f.bool(&has); !has {
		return
	}
	var s state.Snapshot
	var c state.SnapshotContent
	world := f.codec.rules.world
	if !f.reading {
		s = **v
		c = s.Encode(area, world)
	}
	signed(f, &s.Of)
	f.area(&s.Cover, true)
	f.bool(&c.Whole)
	list(f, &c.Unsure, maxObjects, 1, num)
	list(f, &c.Objects, maxObjects, 2, object)
	list(f, &c.Activated, maxObjects, 2, object)
	if f.err != nil {
		return
	}
	made, err := state.DecodeSnapshot(s.Of, &s.Cover, area, c, world)
	if err != nil {
		f.fail("%v", err)
	} else if f.reading {
		*v = made
	}
}

// object is an object in the encoding of the world's rules.
func object(f *form, v **state.Object) {
	t := f.codec.rules
	t.mu.Lock()
	defer t.mu.Unlock()
	var b []byte
	if !f.reading {
		if *v == nil {
			f.fail("no object")
			return
		}
		b = t.Rules.AppendObject(nil, *v)
	}
	if f.bytes(&b, maxObject); !f.reading || f.err != nil {
		return
	}
	o, err := t.Rules.DecodeObject(b)
	if err != nil {
		f.fail("%v", err)
		return
	}
	*v = o
}

// retrieve is a question for an area.
func (f *form) retrieve(m *messages.Retrieve) {
	f.fixed64(&m.Query)
	num(f, &m.Kind)
	if m.Kind == messages.ForActions || m.Kind >= messages.Kinds {
		f.fail("retrieval of kind %d", m.Kind)
	}
	f.area(&m.Area, true)
	signed(f, &m.Of)
	optional(f, &m.Known, func(f *form, k *messages.Known) {
		f.exact(k.Hash[:])
		list(f, &k.Rows, maxSquares, 4, func(f *form, v *uint32) { f.fixed32(v) })
		if !f.reading && (k.Around != nil || k.Seen != nil) {
			f.fail("what is known instead of its digests")
		}
	})
}

// brief are digests of a snapshot.
func brief(f *form, b *messages.DigestAnswer) {
	signed(f, &b.Of)
	f.area(&b.Cover, true)
	list(f, &b.Unsure, maxObjects, 1, num)
	list(f, &b.Tags, maxObjects, len(state.SaltedDigest{}), func(f *form, t *state.SaltedDigest) { f.exact(t[:]) })
	f.bits(&b.Same)
	if len(b.Same) > 0 {
		f.exact(b.Check[:])
	}
	list(f, &b.Activated, maxObjects, 30, sleeper)
}

func cellAt(f *form, c *messages.CellAt) {
	signed(f, &c.X)
	signed(f, &c.Y)
	if last := (f.codec.rules.world.Side - 1) / f.codec.rules.world.Cell; c.X < 0 || c.Y < 0 || c.X > last || c.Y > last {
		f.fail("a cell outside of the world")
	}
}

// piece is an object for somebody who may have some version of it.
func piece(f *form, p *messages.ObjectPatch) {
	code := p.Code()
	num(f, &code)
	p.SetCode(code)
	if p.How != messages.Whole {
		num(f, &p.At)
	}
	if p.How != messages.Has {
		f.bytes(&p.Data, maxObject)
	}
}

// bits are truths, eight in a byte.
func (f *form) bits(v *[]bool) {
	n := f.length(len(*v), maxObjects, 0)
	if f.reading {
		packed := f.take((n + 7) / 8)
		if n == 0 || packed == nil {
			return
		}
		*v = make([]bool, n)
		for i := range *v {
			(*v)[i] = packed[i/8]>>(i%8)&1 != 0
		}
		if n%8 != 0 && packed[n/8]>>(n%8) != 0 {
			f.fail("truths behind the last one")
		}
		return
	}
	packed := make([]byte, (n+7)/8)
	for i, on := range *v {
		if on && i < n {
			packed[i/8] |= 1 << (i % 8)
		}
	}
	f.b = append(f.b, packed...)
}

// sparse are the tags of some of at most so many cells: zero for the others.
func (f *form) sparse(v *[]state.SaltedDigest, cells int) {
	var there []bool
	for _, t := range *v {
		there = append(there, t != state.SaltedDigest{})
	}
	if f.bits(&there); f.err != nil {
		return
	}
	if len(there) > cells {
		f.fail("the past of more cells than are asked for")
		return
	}
	if f.reading && len(there) > 0 {
		*v = make([]state.SaltedDigest, len(there))
	}
	for i := range there {
		if !there[i] {
			continue
		}
		if f.exact((*v)[i][:]); f.reading && f.err == nil && (*v)[i] == (state.SaltedDigest{}) {
			f.fail("a tag that is none")
		}
	}
}
