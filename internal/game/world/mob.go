package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// MobKind is a kind of mob, numbered as on the wire (0 is a player): its place in the
// packs plus one. The constants, of those of the base pack, are generated with those of blocks.
type MobKind uint8

// mobBit is set in the entities of mobs and not in those of players.
const mobBit = 1 << 47

// Mob is an animal or a monster.
type Mob struct {
	Entity uint64 // bit 47 is set
	Kind   MobKind
	Body   Body
	Health uint8
	Home   Pos // it wanders around it

	Target uint64 // entity of the player it hunts, 0 for none
	Scare  Vec    // what it flees from
	Path   [pathKeep]Pos
	Steps  uint8 // of Path
	At     uint8 // the step that it is making

	// Ticks:
	Think    uint64 // when it makes up its mind again
	Flees    uint64 // until when
	NextHit  uint64
	NextHurt uint64
	Fed      uint64 // until when it looks for a mate
	Grown    uint64 // it is young until then
	NextFed  uint64 // when it can be fed again

	Handle  uint32 // see Area; not part of a save
	Burning bool   // was found burning last, see upkeep; not part of a save
}

// mobInfo is what is the same for all mobs of a kind: its entry in the content.
type mobInfo struct {
	pack.Mob
	build build
	drops []Stack
	into  MobKind // what it splits into
}

// mobTable is indexed by MobKind. Mobs walk, and run with ButtonSprint.
var mobTable = buildMobs(pack.Base())

func buildMobs(c *pack.Content) (t [pack.MaxMobs + 1]mobInfo) {
	for i, m := range c.Mobs {
		in := mobInfo{Mob: m, build: buildOf(&m), into: MobKind(m.Splits.Into)}
		for _, d := range m.Drops {
			in.drops = append(in.drops, Stack{Block(d.Kind), d.Count})
		}
		t[i+1] = in
	}
	return t
}

// buildOf is the body of a kind of mob. Its eyes are at seven eighths of its height.
func buildOf(m *pack.Mob) build {
	return build{
		half: m.Half, height: m.Height, sneakHeight: m.Height, eye: m.Height * 7 / 8, sneakEye: m.Height * 7 / 8,
		walk: m.Walk, sprint: m.Run, swim: max(m.Walk, swimLeast), fly: m.Walk, flyFast: m.Run, rise: m.Walk,
		climbs: m.Moves == pack.Climbs,
	}
}

// swimLeast is how fast even the slowest swims: 1.5 m/s.
const swimLeast = 307

// Known reports whether there is such a kind of mob.
func (k MobKind) Known() bool { return int(k) < len(mobTable) && mobTable[k].Name != "" }

func (m *Mob) info() *mobInfo { return &mobTable[m.Kind] }
func (m *Mob) build() *build  { return &mobTable[m.Kind].build }

// NewMob returns a healthy mob at a place (the middle of its feet).
func NewMob(entity uint64, kind MobKind, at Vec) *Mob {
	m := &Mob{Entity: entity | mobBit, Kind: kind, Health: mobTable[kind].Health, Home: at.Block()}
	m.Body.Pos = at
	return m
}

// The length of a day in ticks (20 minutes), and when the night begins and ends:
// 0 is sunrise, half of the day is sunset.
const (
	DayLength = 24000
	nightFrom = 12600
	nightTo   = 23400
)

// apart is the push between mobs that overlap, for each tick: 0.03 m/tick.
const apart = 123

// TimeOfDay returns the ticks since sunrise.
func (c *clock) TimeOfDay() int64 {
	t := (int64(c.tick) + c.offset) % DayLength
	return (t + DayLength) % DayLength
}

func (c *clock) night() bool {
	t := c.TimeOfDay()
	return t >= nightFrom && t < nightTo
}

// tickMobs is a tick of all mobs.
func (mr *mobRules) tickMobs() {
	mr.paths.left = pathBudget
	for _, m := range mr.mobs {
		mr.tickMob(m)
	}
	mr.spawn()
	mr.bury()
}

// bury takes the dead out of the region, also those that a player has killed between two
// ticks. What they split into comes in their place.
func (mr *mobRules) bury() {
	var dead []*Mob
	for _, m := range mr.mobs {
		if m.Health == 0 {
			dead = append(dead, m)
		}
	}
	for _, m := range dead {
		mr.RemoveMob(m.Entity)
		vanished := slices.ContainsFunc(mr.changes.Gone, func(g MobGone) bool { return g.Mob == m && !g.Died })
		for range m.info().Splits.Count {
			if !vanished {
				mr.bring(m.info().into, m.Body.Pos)
			}
		}
	}
}

