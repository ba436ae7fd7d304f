package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// Item is a stack that lies in the world, for whoever comes near. Its body
// falls, slides and sinks like that of a mob which does nothing.
type Item struct {
	Entity uint64 // bit 48 is set
	Stack  Stack
	Body   Body
	Owner  id.ID  // who dropped it
	Born   uint64 // tick in which it was dropped
	Shot   Shot   // zero: it is not on its way to somebody

	Handle uint32 // see Area; not part of a save
}

// itemBit is set in the entities of items and in no others.
const itemBit = 1 << 48

// Limits of items. Lengths are in 1/4096 m, times in ticks.
const (
	maxItems       = 256  // in a region
	maxColumnItems = 64   // in a column, of those that players drop there
	itemLife       = 6000 // five minutes
	ownerWaits     = 40   // until whoever dropped an item can pick it up again
	othersWait     = 10   // and until anybody else can

	// pickReach is how far beyond a body items are picked up: less than a block,
	// so that nothing comes through a wall.
	pickReach  = 3072
	mergeReach = 3072
	mergeEvery = 10
	restEvery  = 4 // an item that rests looks this often for what is under it

	throwSpeed  = 1229          // 0.3 m/tick
	spillSpeed  = 307           // of what falls out of a container, sideways and up
	throwBelow  = fixed.One / 4 // the eye
	itemOver    = fixed.One / 4 // an item so far beyond the border goes to the neighbour
	dropsBeyond = 3 * fixed.One // so far beyond it a player drops nothing
)

// itemBuild is a cube of a quarter of a metre that does not move by itself.
var itemBuild = build{half: 512, height: 1024, sneakHeight: 1024}

// ItemGone is an item that is not in the area any more.
type ItemGone struct {
	Item  *Item
	Taken bool // somebody has all of it; otherwise it was merged or is too old
}

// Items returns the items that lie in the region, sorted by entity: to look at.
func (es *entities) Items() []*Item { return es.items }

// Item returns an item by entity, nil if it is not here.
func (es *entities) Item(entity uint64) *Item { return listed(es.items, entity) }

// AddItem puts an item into the area and gives it a handle. It replaces another
// with the same entity.
func (es *entities) AddItem(it *Item) { list(es, &es.items, it) }

// RemoveItem takes an item out of the area and returns it, nil if it was not there.
func (es *entities) RemoveItem(entity uint64) *Item { return unlist(es, &es.items, entity) }

// dropItem throws items from a slot the way the player looks.
//
// Whom an order has moved away drops nothing until the region there has taken it: no other
// gives items to that region.
func (ir *itemRules) dropItem(p *Player, slot, count int) Refusal {
	s := p.Items[slot]
	switch {
	case p.Mode == Spectator:
		return NotAllowed
	case s.Count == 0:
		return NoItem
	case ir.outsideBy(p.Body.Pos, dropsBeyond):
		return NotLoaded
	case !ir.roomForItem(p.Body.Pos):
		return TooMany
	case !ir.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown
	}
	if s.Block.Lasts() {
		count = MaxStack
	}
	n := p.Items.takeAt(slot, min(count, MaxStack))
	p.slots |= 1 << slot
	it := &Item{Stack: Stack{s.Block, uint8(n)}, Owner: p.ID, Born: ir.tick}
	it.Entity = ir.freeEntity(rng.Hash(ir.cfg.Seed, uint64(uint32(ir.pos.X)), uint64(uint32(ir.pos.Z)), ir.tick, p.Entity))
	it.Body.Pos = p.Body.Eye()
	it.Body.Pos.Y -= throwBelow
	it.Body.Yaw = p.Body.Yaw
	flat := scale(Cosine(uint16(p.Body.Pitch)), throwSpeed)
	it.Body.Vel = Vec{
		X: scale(Sine(p.Body.Yaw), flat), Y: scale(Sine(uint16(p.Body.Pitch)), throwSpeed), Z: -scale(Cosine(p.Body.Yaw), flat),
	}
	ir.AddItem(it)
	ir.changes.ItemSaves = append(ir.changes.ItemSaves, it)
	return Done
}

// freeEntity returns the first entity of an item from a number on that none has.
func (es *entities) freeEntity(from uint64) uint64 {
	for {
		if entity := itemBit | from&(itemBit-1); es.Item(entity) == nil {
			return entity
		}
		from++
	}
}

// roomForItem reports whether another item may be dropped at a place.
func (es *entities) roomForItem(at Vec) bool {
	in, n := at.Block().Column(), 0
	for _, it := range es.items {
		if it.Body.Pos.Block().Column() == in {
			n++
		}
	}
	return len(es.items) < maxItems && n < maxColumnItems
}

