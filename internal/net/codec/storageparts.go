package codec

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What messages of the storage are made of, besides the world itself.

// area is a circle or a polygon. A part that is pushed may be without an inside.
func (f *form) area(a *overlay.Area, inside bool) {
	f.point(&a.Circle.C)
	signed(f, &a.Circle.R)
	list(f, (*[]geom.Point)(&a.Polygon), overlay.MaxCorners, 2, func(f *form, p *geom.Point) { f.point(p) })
	switch {
	case f.err != nil:
	case len(a.Polygon) > 0 && a.Circle != geom.Circle{}:
		f.fail("an area that is both a circle and a polygon")
	case inside && !state.ValidArea(a):
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

func (f *form) around(v **messages.Around) {
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
		*v = messages.NewAround(self, others, f.codec.rules.Bounds)
	}
}

// place is a place in the world.
func (f *form) place(p *geom.Point) {
	f.point(p)
	if side := f.codec.rules.world.Side; f.err == nil && (p.X < 0 || p.Y < 0 || p.X >= side || p.Y >= side) {
		f.fail("a place outside of the world")
	}
}

func (f *form) player(v **state.Player) {
	if f.reading {
		*v = new(state.Player)
	} else if *v == nil {
		f.fail("no player")
		return
	}
	f.id(&(*v).ID)
	f.place(&(*v).Home)
}

// action is an action of a player, who is not named again.
func (f *form) action(v **state.Action, of *state.Player) {
	before := len(f.b)
	if f.reading {
		*v = &state.Action{Player: of}
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

func batch(f *form, v **state.Batch) {
	b := whose(f, *v)
	list(f, &b.Actions, maxActions, 4, func(f *form, a **state.Action) { f.action(a, b.Player) })
	f.bytes(&b.Signature, maxSignature)
	if f.err != nil {
		return
	}
	made, err := state.NewBatch(b.Player, b.Of, b.Actions)
	if err != nil {
		f.fail("%v", err)
	} else if f.reading {
		*v = made.Signed(b.Signature)
	}
}

// other is a second batch of the same player and interval, or none.
func other(f *form, v **state.Batch, of *state.Batch) {
	has := *v != nil
	if f.bool(&has); !has {
		return
	}
	batch(f, v)
	if f.err == nil && (of == nil || (*v).Player.ID != of.Player.ID || (*v).Of != of.Of) {
		f.fail("a second batch of something else")
	}
}

// whose is a batch's player and interval; when writing, with its actions.
func whose(f *form, v *state.Batch) (b state.Batch) {
	if !f.reading {
		if v == nil {
			f.fail("no batch")
			return b
		}
		b = *v
	}
	f.player(&b.Player)
	signed(f, &b.Of)
	return b
}

// named is whose batch of which interval it is, without its actions: who gets it
// has them.
func named(f *form, v **state.Batch) {
	b := whose(f, *v)
	if f.reading && f.err == nil {
		made, err := state.NewBatch(b.Player, b.Of, nil)
		if err != nil {
			f.fail("%v", err)
		}
		*v = made
	}
}

// receipts are those of one batch, which is not said again.
func receipts(f *form, v *[]*messages.Receipt, of *state.Batch) {
	list(f, v, maxReceipts, 6, func(f *form, r **messages.Receipt) {
		receiptOf(f, r, of)
	})
}

// receiptOf is a receipt of a batch, which is not said again.
func receiptOf(f *form, v **messages.Receipt, of *state.Batch) {
	if f.reading {
		*v = &messages.Receipt{Batch: of}
	} else if *v == nil {
		f.fail("no receipt")
		return
	}
	receipt(f, *v, of)
}

// fullReceipt fails if a receipt is of somebody who is not named.
func fullReceipt(f *form, r *messages.Receipt) {
	if r != nil && r.By == nil {
		f.fail("a receipt of somebody who is not named")
	}
}

// shorts are the beginnings of ids of storers that are known.
func shorts(f *form, v *[]uint32) {
	list(f, v, maxShorts, 4, func(f *form, v *uint32) { f.fixed32(v) })
}

// receipt is who gives one for a batch, briefly if that one is known, and its
// signature.
func receipt(f *form, r *messages.Receipt, of *state.Batch) {
	if !f.reading && f.err == nil && (of == nil || r.Batch == nil || r.Batch.Player.ID != of.Player.ID || r.Batch.Of != of.Of) {
		f.fail("a receipt for something else")
	}
	brief := r.By == nil && r.Short != 0
	if f.bools(&brief, &r.First); brief {
		if f.fixed32(&r.Short); r.Short == 0 && f.err == nil {
			f.fail("a receipt of nobody")
		}
	} else {
		f.someone(&r.By)
		f.bytes(&r.Certificate, maxSignature)
	}
	f.bytes(&r.Signature, maxSignature)
}

// certificate is that of a batch, or none.
func certificate(f *form, v **messages.Certificate, of *state.Batch) {
	optional(f, v, func(f *form, c *messages.Certificate) {
		if f.reading {
			c.Batch = of
		}
		receipts(f, &c.Receipts, of)
	})
}
