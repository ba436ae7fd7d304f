package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Limits of what players do. Lengths are in 1/4096 m, times in ticks.
const (
	reach         = 5 * fixed.One
	reachCreative = 6 * fixed.One
	placeEvery    = 3 // between two blocks placed or broken at once
	placeSlack    = 6 // how much earlier it may come after a pause in the messages
)

// act does what a player asks for. If later is true there is no result yet.
func (pr *playerRules) act(p *Player, c *Command) (code Refusal, later bool) {
	act := &c.Act
	if p.Dead() != (act.Kind == ActRespawn) {
		if p.Dead() {
			return IsDead, false
		}
		return NotAllowed, false
	}
	if p.Jailed && (changes(act.Kind) || act.Kind == ActOpen || act.Kind == ActUse && act.A != 0) {
		return Jailed, false
	}
	if p.Muted && act.Kind == ActWrite {
		return Muted, false
	}
	if p.onlyVisits() && (changes(act.Kind) || act.Kind == ActUse && act.A != 0) {
		return Visiting, false
	}
	switch act.Kind {
	case ActDig:
		return pr.dig(p, c)
	case ActPlace:
		return pr.place(p, c)
	case ActStopDig:
		pr.stopDig(p)
	case ActOpen:
		return pr.open(p, c)
	case ActUse:
		if act.A != 0 {
			return pr.feed(p, uint64(act.A)), false
		}
		if Info(p.Held()).Tool.Kind == pack.Bow {
			return pr.shoot(p), false
		}
		return pr.eat(p), false
	case ActHit:
		return pr.hit(p, uint64(act.A)), false
	case ActWrite:
		return pr.write(p, act), false
	case ActRespawn:
		pr.respawn(p)
	default:
		return pr.handle(p, act), false
	}
	return Done, false
}

// onlyVisits reports whether a player may change nothing of the world.
func (p *Player) onlyVisits() bool { return p.Visitor && !p.Operator }

// changes reports whether an act changes more than the player who does it. Doors are for
// visitors too (open).
func changes(kind ActKind) bool {
	switch kind {
	case ActDig, ActPlace, ActStore, ActDrop, ActHit, ActWrite:
		return true
	}
	return false
}

// handle does what concerns the inventory.
func (pr *playerRules) handle(p *Player, act *Act) Refusal {
	switch act.Kind {
	case ActSelect:
		if act.A < 0 || act.A >= HotBar {
			return NotAllowed
		}
		p.Selected = uint8(act.A)
		p.dirty |= dirtySave | dirtyHeld
	case ActMoveItem:
		if !slot(act.A) || !slot(act.B) || !p.Items.Move(int(act.A), int(act.B), int(act.At.X)) {
			return NotAllowed
		}
		p.slots |= 1<<act.A | 1<<act.B
	case ActDrop:
		if !slot(act.A) || act.B < 1 {
			return NotAllowed
		}
		return pr.itemRules.dropItem(p, int(act.A), int(min(act.B, MaxStack)))
	case ActPick:
		return p.pick(act.A, act.B)
	case ActCraft:
		return p.craft(act.A, act.B)
	case ActStore:
		return pr.store(p, act)
	default:
		return NotAllowed
	}
	return Done
}

func slot(n int64) bool { return n >= 0 && n < Slots }

// pick puts any block into a slot, in creative mode.
func (p *Player) pick(block, into int64) Refusal {
	switch {
	case p.Mode != Creative || !slot(into):
		return NotAllowed
	case block == int64(Air):
		p.Items[into] = Stack{}
	case block < 0 || block >= int64(BlockLimit) || !Info(Block(block)).Item:
		return NoSuchBlock
	default:
		next := p.Items
		next[into] = Stack{Block(block), uint8(whole(Block(block), 1))}
		if !next.fits() {
			return NotAllowed
		}
		p.Items = next
	}
	p.slots |= 1 << into
	return Done
}

func (p *Player) craft(recipe, times int64) Refusal {
	if recipe < 0 || recipe >= int64(len(Recipes)) || times < 1 || times > maxCraft || p.Mode == Spectator || Recipes[recipe].Ticks > 0 {
		return NotAllowed
	}
	changed, ok := p.Items.Craft(&Recipes[recipe], int(times))
	if !ok {
		return NoItem
	}
	p.slots |= changed
	return Done
}

// eat uses what is in the player's hand. Where nobody gets hungry food heals.
func (pr *playerRules) eat(p *Player) Refusal {
	gain := Info(p.Held()).Food
	of, most := &p.Food, uint8(MaxFood)
	if pr.cfg.Peaceful {
		of, most = &p.Health, MaxHealth
	}
	if gain == 0 || p.Mode != Survival || *of == most {
		return NotAllowed
	}
	if !pr.rate(&p.NextHit, hitEvery, hitSlack) {
		return Cooldown
	}
	p.Items.takeAt(int(p.Selected), 1)
	p.slots |= 1 << p.Selected
	*of = min(*of+gain, most)
	p.dirty |= dirtySelf | dirtySave
	pr.event(p.Handle, &p.Body, EventEat)
	return Done
}

