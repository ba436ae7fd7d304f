package codec

import (
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/node"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

// Messages of internal/storage. What an object is, the rules of the world know:
// a codec that was not given any (NewVerified) does not know these messages.
// Their fields are all needed: one that is missing is an error in both
// directions, so that no machine has to look.

// Verified is what the messages of a world with a storage are read with.
type Verified struct {
	// Rules are for the codec alone, which has them do one thing at a time.
	Rules storage.Rules
	// Bounds are those of the overlay's space (overlay.Space.Bounds).
	Bounds geom.Rect
	// Check tells whether an action's signature is its player's; an action that
	// is not signed right is not read. Nil: signatures are not looked at.
	Check func(*storage.Action) bool
}

// NewVerified returns a codec for a world with a storage.
func NewVerified(v Verified) *Codec {
	c := New()
	c.rules = &ruled{Verified: v, world: v.Rules.World()}
	return c
}

// ruled is Verified for many goroutines.
type ruled struct {
	Verified
	world storage.World
	mu    sync.Mutex
}

const (
	maxObjects   = 1 << 16
	maxObject    = 4 << 20 // bytes of one
	maxBatches   = 1 << 14
	maxActions   = 1 << 10 // of a player in an interval
	maxBody      = 1 << 14 // bytes of an action
	maxSignature = 256
)

var storageKinds = []*kind{
	needs(140, func(f *form, m *storage.Retrieve) {
		num(f, &m.Query)
		num(f, &m.Kind)
		if m.Kind == storage.ForActions || m.Kind >= storage.Kinds {
			f.fail("retrieval of kind %d", m.Kind)
		}
		f.area(&m.Area, true)
		signed(f, &m.Of)
	}),
	needs(141, func(f *form, m *storage.Result) {
		num(f, &m.Query)
		f.around(&m.Around)
		f.area(&m.Area, true)
		f.snapshot(&m.Seen, &m.Area)
		f.static(&m.Static, &m.Batches)
		if f.reading && f.err == nil {
			m.Seal(f.codec.rules.world)
		}
	}),
	needs(142, func(f *form, m *storage.RetrieveActions) {
		num(f, &m.Query)
		f.player(&m.Player)
		signed(f, &m.Of)
	}),
	needs(143, func(f *form, m *storage.ActionsResult) {
		num(f, &m.Query)
		batch(f, &m.Batch)
	}),
	needs(144, func(f *form, m *storage.Store) {
		var p *storage.Player
		if !f.reading {
			if m.Action == nil {
				f.fail("no action")
				return
			}
			p = m.Action.Player
		}
		f.player(&p)
		f.action(&m.Action, p)
	}),
	needs(145, func(f *form, m *storage.Push) {
		f.area(&m.Area, false)
		f.snapshot(&m.Seen, &m.Area)
		f.static(&m.Static, &m.Batches)
		if f.reading && f.err == nil {
			m.Seal(f.codec.rules.world)
		}
	}),
	needs(146, func(f *form, m *storage.Wake) {
		f.player(&m.Player)
		f.place(&m.Place)
		signed(f, &m.Of)
	}),
	needs(147, func(f *form, m *storage.Better) { f.someone(&m.Node) }),
	needs(155, func(f *form, m *node.Answer) {
		f.certificate(&m.Certificate)
		if m.Certificate == nil && f.err == nil {
			f.fail("an answer of nobody")
		}
		f.exact(m.Signature[:])
		f.message(&m.Result)
		if _, ok := m.Result.(*storage.Result); !ok && f.err == nil {
			f.fail("an answer that is none")
		}
	}),
}

// needs is the entry of a message that has to be whole, and of which nothing is
// known without the world's rules.
func needs[T any](number uint16, fields func(*form, *T)) *kind {
	k := message(number, func(f *form, m *T) {
		if f.codec.rules == nil {
			f.err = ErrUnknown
			return
		}
		fields(f, m)
	})
	k.whole = true
	return k
}

// area is a circle or a polygon. A part that is pushed may be without an inside.
func (f *form) area(a *overlay.Area, inside bool) {
	f.point(&a.Circle.C)
	signed(f, &a.Circle.R)
	list(f, (*[]geom.Point)(&a.Polygon), overlay.MaxCorners, 2, func(f *form, p *geom.Point) { f.point(p) })
	switch {
	case f.err != nil:
	case len(a.Polygon) > 0 && a.Circle != geom.Circle{}:
		f.fail("an area that is both a circle and a polygon")
	case inside && !storage.SaneArea(a):
		f.fail("an area that cannot be calculated with")
	}
}

// someone is a contact within the overlay's space.
func (f *form) someone(c **overlay.Contact) {
	contact(f, c)
	if f.err == nil && !f.codec.rules.Bounds.Contains((*c).Pos) {
		f.fail("a node outside of the world")
	}
}

func (f *form) around(v **storage.Around) {
	var self *overlay.Contact
	var others []*overlay.Contact
	if !f.reading {
		if *v == nil {
			f.fail("no neighbourhood")
			return
		}
		self, others = (*v).Self, (*v).Neighbours
	}
	f.someone(&self)
	list(f, &others, overlay.MaxNamed, minContact, func(f *form, c **overlay.Contact) { f.someone(c) })
	if f.reading && f.err == nil {
		*v = storage.NewAround(self, others, f.codec.rules.Bounds)
	}
}

// place is a place in the world.
func (f *form) place(p *geom.Point) {
	f.point(p)
	if side := f.codec.rules.world.Side; f.err == nil && (p.X < 0 || p.Y < 0 || p.X >= side || p.Y >= side) {
		f.fail("a place outside of the world")
	}
}

func (f *form) player(v **storage.Player) {
	if f.reading {
		*v = new(storage.Player)
	} else if *v == nil {
		f.fail("no player")
		return
	}
	f.id(&(*v).ID)
	f.place(&(*v).Home)
}

// action is an action of a player, who is not named again.
func (f *form) action(v **storage.Action, of *storage.Player) {
	before := len(f.b)
	if f.reading {
		*v = &storage.Action{Player: of}
	} else if *v == nil || (*v).Player == nil || (*v).Player.ID != of.ID {
		f.fail("no action of this player")
		return
	}
	a := *v
	num(f, &a.Seq)
	signed(f, &a.At)
	f.bytes(&a.Body, maxBody)
	f.bytes(&a.Signature, maxSignature)
	if !f.reading || f.err != nil {
		return
	}
	a.Size = before - len(f.b)
	if check := f.codec.rules.Check; check != nil && !check(a) {
		f.fail("an action that its player has not signed")
	}
}

func batch(f *form, v **storage.Batch) {
	var b storage.Batch
	if !f.reading {
		if *v == nil {
			f.fail("no batch")
			return
		}
		b = **v
	}
	f.player(&b.Player)
	signed(f, &b.Of)
	list(f, &b.Actions, maxActions, 4, func(f *form, a **storage.Action) { f.action(a, b.Player) })
	if f.err != nil {
		return
	}
	made, err := storage.NewBatch(b.Player, b.Of, b.Actions)
	if err != nil {
		f.fail("%v", err)
	} else if f.reading {
		*v = made
	}
}

// static is what is not replayed.
func (f *form) static(objects *[]*storage.Object, batches *[]*storage.Batch) {
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
	if !storage.Ascend(*objects) {
		f.fail("objects that do not ascend by their ids")
	}
}

// snapshot is what of a part of the world lies in an area.
func (f *form) snapshot(v **storage.Snapshot, area *overlay.Area) {
	has := *v != nil
	if f.bool(&has); !has {
		return
	}
	var s storage.Snapshot
	var c storage.Carried
	world := f.codec.rules.world
	if !f.reading {
		s = **v
		c = s.Carry(area, world)
	}
	signed(f, &s.Of)
	f.area(&s.Cover, true)
	list(f, &c.Unsure, maxObjects, 1, num)
	list(f, &c.Objects, maxObjects, 2, object)
	list(f, &c.Woken, maxObjects, 2, object)
	if f.err != nil {
		return
	}
	made, err := storage.Received(s.Of, &s.Cover, area, c, world)
	if err != nil {
		f.fail("%v", err)
	} else if f.reading {
		*v = made
	}
}

// object is an object in the encoding of the world's rules.
func object(f *form, v **storage.Object) {
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
