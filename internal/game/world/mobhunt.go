package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// How mobs attack. Times are in ticks.
const (
	blowReach   = fixed.One + fixed.One/4 // between the bodies' middles beyond half their widths
	leapNear    = 2 * fixed.One
	leapFar     = 5 * fixed.One
	leapEvery   = 40
	leapFaster  = 2                         // than it runs
	burstReach  = 4 * fixed.One             // of harm
	burstStarts = fixed.One * 2             // how near it must come
	burstEnds   = 3*fixed.One + fixed.One/2 // and how far its prey must get for it to calm down
)

// hunt looks for prey when it is time, or for who has struck the mob, and finds the way
// to it. It reports whether there is any.
func (mr *mobRules) hunt(m *Mob) bool {
	prey := mr.byEntity[m.Target]
	in := m.info()
	far := fixed.Int(int(in.Hunts.Sight))
	if prey == nil || !isSurvivor(prey) || distance2(prey.Body.Pos, m.Body.Pos) > 2*far*far {
		m.Target, prey = 0, nil
		if mr.isTime(in.Hunts.When) && !mr.cfg.Peaceful {
			prey = mr.nearestPlayer(m.Body.Pos, int(in.Hunts.Sight), isSurvivor)
		}
		if prey == nil {
			return false
		}
		m.Target = prey.Entity
		mr.event(m.Handle, &m.Body, EventCall)
	}
	if mr.keepsAway(m, prey) {
		m.stop()
		return true
	}
	mr.walkTo(m, prey.Body.Pos.Block())
	return true
}

// attack strikes the prey if it is in reach, leaps at it, or bursts beside it.
func (mr *mobRules) attack(m *Mob) {
	prey := mr.byEntity[m.Target]
	if prey == nil || !isSurvivor(prey) {
		return
	}
	in := m.info()
	switch {
	case in.Hunts.Bursts > 0:
		mr.burst(m, prey)
		return
	case in.Hunts.Shoots != 0:
		mr.shootAt(m, prey)
		return
	}
	if in.Hunts.Leaps {
		mr.leap(m, prey)
	}
	if mr.tick >= m.NextHit && mr.canBite(m, prey, m.build().half+human.half+blowReach) {
		m.NextHit = mr.tick + uint64(in.Hunts.Every)
		mr.event(m.Handle, &m.Body, EventSwing)
		mr.playerRules.strike(prey, m.Body.Pos, int(in.Hunts.Damage), ByMob(m.Kind))
	}
}

// canBite reports whether a player is within a distance, sideways, with nothing between.
func (mr *mobRules) canBite(m *Mob, prey *Player, far fixed.Num) bool {
	d := prey.Body.Pos.Sub(m.Body.Pos)
	return d.Y.Abs() <= 2*fixed.One && d.X*d.X+d.Z*d.Z <= far*far &&
		canStrike(&mr.regionBlocks, m.Body.eyeOf(m.build()), prey.Body.box(&human))
}

// leap throws a mob at prey that is some steps away.
func (mr *mobRules) leap(m *Mob, prey *Player) {
	d := prey.Body.Pos.Sub(m.Body.Pos)
	flat := d.X*d.X + d.Z*d.Z
	if !m.Body.OnGround || (mr.tick+m.Entity)%leapEvery != 0 || flat < leapNear*leapNear || flat > leapFar*leapFar || d.Y.Abs() > 2*fixed.One {
		return
	}
	yaw, fast := Angle(d.X, d.Z), leapFaster*m.build().sprint
	m.Body.Vel = Vec{X: scale(Sine(yaw), fast), Y: jumpSpeed, Z: -scale(Cosine(yaw), fast)}
	m.Body.OnGround = false
}

// burst begins to hiss beside the prey, and hurts everybody around some time later,
// unless the prey has got away. NextHit is when.
func (mr *mobRules) burst(m *Mob, prey *Player) {
	in := m.info()
	switch {
	case m.NextHit == 0:
		if mr.canBite(m, prey, burstStarts) {
			m.NextHit = mr.tick + uint64(in.Hunts.Bursts)
			mr.event(m.Handle, &m.Body, EventCall)
		}
	case !mr.canBite(m, prey, burstEnds):
		m.NextHit = 0
	case mr.tick >= m.NextHit:
		mr.event(m.Handle, &m.Body, EventSwing)
		for _, p := range mr.players {
			if isSurvivor(p) && mr.canBite(m, p, burstReach) {
				mr.playerRules.strike(p, m.Body.Pos, burstHurts(in.Hunts.Damage, distance2(p.Body.Pos, m.Body.Pos)), ByMob(m.Kind))
			}
		}
		mr.hurtMob(m, int(m.Health))
	}
}

// burstHurts is how much a burst takes at a squared distance: all of it beside it, half of
// it beyond two metres.
func burstHurts(damage uint8, d fixed.Num) int {
	if d > 4*fixed.One*fixed.One {
		return int(damage+1) / 2
	}
	return int(damage)
}