// tickMob lets a mob think, moves it and counts what hurts it.
func (mr *mobRules) tickMob(m *Mob) {
	if m.Health == 0 {
		return // died by a blow in this tick
	}
	at := m.Body.Pos.Block()
	if _, ok := mr.Block(at); !ok {
		return
	}
	mr.think(m)
	mr.keepApart(m)
	mode := Survival
	if m.info().Moves == pack.Flies {
		mode = Creative // the one that flies
	}
	fell := step(&mr.regionBlocks, &m.Body, mr.steer(m), mode, m.build())
	if fell > safeFall*fixed.One && m.info().Moves != pack.Climbs && !underWater(&mr.regionBlocks, m.Body.Pos) {
		mr.hurtMob(m, int((fell-safeFall*fixed.One)>>fixed.Shift))
	}
	if (mr.tick+m.Entity)%20 == 0 {
		mr.upkeep(m)
	}
	if m.Health > 0 && mr.outsideBy(m.Body.Pos, fixed.One) {
		mr.changes.MobLeavers = append(mr.changes.MobLeavers, m)
	}
}

// keepApart pushes a mob gently away from others that it stands in. There are
// few in a region.
func (mr *mobRules) keepApart(m *Mob) {
	for _, n := range mr.mobs {
		d := m.Body.Pos.Sub(n.Body.Pos)
		near := m.build().half + n.build().half
		if n == m || d.Y.Abs() > fixed.One || d.X*d.X+d.Z*d.Z >= near*near {
			continue
		}
		yaw := Angle(d.X, d.Z)
		if d.X == 0 && d.Z == 0 {
			yaw = uint16(m.Entity)
		}
		m.Body.Vel.X += scale(Sine(yaw), apart)
		m.Body.Vel.Z -= scale(Cosine(yaw), apart)
	}
}

// upkeep is what happens to a mob by itself, once a second: what lives in water suffers on
// land, some burn by day, and monsters vanish when nobody is near.
func (mr *mobRules) upkeep(m *Mob) {
	in := m.info()
	byDay := in.Burns && !mr.night() && !m.Body.InWater && mr.openSky(m.Body.Pos.Block()) && !mr.rainsOn(m.Body.Pos.Block())
	m.Burning = byDay || mr.heat(&m.Body) > 0
	switch {
	case mr.heat(&m.Body) > 0:
		mr.hurtMob(m, 2*mr.heat(&m.Body))
	case in.Moves == pack.Swims && !m.Body.InWater:
		mr.hurtMob(m, 1)
	case byDay:
		mr.hurtMob(m, 2)
	case in.Monster() && mr.nearestPlayer(m.Body.Pos, mr.lastsWithin(in), anyone) == nil:
		mr.changes.Gone = append(mr.changes.Gone, MobGone{Mob: m})
		m.Health = 0
	}
}

// lastsWithin is how near somebody must be, in metres, for a monster to stay.
func (mr *mobRules) lastsWithin(in *mobInfo) int {
	if mr.isTime(in.Hunts.When) {
		return vanishFar
	}
	return vanishIdle
}

// isTime reports whether it is a time of day.
func (c *clock) isTime(when pack.When) bool {
	switch when {
	case pack.ByDay:
		return !c.night()
	case pack.ByNight:
		return c.night()
	}
	return when == pack.Always
}

func anyone(*Player) bool { return true }

// openSky reports whether nothing is above a place.
func (rb *regionBlocks) openSky(p Pos) bool {
	if !rb.owns(p) {
		return false
	}
	c := rb.Column(p.Column().Index())
	return c != nil && c.Top(int(p.X&(ChunkSize-1)), int(p.Z&(ChunkSize-1))) <= int(p.Y)
}

// hurtMob takes health from a mob.
func (mr *mobRules) hurtMob(m *Mob, n int) {
	if m.Health == 0 || n <= 0 {
		return
	}
	m.Health -= uint8(min(n, int(m.Health)))
	mr.event(m.Handle, &m.Body, EventHurt)
	if m.Health == 0 {
		mr.changes.Gone = append(mr.changes.Gone, MobGone{Mob: m, Died: true})
	}
}

// strikeMob is a player's blow or shot, from a place; the player may be gone (nil). It
// reports whether it was felt.
func (mr *mobRules) strikeMob(m *Mob, from Vec, n int, by *Player) bool {
	if mr.tick < m.NextHurt {
		return false
	}
	m.NextHurt = mr.tick + hurtPause
	throw(&m.Body, from)
	if by != nil {
		mr.alarm(m, by)
	}
	mr.hurtMob(m, n)
	if m.Health == 0 && by != nil && isSurvivor(by) && !m.Young(mr.tick) {
		for _, drop := range m.info().drops {
			mr.give(by, drop.Block, int(drop.Count))
		}
	}
	return true
}

// alarm lets a mob that a player strikes, and its herd, flee or turn on the player.
func (mr *mobRules) alarm(m *Mob, by *Player) {
	far := fixed.Int(int(m.info().Herd))
	for _, n := range mr.mobs {
		if n != m && (n.Kind != m.Kind || far == 0 || distance2(n.Body.Pos, m.Body.Pos) > far*far) {
			continue
		}
		n.stop()
		n.Think = mr.tick + 4
		if n.info().Hunts.Sight > 0 {
			n.Target = by.Entity
		} else {
			n.Flees, n.Scare = mr.tick+fleeTime, by.Body.Pos
		}
	}
}

// MobDrops are the blocks that dead mobs leave.
func MobDrops() (out []Block) {
	for i := range mobTable {
		for _, d := range mobTable[i].drops {
			out = append(out, d.Block)
		}
	}
	return out
}
