package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Containers. Who opens one, or moves something into it or out of it, must be at home in
// the region that it lies in: then both sides of the move are in one step, and in one
// write. Across a border it is refused.

// Slots of ActStore: those of the player from 0, those of the container from
// ContainerSlots, AnySlot for wherever there is room on the other side.
const (
	ContainerSlots = 64
	AnySlot        = 255
)

// usable looks whether a player can use the container at a place, and returns how many
// slots it has.
func (pr *playerRules) usable(p *Player, at Pos) (slots int, code Refusal) {
	b, ok := pr.Block(at)
	c := pr.containers[at]
	slots = int(Info(b).Stores)
	switch {
	case p.Mode == Spectator:
		code = NotAllowed
	case p.onlyVisits():
		code = Visiting
	case !ok:
		code = NotLoaded
	case slots == 0:
		code = NoSuchBlock
	case !p.inReach(at):
		code = TooFar
	case !pr.owns(at):
		code = Across
	case pr.barred(at, p.ID, p.Operator) != Done:
		code = pr.barred(at, p.ID, p.Operator)
	case pr.cfg.OwnItems && Info(b).Loot.Into != 0:
		code = NotAllowed // it does not know of what was found
	case pr.cfg.OwnItems && c != nil && c.Owner != p.ID:
		code = Protected
	case !pr.sees(p, at):
		code = NotAllowed
	}
	if c != nil {
		slots = len(c.Slots)
	}
	return slots, code
}

// open lets a player look into a container or use a bed, or opens or closes a door or the like.
func (pr *playerRules) open(p *Player, c *Command) (code Refusal, later bool) {
	at := c.Act.At
	switch b, _ := pr.Block(at); {
	case b.Opens():
		return pr.turn(p, c, b)
	case b.IsBed():
		return pr.lieDown(p, at), false
	}
	slots, code := pr.usable(p, at)
	if code == Done {
		pr.unlock(at)
		pr.changes.Opened = append(pr.changes.Opened, Opening{p, at, slots})
	}
	return code, false
}

// store moves a stack, or a part of it, between a player and a container, or within the
// container: from slot A to slot B modulo 256, B/256 of it, 0 for all.
func (pr *playerRules) store(p *Player, act *Act) Refusal {
	n, code := pr.usable(p, act.At)
	if code != Done {
		return code
	}
	pr.unlock(act.At)
	next := &Container{At: act.At, Owner: p.ID, Slots: make([]Stack, n)}
	if c := pr.Contents(act.At); c != nil {
		next.Owner, next.Fire = c.Owner, c.Fire
		copy(next.Slots, c.Slots)
	}
	items := p.Items
	b, _ := pr.Block(act.At)
	if next.isFurnace(b) {
		code = next.moveFurnace(&items, act, &pr.cfg)
	} else {
		code = next.move(&items, act, next.Slots)
	}
	if code != Done {
		return code
	}
	if !next.isFurnace(b) {
		var was []Stack
		if c := pr.Contents(act.At); c != nil {
			was = c.Slots
		}
		pr.noteMoved(act.At, was, next.Slots)
	}
	pr.carry(p, &items)
	pr.putContents(act.At, next)
	return Done
}

// moveFurnace does the move of an ActStore with a furnace. What was begun of something is
// lost when something else takes its place.
func (c *Container) moveFurnace(items *Inventory, act *Act, cfg *AreaConfig) Refusal {
	in, made := c.Slots[pack.FurnaceInput].Block, c.Slots[pack.FurnaceOutput]
	var into []Stack
	if from, own := c.slot(items, act.A); own {
		into = c.accepts(from.Block, cfg)
	}
	if code := c.move(items, act, into); code != Done {
		return code
	}
	if !c.fits(made, cfg) {
		return NotAllowed
	}
	if c.Slots[pack.FurnaceInput].Block != in {
		c.Work = 0
	}
	return Done
}

