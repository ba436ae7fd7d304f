package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// entities knows in which cell, under which handle, each body of the area is.
type entities struct {
	pos   world.RegionPos
	cells [world.Columns]cell
	list  []entity // by the area's handle
	x0    fixed.Num
	z0    fixed.Num
}

// entity is a body's place in the cells. The area gives a handle away again at
// once, so the number that the whole world knows the body by counts.
type entity struct {
	number uint64 // 0: none
	seen   uint64 // the tick in which it was last there
	cell   uint8
	slot   uint16
}

func newEntities(pos world.RegionPos) *entities {
	e := &entities{pos: pos}
	for i := range e.cells {
		e.cells[i].index = uint8(i)
	}
	origin := pos.Column(0).Origin()
	e.x0, e.z0 = fixed.Int(int(origin.X)), fixed.Int(int(origin.Z))
	return e
}

// motion quantises where a body is.
func (e *entities) motion(b *world.Body) frame.Motion {
	const shift = fixed.Shift - frame.UnitShift
	return frame.Motion{
		X: int32((b.Pos.X - e.x0) >> shift), Y: int32(b.Pos.Y >> shift), Z: int32((b.Pos.Z - e.z0) >> shift),
		Yaw: uint8(b.Yaw >> frame.AngleShift), Pitch: int8(b.Pitch >> frame.AngleShift),
	}
}

// cellOf returns the cell of a body. One that is over the border is in the
// nearest.
func (e *entities) cellOf(p world.Vec) uint8 {
	x := (p.X-e.x0).Clamp(0, fixed.Int(world.RegionSize)-1).Floor() >> world.ChunkBits
	z := (p.Z-e.z0).Clamp(0, fixed.Int(world.RegionSize)-1).Floor() >> world.ChunkBits
	return uint8(x | z<<2)
}

// look is what a body looks like.
type look struct {
	number uint64
	kind   uint8
	pose   uint8
	held   world.Block
	worn   frame.Worn
	name   string
}

// place notes where a body is in this tick.
func (e *entities) place(handle uint32, tick uint64, b *world.Body, l *look) {
	for int(handle) >= len(e.list) {
		e.list = append(e.list, entity{})
	}
	at := &e.list[handle]
	if at.number != l.number {
		e.forget(at, frame.WentElsewhere)
	}
	in := e.cellOf(b.Pos)
	at.seen = tick
	if at.number != 0 && at.cell == in {
		c := &e.cells[in]
		c.slots[at.slot].now = e.motion(b)
		c.look(at.slot, l)
		return
	}
	e.forget(at, frame.WentElsewhere)
	*at = entity{number: l.number, seen: tick, cell: in}
	at.slot = e.cells[in].put(slot{
		now: e.motion(b), entity: l.number, name: []byte(l.name), kind: l.kind, pose: l.pose, held: l.held, worn: l.worn,
	})
}

func (e *entities) forget(at *entity, reason uint8) {
	if at.number != 0 {
		e.cells[at.cell].drop(at.slot, reason)
	}
	*at = entity{}
}

// gone takes away a body whose reason is known.
func (e *entities) gone(handle uint32, number uint64, reason uint8) {
	if at := e.at(handle); at != nil && at.number == number {
		e.forget(at, reason)
	}
}

// sweep takes away what was not placed in a tick.
func (e *entities) sweep(tick uint64) {
	for i := range e.list {
		if at := &e.list[i]; at.number != 0 && at.seen != tick {
			e.forget(at, frame.WentElsewhere)
		}
	}
}

// at returns the place of the body with an area's handle, nil if unknown.
func (e *entities) at(handle uint32) *entity {
	if int(handle) >= len(e.list) || e.list[handle].number == 0 {
		return nil
	}
	return &e.list[handle]
}

// poseOf returns the pose bits of docs/protocols/client.md.
func poseOf(b *world.Body, dead, young, burning, asleep bool) (pose uint8) {
	for i, on := range [...]bool{b.Sneaking, b.Sprinting, b.InWater, b.Flying, dead, young, burning, asleep} {
		if on {
			pose |= 1 << i
		}
	}
	return pose
}

// placeAll records where every body is. Bodies that are gone stay until the
// reason is known.
func (e *entities) placeAll(area *regionlog.Area, tick uint64) {
	for _, p := range area.Players() {
		e.place(p.Handle, tick, &p.Body, &look{
			number: p.Entity, pose: poseOf(&p.Body, p.Dead(), false, p.Fire > 0, p.Asleep()), held: p.Held(), worn: p.Worn(), name: p.Name,
		})
	}
	for _, m := range area.Mobs() {
		e.place(m.Handle, tick, &m.Body, &look{
			number: m.Entity, kind: uint8(m.Kind), pose: poseOf(&m.Body, m.Health == 0, m.Young(tick), m.Burning, false),
		})
	}
	for _, it := range area.Items() {
		e.place(it.Handle, tick, &it.Body, &look{
			number: it.Entity, kind: frame.KindItem, pose: it.Stack.Count, held: it.Stack.Block,
		})
	}
}

// show brings what a step of the world changed of bodies into the cells, and
// where blocks begin to break.
func (e *entities) show(tick uint64, c *world.Changes) {
	for _, g := range c.Gone {
		reason := uint8(frame.Vanished)
		if g.Died {
			reason = frame.Died
		}
		e.gone(g.Mob.Handle, g.Mob.Entity, reason)
	}
	for _, g := range c.ItemsGone {
		reason := uint8(frame.Vanished)
		if g.Taken {
			reason = frame.Taken
		}
		e.gone(g.Item.Handle, g.Item.Entity, reason)
	}
	e.sweep(tick)
	for _, ev := range c.Events {
		if at := e.at(ev.Handle); at != nil {
			e.cells[at.cell].event(at.slot, uint8(ev.Kind))
		}
	}
	for _, k := range c.Cracks {
		if k.At.Region() == e.pos {
			e.cells[k.At.Column().Index()].crack(k.At, k.Stage)
		}
	}
}