// respawn brings a dead player back to life, with what it carries: in its bed, or at the
// spawn.
func (pr *playerRules) respawn(p *Player) {
	p.Health, p.Air, p.Food, p.Effort, p.Fire = MaxHealth, MaxAir, MaxFood, 0, 0
	to := SpawnFeet(pr.spawn)
	if p.HasBed {
		to = bedFeet(p.Bed)
	}
	p.moveTo(to)
	p.dirty |= dirtySelf
}

// moveTo puts a player somewhere else; room is looked for when it arrives.
func (p *Player) moveTo(at Vec) {
	p.Body.Pos, p.Body.Vel, p.Body.Fall = at, Vec{}, 0
	p.Arriving = true
	p.dirty |= dirtyMoved | dirtySave
}

// letGo ends what a player is doing.
func (pr *playerRules) letGo(p *Player) {
	pr.stopDig(p)
	p.Buttons = 0
}

// order does what the lobby asks for.
func (pr *playerRules) order(p *Player, o *Order) Refusal {
	switch o.Kind {
	case OrderTeleport:
		edge := fixed.Int(Limit - 2)
		p.moveTo(Vec{o.At.X.Clamp(-edge, edge), o.At.Y.Clamp(0, ceiling), o.At.Z.Clamp(-edge, edge)})
	case OrderGive:
		if !o.Block.Known() || !Info(o.Block).Item || o.Count < 1 {
			return NoSuchBlock
		}
		pr.give(p, o.Block, min(whole(o.Block, o.Count), Slots*MaxStack))
	case OrderTake:
		changed, _ := p.Items.Take(o.Block, min(p.Items.Count(o.Block), max(o.Count, 0)))
		p.slots |= changed
		p.dirty |= dirtySave
	case OrderMode:
		p.Arriving = p.Arriving || p.Mode == Spectator // it may be inside of blocks
		p.Mode = min(o.Mode, Spectator)
		pr.letGo(p)
		p.dirty |= dirtySelf | dirtySave
	case OrderHealth:
		pr.setHealth(p, max(0, min(o.Count, MaxHealth)))
	case OrderOperator:
		p.Operator = o.Count != 0
		p.dirty |= dirtySelf | dirtySave
	case OrderVisitor:
		p.Visitor = o.Count != 0
		p.dirty |= dirtySelf | dirtySave
	case OrderJail:
		p.Jailed = o.Count != 0
		pr.letGo(p)
		p.dirty |= dirtySelf | dirtySave
	case OrderMute:
		p.Muted = o.Count != 0
		p.dirty |= dirtySave
	case OrderSetHome, OrderHome, OrderDelHome, OrderHomes:
		return pr.orderHome(p, o)
	case OrderKick:
		pr.changes.Kicked = append(pr.changes.Kicked, Kick{p, o.Text})
	default:
		return NotAllowed
	}
	return Done
}

func (pr *playerRules) setHealth(p *Player, n int) {
	if n == 0 {
		pr.hurt(p, MaxHealth, ByOrder)
		return
	}
	p.Health = uint8(n)
	p.dirty |= dirtySelf | dirtySave
}

// inReach reports whether a player's eye is near enough to a block.
func (p *Player) inReach(at Pos) bool {
	far := fixed.Num(reach)
	if p.Mode == Creative {
		far = reachCreative
	}
	return reaches(&p.Body, at, far)
}

// InReach reports whether any player with its feet at a place could reach a block.
func InReach(feet Vec, at Pos) bool {
	b := Body{Pos: feet}
	return reaches(&b, at, max(reach, reachCreative))
}

func reaches(b *Body, at Pos, far fixed.Num) bool {
	x, y, z := fixed.Int(int(at.X)), fixed.Int(int(at.Y)), fixed.Int(int(at.Z))
	return nearBox(b.Eye(), box{x, y, z, x + fixed.One, y + fixed.One, z + fixed.One}, far)
}

// barred says why a player may not build at a place, if it may not.
func (st *state) barred(at Pos, who id.ID, operator bool) Refusal {
	switch {
	case operator:
		return Done
	case st.protected(at):
		return Protected
	}
	if l := st.LandAt(at); l != nil && !l.Admits(who) {
		return Claimed
	}
	return Done
}

// Bars reports whether a player may not build at a place.
func (st *state) Bars(at Pos, who id.ID, operator bool) bool {
	return st.barred(at, who, operator) != Done
}

// protected reports whether only operators build at a place: around the spawn, and in a
// world with a storage, which knows only the first spawn, around that as well.
func (st *state) protected(at Pos) bool {
	if r := st.cfg.Protect; r > 0 && (spawnDistance(at, st.spawn) <= r || st.cfg.Static && spawnDistance(at, st.cfg.Spawn) <= r) {
		return true
	}
	for _, z := range st.zones {
		if z.Holds(at) {
			return true
		}
	}
	return false
}