// move does the move of an ActStore; into is where there may be room for what is put in.
func (c *Container) move(items *Inventory, act *Act, into []Stack) Refusal {
	from, own := c.slot(items, act.A)
	count, moved := int(min(act.B>>8, MaxStack)), false
	switch to := act.B & 0xff; {
	case from == nil:
		return NotAllowed
	case to == AnySlot && own:
		moved = moveInto(from, into, count)
	case to == AnySlot:
		moved = moveInto(from, items[:Carried], count)
	default:
		dst, ownToo := c.slot(items, to)
		if dst == nil || dst == from || own && ownToo {
			return NotAllowed
		}
		moved = moveStack(from, dst, count)
	}
	switch {
	case !moved:
		return NoItem
	case !items.fits():
		return NotAllowed
	}
	return Done
}

// slot returns the stack that a slot of ActStore names, nil if there is none.
func (c *Container) slot(own *Inventory, n int64) (s *Stack, isOwn bool) {
	switch {
	case slot(n):
		return &own[n], true
	case n >= ContainerSlots && n < ContainerSlots+int64(len(c.Slots)):
		return &c.Slots[n-ContainerSlots], false
	}
	return nil, false
}

// carry gives a player other items.
func (pr *playerRules) carry(p *Player, items *Inventory) {
	for i, s := range items {
		if s != p.Items[i] {
			p.slots |= 1 << i
		}
	}
	held := p.Held()
	if p.Items = *items; p.Held() != held {
		p.dirty |= dirtyHeld
	}
}

// moveInto moves count items of a stack (0: all; tools are moved whole) to where there is
// room. It reports whether anything moved.
func moveInto(from *Stack, into []Stack, count int) bool {
	if from.Count == 0 {
		return false
	}
	if from.Block.Lasts() {
		i := slices.IndexFunc(into, func(s Stack) bool { return s.Count == 0 })
		return i >= 0 && moveStack(from, &into[i], 0)
	}
	if count <= 0 {
		count = MaxStack
	}
	count = min(count, int(from.Count))
	left, _ := addTo(into, from.Block, count)
	return from.take(count-left) > 0
}

// spill lets what is in a container fall out, because the block is broken. It reports
// false, and does nothing, if there is no room for that.
func (ir *itemRules) spill(at Pos, who id.ID) bool {
	c := ir.Contents(at)
	if c == nil {
		return true
	}
	if len(ir.items)+len(c.Slots) > maxItems {
		return false
	}
	if ir.cfg.OwnItems {
		who = c.Owner
	}
	for i, s := range c.Slots {
		if s.Count == 0 {
			continue
		}
		dice := rng.Hash(ir.cfg.Seed, uint64(uint32(at.X)), uint64(uint32(at.Y)), uint64(uint32(at.Z)), ir.tick, uint64(i))
		ir.scatter(s, who, at.Centre(), dice)
	}
	if b, _ := ir.Block(at); !c.isFurnace(b) {
		ir.noteMoved(at, c.Slots, nil)
	}
	ir.SetContainer(at, nil)
	ir.changes.Containers = append(ir.changes.Containers, at)
	return true
}

// scatter throws a stack up and to some side.
func (ir *itemRules) scatter(s Stack, who id.ID, at Vec, dice uint64) {
	it := &Item{Entity: ir.freeEntity(dice), Stack: s, Owner: who, Born: ir.tick}
	it.Body.Pos = at
	it.Body.Yaw = uint16(dice)
	it.Body.Vel = Vec{X: scale(Sine(it.Body.Yaw), spillSpeed), Y: spillSpeed, Z: -scale(Cosine(it.Body.Yaw), spillSpeed)}
	ir.AddItem(it)
	ir.changes.ItemSaves = append(ir.changes.ItemSaves, it)
}

// leave lets a player who has died leave what it carried, as far as there is room for it in
// the region; the rest stays with the player.
func (ir *itemRules) leave(p *Player) {
	for i, s := range p.Items {
		if s.Count == 0 || len(ir.items) >= maxItems || p.onlyVisits() {
			continue
		}
		ir.scatter(s, p.ID, p.Body.Eye(), rng.Hash(ir.cfg.Seed, p.Entity, ir.tick, uint64(i)))
		p.Items[i] = Stack{}
		p.slots |= 1 << i
	}
	p.dirty |= dirtyHeld
}
