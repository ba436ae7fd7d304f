package replica

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What the world was at t_0 (thesis 5.3.6): everybody can make it, so that nobody has to
// fetch it, and differences can be from it.

// DeriveInitial makes the world of t_0 around the own part.
func (rp *Replica) DeriveInitial() {
	if !rp.Hardened {
		return
	}
	g := &state.Snapshot{Of: 0, Cover: overlay.Area{Circle: rp.area.Now.Circle}, Whole: true}
	g.Cover.Circle.R += rp.UpdateMargin()
	g.Grid = state.GridOver(&g.Cover, &rp.World, 0)
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			if state.Relate(&g.Cover, x*rp.World.Cell, y*rp.World.Cell, rp.World.Cell) != state.Outside {
				g.Set(x, y, rp.Cache.InitialCell(rp.Cfg.Rules, &rp.World, x, y))
			}
		}
	}
	rp.Tentative = g
}

// origin is an object as it was at t_0, and where that is found (see originAt);
// nil if it is not. Everybody can make it, so that it can be referred to.
func (rp *Replica) origin(o *state.Object) (at *state.Object, place int32, index uint32) {
	far := int32(originsNear)
	if o.Player != nil {
		far = originsFar
	}
	x, y, last := o.Pos.X/rp.World.Cell, o.Pos.Y/rp.World.Cell, (rp.World.Side-1)/rp.World.Cell
	for cy := max(y-far, 0); cy <= min(y+far, last); cy++ {
		for cx := max(x-far, 0); cx <= min(x+far, last); cx++ {
			c := rp.Cache.InitialCell(rp.Cfg.Rules, &rp.World, cx, cy)
			place := (cy-y)*(2*originsFar+1) + cx - x
			if i, ok := c.Index(o.ID); ok {
				return c.Objects[i], place, uint32(i)
			}
			for i, p := range c.Dormant {
				if p.ID == o.ID {
					return p, place, uint32(len(c.Objects) + i)
				}
			}
		}
	}
	return nil, 0, 0
}

// originAt is an object of t_0 that somebody refers to, from a cell: place counts
// the cells around that one, the one itself is 0. Nil: there is none.
func (rp *Replica) originAt(at messages.CellAt, place int32, index uint32) *state.Object {
	const wide = 2*originsFar + 1
	if place < -wide*wide/2 || place > wide*wide/2 {
		return nil
	}
	dy := (place+wide*wide/2)/wide - originsFar
	x, y, last := at.X+place-dy*wide, at.Y+dy, (rp.World.Side-1)/rp.World.Cell
	if x < 0 || y < 0 || x > last || y > last {
		return nil
	}
	c := rp.Cache.InitialCell(rp.Cfg.Rules, &rp.World, x, y)
	switch {
	case index < uint32(len(c.Objects)):
		return c.Objects[index]
	case index < uint32(len(c.Objects)+len(c.Dormant)):
		return c.Dormant[index-uint32(len(c.Objects))]
	}
	return nil
}

// WokenInitial is a woken character if it is what was put to sleep at t_0: everybody can
// make it, also who is only told its name. Nil: it is another one.
func (rp *Replica) WokenInitial(o *state.Object) *state.Object {
	from, _, _ := rp.origin(o)
	if from == nil || !from.Static || from.Player == nil {
		return nil
	}
	if w := rp.Cfg.Rules.Activate(from.Player, o.Pos, from); w != nil && state.SameObject(w, o) {
		return w
	}
	return nil
}

// Objects of t_0 are looked for in the cells around where they are now, players'
// characters farther away.
const (
	originsNear = 1
	originsFar  = 4
)