// takeItem takes an item over from a neighbour.
func (ir *itemRules) takeItem(r *Remote) Refusal {
	switch {
	case r.Item == nil:
		return NotAllowed
	case len(ir.items) >= maxItems:
		return TooMany
	}
	it := *r.Item
	it.Entity = ir.freeEntity(it.Entity)
	it.Born = min(it.Born, ir.tick)
	ir.AddItem(&it)
	ir.changes.ItemSaves = append(ir.changes.ItemSaves, &it)
	return Done
}

// tickItems is a tick of all items. One that is gone has nothing in its stack
// until the tick's end.
func (ir *itemRules) tickItems() {
	for _, it := range ir.items {
		switch {
		case it.Stack.Count == 0:
		case it.Shot.Damage > 0:
			ir.fly(it)
		case ir.tick >= it.Born+itemLife || ir.heat(&it.Body) > 0:
			ir.loseItem(it, false)
		case !ir.pickUp(it):
			ir.moveItem(it)
			ir.mergeItem(it)
		}
	}
	for _, g := range ir.changes.ItemsGone {
		ir.RemoveItem(g.Item.Entity)
	}
	for _, it := range ir.items { // what was merged since it moved is none any more
		if ir.outsideBy(it.Body.Pos, itemOver) {
			ir.changes.ItemLeavers = append(ir.changes.ItemLeavers, it)
		}
	}
}

func (ir *itemRules) loseItem(it *Item, taken bool) {
	it.Stack.Count = 0
	ir.changes.ItemsGone = append(ir.changes.ItemsGone, ItemGone{it, taken})
}

// moveItem steps an item's body.
func (ir *itemRules) moveItem(it *Item) {
	b := &it.Body
	rested := b.rests()
	if rested && (ir.tick+it.Entity)%restEvery != 0 {
		return
	}
	step(&ir.regionBlocks, b, Input{Yaw: b.Yaw}, Survival, &itemBuild)
	if !rested && b.rests() {
		ir.changes.ItemSaves = append(ir.changes.ItemSaves, it)
	}
}

// rests reports whether a body lies still on something.
func (b *Body) rests() bool { return b.OnGround && b.Vel.X == 0 && b.Vel.Z == 0 }

// mergeItem puts an item onto another of the same block beside it, now and then.
func (ir *itemRules) mergeItem(it *Item) {
	if (ir.tick+it.Entity)%mergeEvery != 0 {
		return
	}
	for _, o := range ir.items {
		if o == it || o.Stack.Count == 0 || o.Shot.Damage > 0 || o.Stack.Block != it.Stack.Block || int(o.Stack.Count)+int(it.Stack.Count) > MaxStack ||
			!nearBox(o.Body.Pos, it.Body.box(&itemBuild), mergeReach) || ir.cfg.OwnItems && o.Owner != it.Owner {
			continue
		}
		if it.Born > o.Born {
			o.Born, o.Owner = it.Born, it.Owner
		}
		o.Stack.Count += it.Stack.Count
		ir.changes.ItemSaves = append(ir.changes.ItemSaves, o)
		ir.loseItem(it, false)
		return
	}
}

// pickUp gives an item to the nearest of those who may have it, as much of it as
// finds room, and reports whether nothing is left.
func (ir *itemRules) pickUp(it *Item) bool {
	p := ir.nearestPlayer(it.Body.Pos, 4, func(p *Player) bool { return ir.mayTake(p, it) })
	if p == nil {
		return false
	}
	left, changed := p.Items.Add(it.Stack.Block, int(it.Stack.Count))
	p.slots |= changed
	if left == 0 {
		ir.loseItem(it, true)
		return true
	}
	it.Stack.Count = uint8(left)
	ir.changes.ItemSaves = append(ir.changes.ItemSaves, it)
	return false
}

// mayTake reports whether a player is near enough to an item, may have it, and
// has room for some of it.
func (ir *itemRules) mayTake(p *Player, it *Item) bool {
	wait := uint64(othersWait)
	if p.ID == it.Owner {
		wait = ownerWaits
	} else if ir.cfg.OwnItems {
		return false
	}
	if ir.tick < it.Born+wait || p.Frozen || p.Dead() || p.Arriving || p.Mode == Spectator || p.onlyVisits() {
		return false
	}
	c := p.Body.box(&human)
	reach := box{c.x0 - pickReach, c.y0 - pickReach/2, c.z0 - pickReach, c.x1 + pickReach, c.y1 + pickReach/2, c.z1 + pickReach}
	return reach.meets(it.Body.box(&itemBuild)) && p.Items.hasRoom(it.Stack.Block)
}
