package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// What mobs make up their minds to do. Times are in ticks, distances in metres.
const (
	fleeTime    = 120
	fleeFar     = 10
	wanderFar   = 9
	homeFar     = 20 // a mob further from home goes back
	huntEvery   = 12 // between two looks for the way to the prey
	blowEvery   = 20
	blowReach   = fixed.One + fixed.One/4 // between the bodies' middles beyond half their widths
	closeBy     = 2 * fixed.One           // goes straight
	dropGuarded = 3                       // blocks that a mob goes down at most
)

// think decides what a mob does next, when its time has come.
func (mr *mobRules) think(m *Mob) {
	if m.Kind == Stalker {
		mr.bite(m)
	}
	if mr.tick < m.Think || mr.paths.left == 0 {
		return
	}
	r := rng.New(mr.cfg.Seed, m.Entity, mr.tick)
	switch {
	case m.Kind == Stalker && mr.hunt(m):
		m.Think = mr.tick + huntEvery
	case mr.tick < m.Flees:
		mr.walkTo(m, mr.awayFrom(m, &r))
		m.Think = mr.tick + 15
	case m.At < m.Steps: // still on its way
		m.Think = mr.tick + 40
		if m.Body.Blocked {
			m.stop()
		}
	case r.OneIn(3):
		mr.walkTo(m, mr.wander(m, &r))
		m.Think = mr.tick + 60 + uint64(r.Intn(120))
	default:
		if m.Kind == Sheep {
			mr.graze(m, &r)
		}
		m.Think = mr.tick + 40 + uint64(r.Intn(100))
	}
}

// graze lets a sheep eat, or call now and then.
func (mr *mobRules) graze(m *Mob, r *rng.Rand) {
	kind := EventEat
	if r.OneIn(4) {
		kind = EventCall
	}
	m.stop()
	mr.event(m.Handle, &m.Body, kind)
}

// wander returns a place near by, or home if that is far.
func (mr *mobRules) wander(m *Mob, r *rng.Rand) Pos {
	at := m.Body.Pos.Block()
	if max(abs32(at.X-m.Home.X), abs32(at.Z-m.Home.Z)) > homeFar {
		return m.Home
	}
	return at.Add(int32(r.Intn(2*wanderFar+1)-wanderFar), 0, int32(r.Intn(2*wanderFar+1)-wanderFar))
}

// awayFrom returns a place in the direction away from what scares the mob.
func (mr *mobRules) awayFrom(m *Mob, r *rng.Rand) Pos {
	d := m.Body.Pos.Sub(m.Scare)
	yaw := Angle(d.X, d.Z) + uint16(r.Intn(16384)) - 8192
	return m.Body.Pos.Block().Add(
		(Sine(yaw) * fleeFar).Floor(), 0, (-Cosine(yaw) * fleeFar).Floor())
}

func abs32(n int32) int32 { return max(n, -n) }

// hunt looks for prey at night, or for who has struck the mob, and finds the way
// to it. It reports whether there is any.
func (mr *mobRules) hunt(m *Mob) bool {
	prey := mr.byEntity[m.Target]
	sight := m.info().sight
	far := fixed.Int(sight)
	if prey == nil || !isSurvivor(prey) || distance2(prey.Body.Pos, m.Body.Pos) > 2*far*far {
		m.Target, prey = 0, nil
		if mr.night() {
			prey = mr.nearestPlayer(m.Body.Pos, sight, isSurvivor)
		}
		if prey == nil {
			return false
		}
		m.Target = prey.Entity
		mr.event(m.Handle, &m.Body, EventCall)
	}
	mr.walkTo(m, prey.Body.Pos.Block())
	return true
}

// bite strikes the prey if it is in reach.
func (mr *mobRules) bite(m *Mob) {
	prey := mr.byEntity[m.Target]
	if prey == nil || mr.tick < m.NextHit || !isSurvivor(prey) {
		return
	}
	d := prey.Body.Pos.Sub(m.Body.Pos)
	far := m.build().half + human.half + blowReach
	if d.Y.Abs() > 2*fixed.One || d.X*d.X+d.Z*d.Z > far*far {
		return
	}
	if !canStrike(&mr.regionBlocks, m.Body.eyeOf(m.build()), prey.Body.box(&human)) {
		return
	}
	m.NextHit = mr.tick + blowEvery
	mr.event(m.Handle, &m.Body, EventSwing)
	mr.playerRules.strike(prey, m.Body.Pos, m.info().blow, ByStalker)
}

// walkTo finds a way for the mob. Mobs for which no way is left in this tick do
// not think: they do in the next.
func (mr *mobRules) walkTo(m *Mob, to Pos) {
	m.At = 0
	m.Steps = uint8(mr.paths.findPath(m.Body.Pos.Block(), to, &m.Path))
}

// stop forgets the way.
func (m *Mob) stop() { m.Steps, m.At = 0, 0 }

// steer turns what the mob wants into buttons.
func (mr *mobRules) steer(m *Mob) Input {
	in := Input{Yaw: m.Body.Yaw}
	if m.Body.InWater {
		in.Buttons |= ButtonJump
	}
	to, ok := mr.heading(m)
	if !ok {
		return in
	}
	d := to.Sub(m.Body.Pos)
	in.Yaw = Angle(d.X, d.Z)
	if !mr.safeAhead(m, in.Yaw) {
		m.stop()
		return in
	}
	in.Buttons |= ButtonForward
	if mr.tick < m.Flees || m.Target != 0 {
		in.Buttons |= ButtonSprint
	}
	if d.Y > fixed.One/2 && (m.Body.Blocked || d.X*d.X+d.Z*d.Z < closeBy*closeBy/2) {
		in.Buttons |= ButtonJump
	}
	return in
}

// heading returns where the mob walks now: straight to prey that is close by,
// or the next step of its path.
func (mr *mobRules) heading(m *Mob) (to Vec, ok bool) {
	if prey := mr.byEntity[m.Target]; prey != nil && m.Target != 0 {
		d := prey.Body.Pos.Sub(m.Body.Pos)
		if d.Y.Abs() < fixed.One+fixed.One/2 && d.X.Abs() < closeBy && d.Z.Abs() < closeBy {
			far := m.build().half + human.half
			return prey.Body.Pos, d.X*d.X+d.Z*d.Z > far*far
		}
	}
	for m.At < m.Steps {
		to = m.Path[m.At].Centre()
		to.Y -= fixed.One / 2
		d := to.Sub(m.Body.Pos)
		if d.X.Abs()+d.Z.Abs() > fixed.One/2 || d.Y.Abs() > fixed.One+fixed.One/4 {
			return to, true
		}
		m.At++
	}
	return Vec{}, false
}

// safeAhead reports whether the mob can take a step without falling deep.
func (mr *mobRules) safeAhead(m *Mob, yaw uint16) bool {
	ahead := m.Body.Pos
	reach := m.build().half + fixed.One/4
	ahead.X += scale(Sine(yaw), reach)
	ahead.Z -= scale(Cosine(yaw), reach)
	p := ahead.Block()
	for range dropGuarded + 2 {
		b, ok := mr.Block(p)
		if !ok {
			return false
		}
		if b.Solid() || b.IsWater() {
			return b != Cactus
		}
		p.Y--
	}
	return false
}
