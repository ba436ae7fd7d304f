package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// What mobs make up their minds to do. Times are in ticks, distances in metres.
const (
	fleeTime    = 120
	fleeFar     = 10
	wanderFar   = 9
	homeFar     = 20 // a mob further from home goes back
	huntEvery   = 12 // between two looks for the way to the prey
	lookEvery   = 10 // between two looks for players to flee from
	closeBy     = 2 * fixed.One
	dropGuarded = 3  // blocks that a mob goes down at most
	vanishFar   = 56 // monsters vanish with nobody within, and by day those of the night
	vanishIdle  = 32
)

// think decides what a mob does next, when its time has come.
func (mr *mobRules) think(m *Mob) {
	in := m.info()
	if in.Hunts.Sight > 0 {
		mr.attack(m)
	}
	if in.Flees > 0 {
		mr.takeFright(m)
	}
	if mr.tick < m.Think || mr.paths.left == 0 {
		return
	}
	r := rng.New(mr.cfg.Seed, m.Entity, mr.tick)
	switch {
	case in.Hunts.Sight > 0 && mr.hunt(m):
		m.Think = mr.tick + huntEvery
	case mr.tick < m.Flees:
		mr.walkTo(m, mr.awayFrom(m, &r))
		m.Think = mr.tick + 15
	case mr.tick < m.Fed && mr.court(m):
		m.Think = mr.tick + 10
	case m.At < m.Steps: // still on its way
		m.Think = mr.tick + 40
		if m.Body.Blocked {
			m.stop()
		}
	case r.OneIn(3) || m.straight():
		mr.walkTo(m, mr.wander(m, &r))
		m.Think = mr.tick + 60 + uint64(r.Intn(120))
	default:
		if in.Grazes {
			mr.graze(m, &r)
		}
		m.Think = mr.tick + 40 + uint64(r.Intn(100))
	}
}

// graze lets a mob eat, or call now and then.
func (mr *mobRules) graze(m *Mob, r *rng.Rand) {
	kind := EventEat
	if r.OneIn(4) {
		kind = EventCall
	}
	m.stop()
	mr.event(m.Handle, &m.Body, kind)
}

// takeFright lets a shy mob, and its herd, flee from who comes too near and does not
// sneak.
func (mr *mobRules) takeFright(m *Mob) {
	if (mr.tick+m.Entity)%lookEvery != 0 || mr.tick < m.Flees {
		return
	}
	upright := func(p *Player) bool { return isSurvivor(p) && !p.Body.Sneaking }
	if p := mr.nearestPlayer(m.Body.Pos, int(m.info().Flees), upright); p != nil {
		mr.alarm(m, p)
	}
}

// wander returns a place near by, or home if that is far.
func (mr *mobRules) wander(m *Mob, r *rng.Rand) Pos {
	at := m.Body.Pos.Block()
	if max(abs32(at.X-m.Home.X), abs32(at.Z-m.Home.Z)) > homeFar {
		return m.Home
	}
	to := at.Add(int32(r.Intn(2*wanderFar+1)-wanderFar), 0, int32(r.Intn(2*wanderFar+1)-wanderFar))
	if m.straight() {
		to.Y += int32(r.Intn(2*wanderHigh+1) - wanderHigh)
	}
	return to
}

// awayFrom returns a place in the direction away from what scares the mob.
func (mr *mobRules) awayFrom(m *Mob, r *rng.Rand) Pos {
	d := m.Body.Pos.Sub(m.Scare)
	yaw := Angle(d.X, d.Z) + uint16(r.Intn(16384)) - 8192
	return m.Body.Pos.Block().Add(
		(Sine(yaw) * fleeFar).Floor(), 0, (-Cosine(yaw) * fleeFar).Floor())
}

func abs32(n int32) int32 { return max(n, -n) }

// walkTo finds a way for the mob. Mobs for which no way is left in this tick do
// not think: they do in the next.
func (mr *mobRules) walkTo(m *Mob, to Pos) {
	m.At = 0
	if m.straight() {
		m.Path[0], m.Steps = mr.inElement(m, to), 1
		return
	}
	m.Steps = uint8(mr.paths.findPath(m.Body.Pos.Block(), to, &m.Path))
}

// stop forgets the way.
func (m *Mob) stop() { m.Steps, m.At = 0, 0 }

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
	if prey := mr.byEntity[m.Target]; prey != nil && m.info().Moves == pack.Climbs {
		return prey.Body.Pos, true // up the wall that has no way round
	}
	return Vec{}, false
}

// safeAhead reports whether the mob can take a step without falling deep. What climbs and
// hunts does not mind.
func (mr *mobRules) safeAhead(m *Mob, yaw uint16) bool {
	if m.info().Moves == pack.Climbs && m.Target != 0 {
		return true
	}
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
		if b.Solid() || b.FluidLevel() > 0 {
			return b != Cactus && !b.IsLava()
		}
		p.Y--
	}
	return false
}

// steer turns what the mob wants into buttons.
func (mr *mobRules) steer(m *Mob) Input {
	if m.straight() {
		return mr.steerStraight(m)
	}
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
	in.Buttons |= ButtonForward | mr.hurry(m)
	up := d.Y > fixed.One/2 && (m.Body.Blocked || d.X*d.X+d.Z*d.Z < closeBy*closeBy/2)
	if up || m.info().Moves == pack.Hops {
		in.Buttons |= ButtonJump
	}
	return in
}

// hurry is the button of a mob that flees or hunts.
func (mr *mobRules) hurry(m *Mob) uint16 {
	if mr.tick < m.Flees || m.Target != 0 {
		return ButtonSprint
	}
	return 0
}
