package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// MobKind is a kind of mob, numbered as on the wire (0 is a player).
type MobKind uint8

// The kinds of mob.
const (
	Sheep   MobKind = iota + 1 // grazes, flees
	Stalker                    // hunts at night, burns by day
	mobKinds
)

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

	Handle uint32 // see Area; not part of a save
}

// mobInfo is what is the same for all mobs of a kind.
type mobInfo struct {
	build  build
	health uint8
	sight  int // perception range in metres
	blow   int // what its blow takes
	drops  []Stack
}

// mobTable is indexed by MobKind. Mobs walk, and run with ButtonSprint.
var mobTable = [mobKinds]mobInfo{
	Sheep: {
		build: build{
			half: 1640, height: 5325, sneakHeight: 5325, eye: 4500, sneakEye: 4500, // 0.8 m × 1.3 m
			walk: 266, sprint: 778, swim: 300, // 1.3 m/s, 3.8 m/s
		},
		health: 8, drops: []Stack{{WhiteWool, 2}, {RawMutton, 2}},
	},
	Stalker: {
		build: build{
			half: 1228, height: 7782, sneakHeight: 7782, eye: 6963, sneakEye: 6963, // 0.6 m × 1.9 m
			walk: 348, sprint: 840, swim: 350, // 1.7 m/s, 4.1 m/s: slower than who walks away
		},
		health: 16, sight: 24, blow: 3, drops: []Stack{{CoalOre, 1}},
	},
}

func (m *Mob) info() *mobInfo { return &mobTable[m.Kind] }
func (m *Mob) build() *build  { return &mobTable[m.Kind].build }

// NewMob returns a healthy mob at a place (the middle of its feet).
func NewMob(entity uint64, kind MobKind, at Vec) *Mob {
	m := &Mob{Entity: entity | mobBit, Kind: kind, Health: mobTable[kind].health, Home: at.Block()}
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
	for _, g := range mr.changes.Gone { // also those killed by a player's blow
		mr.RemoveMob(g.Mob.Entity)
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
	fell := step(&mr.regionBlocks, &m.Body, mr.steer(m), Survival, m.build())
	if fell > safeFall*fixed.One && !underWater(&mr.regionBlocks, m.Body.Pos) {
		mr.hurtMob(m, int((fell-safeFall*fixed.One)>>fixed.Shift))
	}
	if m.Kind == Stalker && (mr.tick+m.Entity)%20 == 0 {
		mr.dayHurts(m)
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

// dayHurts burns a stalker under the open sky, and lets one that hides vanish
// when nobody is near.
func (mr *mobRules) dayHurts(m *Mob) {
	if mr.night() {
		return
	}
	if mr.openSky(m.Body.Pos.Block()) && !m.Body.InWater {
		mr.hurtMob(m, 2)
		return
	}
	if mr.nearestPlayer(m.Body.Pos, 32, anyone) == nil {
		mr.changes.Gone = append(mr.changes.Gone, MobGone{Mob: m})
		m.Health = 0
	}
}

func anyone(*Player) bool { return true }

// openSky reports whether nothing is above a place.
func (rb *regionBlocks) openSky(p Pos) bool {
	if !rb.owns(p) {
		return false
	}
	c := rb.columns[p.Column().Index()]
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

// strikeMob is a player's blow.
func (mr *mobRules) strikeMob(m *Mob, by *Player) {
	if mr.tick < m.NextHurt {
		return
	}
	m.NextHurt = mr.tick + hurtPause
	throw(&m.Body, by.Body.Pos)
	m.stop()
	m.Think = mr.tick + 4
	if m.Kind == Sheep {
		m.Flees, m.Scare = mr.tick+fleeTime, by.Body.Pos
	} else {
		m.Target = by.Entity
	}
	mr.hurtMob(m, hitHurts)
	if m.Health == 0 && isSurvivor(by) {
		for _, drop := range m.info().drops {
			mr.give(by, drop.Block, int(drop.Count))
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
