package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// What is shot is an item on its way: it hurts whom it meets, and lies where it stops.
// Lengths are in 1/4096 m, times in ticks.
const (
	shotSpeed   = 6144 // 1.5 m/tick
	shotGravity = 123  // 0.03 m/tick²
	shotDrag    = 4055 // 0.99
	shotEvery   = 20
	shotNear    = 614 // how wide of a body still meets it: 0.15 m
	shotParts   = 8   // of its way in a tick that are looked at
	shotLife    = 200
)

// shotBuild is a cube of an eighth of a metre.
var shotBuild = build{half: 256, height: 512, sneakHeight: 512}

// Shot is what an item does that was shot.
type Shot struct {
	Damage uint8  // 0: it lies
	By     uint64 // entity of who has shot it
}

// shoot lets a player shoot with the bow in its hand the way it looks.
func (pr *playerRules) shoot(p *Player) Refusal {
	tool := Info(p.Held()).Tool
	ammo := Block(tool.Shoots)
	switch {
	case p.onlyVisits():
		return Visiting
	case p.Jailed:
		return Jailed
	case p.Mode == Spectator:
		return NotAllowed
	case p.Mode != Creative && p.Items.Count(ammo) == 0:
		return NoItem
	case !pr.roomForItem(p.Body.Pos):
		return TooMany
	case !pr.rate(&p.NextHit, shotEvery, hitSlack):
		return Cooldown
	}
	if p.Mode != Creative {
		changed, _ := p.Items.Take(ammo, 1)
		p.slots |= changed
	}
	pr.wear(p, p.Body.Pos.Block())
	pr.event(p.Handle, &p.Body, EventSwing)
	it := pr.itemRules.launch(ammo, p.Body.Eye(), p.Body.Yaw, p.Body.Pitch, Shot{tool.Damage, p.Entity})
	it.Owner = p.ID
	pr.changes.ItemSaves = append(pr.changes.ItemSaves, it)
	return Done
}

// launch sends a shot on its way.
func (ir *itemRules) launch(b Block, from Vec, yaw uint16, pitch int16, shot Shot) *Item {
	it := &Item{Stack: Stack{b, 1}, Born: ir.tick, Shot: shot}
	it.Entity = ir.freeEntity(rng.Hash(ir.cfg.Seed, uint64(uint32(ir.pos.X)), uint64(uint32(ir.pos.Z)), ir.tick, shot.By))
	it.Body.Pos, it.Body.Yaw, it.Body.Pitch = from, yaw, pitch
	flat := scale(Cosine(uint16(pitch)), shotSpeed)
	it.Body.Vel = Vec{X: scale(Sine(yaw), flat), Y: scale(Sine(uint16(pitch)), shotSpeed), Z: -scale(Cosine(yaw), flat)}
	ir.AddItem(it)
	return it
}

// fly is a tick of a shot.
func (ir *itemRules) fly(it *Item) {
	b := &it.Body
	way := slide(&ir.regionBlocks, b.box(&shotBuild), b.Vel)
	if ir.meets(it, way) || ir.tick >= it.Born+shotLife {
		ir.loseItem(it, false)
		return
	}
	stopped := way != b.Vel
	b.Pos = b.Pos.Add(way)
	b.Vel = Vec{scale(b.Vel.X, shotDrag), scale(b.Vel.Y, shotDrag) - shotGravity, scale(b.Vel.Z, shotDrag)}
	if !stopped && !underWater(&ir.regionBlocks, b.Pos) {
		return
	}
	if it.Shot.By&mobBit != 0 {
		ir.loseItem(it, false) // those of monsters are none to gather
		return
	}
	b.Vel, it.Shot, it.Born = Vec{}, Shot{}, ir.tick
	ir.changes.ItemSaves = append(ir.changes.ItemSaves, it)
}

// meets hurts who is first on a shot's way, and reports whether anybody was.
func (ir *itemRules) meets(it *Item, way Vec) bool {
	for i := range fixed.Num(shotParts) {
		at := it.Body.Pos.Add(Vec{way.X * (i + 1) / shotParts, way.Y * (i + 1) / shotParts, way.Z * (i + 1) / shotParts})
		for _, p := range ir.players {
			if p.Entity != it.Shot.By && nearBox(at, p.Body.box(&human), shotNear) && ir.shootsPlayer(it, p) {
				return true
			}
		}
		for _, m := range ir.mobs {
			if m.Health > 0 && it.Shot.By&mobBit == 0 && nearBox(at, m.Body.box(m.build()), shotNear) {
				ir.mobRules.strikeMob(m, it.Body.Pos, int(it.Shot.Damage), ir.byEntity[it.Shot.By])
				return true
			}
		}
	}
	return false
}

// shootsPlayer hurts a player, and reports whether the shot ends there.
func (ir *itemRules) shootsPlayer(it *Item, p *Player) bool {
	if p.Mode == Spectator || p.Dead() {
		return false
	}
	if it.Shot.By&mobBit == 0 && (ir.cfg.Peace || ir.protected(p.Body.Pos.Block())) {
		return false
	}
	ir.playerRules.strike(p, it.Body.Pos, int(it.Shot.Damage), ByShot)
	return true
}

// How archers keep away.
const archerNear = 9 * fixed.One

// shootAt lets a mob shoot at prey that it sees, with a little more height the farther it
// is.
func (mr *mobRules) shootAt(m *Mob, prey *Player) {
	eye, at := m.Body.eyeOf(m.build()), prey.Body.Eye()
	d := at.Sub(eye)
	in := m.info()
	if mr.tick < m.NextHit || distance2(eye, at) > sq(fixed.Int(int(in.Hunts.Sight))) ||
		!canStrike(&mr.regionBlocks, eye, prey.Body.box(&human)) || !mr.roomForItem(m.Body.Pos) {
		return
	}
	m.NextHit = mr.tick + uint64(in.Hunts.Every)
	m.Body.Yaw = Angle(d.X, d.Z)
	flat := scale(d.X, Sine(m.Body.Yaw)) - scale(d.Z, Cosine(m.Body.Yaw))
	ticks := flat / shotSpeed
	pitch := int16(Angle(d.Y+ticks*ticks*shotGravity/2, -flat))
	mr.event(m.Handle, &m.Body, EventSwing)
	it := mr.itemRules.launch(Block(in.Hunts.Shoots), eye, m.Body.Yaw, pitch, Shot{in.Hunts.Damage, m.Entity})
	mr.changes.ItemSaves = append(mr.changes.ItemSaves, it)
}

func sq(n fixed.Num) fixed.Num { return n * n }

// keepsAway reports whether a mob that shoots stands near enough to prey that it sees.
func (mr *mobRules) keepsAway(m *Mob, prey *Player) bool {
	return m.info().Hunts.Shoots != 0 && distance2(m.Body.Pos, prey.Body.Pos) < sq(archerNear) &&
		canStrike(&mr.regionBlocks, m.Body.eyeOf(m.build()), prey.Body.box(&human))
}
