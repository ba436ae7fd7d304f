package world

import (
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Blows. Lengths are in 1/4096 m, times in ticks.
const (
	hitReach  = 4 * fixed.One
	hitEvery  = 8
	hitSlack  = 2
	hitHurts  = 2    // by hand
	hurtPause = 10   // nobody is struck twice within
	knock     = 1434 // 0.35 m/tick away from the blow
	knockUp   = 1434 // and as much upwards
)

// Cause is what hurts, and perhaps kills.
type Cause uint8

// The causes; their numbers travel between nodes.
const (
	ByFall Cause = iota
	ByDrowning
	ByCactus
	byMonster // of nodes that knew only one; today it is ByMob
	ByPlayer
	ByOrder
	ByHunger
	ByShot
	ByFire
	causes
)

// byMob is the cause of the mob that has no number.
const byMob = 64

// ByMob is the blow of a kind of mob.
func ByMob(kind MobKind) Cause { return byMob + Cause(kind) }

// Known reports whether c is a cause.
func (c Cause) Known() bool { return c < causes || c > byMob && MobKind(c-byMob).Known() }

// deathTexts say how a player died: to the player, and after its name to others.
var deathTexts = [causes]struct{ self, others string }{
	ByFall:     {"You fell too far.", "fell too far."},
	ByDrowning: {"You drowned.", "drowned."},
	ByCactus:   {"A cactus pricked you to death.", "was pricked to death by a cactus."},
	byMonster:  {"A monster got you.", "was killed by a monster."},
	ByPlayer:   {"You were struck down.", "was struck down."},
	ByOrder:    {"You died.", "died."},
	ByHunger:   {"You starved.", "starved."},
	ByFire:     {"You burned to death.", "burned to death."},
	ByShot:     {"You were shot.", "was shot."},
}

// News says to others how a player died.
func (c Cause) News(name string) string {
	if c > byMob {
		return name + " was killed by a " + strings.ToLower(mobTable[c-byMob].Title) + "."
	}
	return name + " " + deathTexts[c].others
}

// Tell says to a player how it died.
func (c Cause) Tell() string {
	if c > byMob {
		return "A " + strings.ToLower(mobTable[c-byMob].Title) + " got you."
	}
	return deathTexts[c].self
}

// hurt takes health from a player in survival mode.
func (pr *playerRules) hurt(p *Player, n int, by Cause) {
	if p.Mode != Survival || p.Dead() || n <= 0 {
		return
	}
	n = pr.guard(p, n, by)
	p.Health -= uint8(min(n, int(p.Health)))
	p.NextHeal = pr.tick + healPause
	p.asleep = false
	p.dirty |= dirtySelf | dirtySave
	pr.event(p.Handle, &p.Body, EventHurt)
	if p.Dead() {
		pr.letGo(p)
		if pr.cfg.Drops {
			pr.itemRules.leave(p)
		}
		pr.changes.Notices = append(pr.changes.Notices, Notice{p, "died", by.Tell()})
		pr.changes.Deaths = append(pr.changes.Deaths, Death{p, by})
	}
}

// strike is a blow that also throws the player back. It reports whether it was felt.
func (pr *playerRules) strike(p *Player, from Vec, n int, by Cause) bool {
	if p.Mode != Survival || p.Dead() || p.Frozen || pr.tick < p.NextHurt {
		return false
	}
	p.NextHurt = pr.tick + hurtPause
	throw(&p.Body, from)
	p.dirty |= dirtyChecked
	pr.hurt(p, n, by)
	return true
}

// throw gives a body a push away from a place.
func throw(b *Body, from Vec) {
	d := b.Pos.Sub(from)
	yaw := Angle(d.X, d.Z)
	b.Vel.X += scale(Sine(yaw), knock)
	b.Vel.Z -= scale(Cosine(yaw), knock)
	b.Vel.Y = max(b.Vel.Y, knockUp)
	b.OnGround = false
}

// hit is a player's blow at another player or a mob.
func (pr *playerRules) hit(p *Player, entity uint64) Refusal {
	if p.Mode == Spectator {
		return NotAllowed
	}
	if !pr.rate(&p.NextHit, hitEvery, hitSlack) {
		return Cooldown
	}
	pr.event(p.Handle, &p.Body, EventSwing)
	if m := pr.Mob(entity); m != nil && m.Health > 0 {
		code := pr.reaches(p, m.Body.box(m.build()))
		if code == Done && pr.mobRules.strikeMob(m, p.Body.Pos, blowOf(p), p) {
			pr.wear(p, m.Body.Pos.Block())
		}
		return code
	}
	q := pr.byEntity[entity]
	if q == nil || q == p || q.Dead() || q.Mode == Spectator {
		return NoSuchEntity
	}
	code := pr.reaches(p, q.Body.box(&human))
	switch {
	case code != Done:
		return code
	case pr.cfg.Peace || pr.protected(q.Body.Pos.Block()):
		return NotAllowed
	}
	if pr.strike(q, p.Body.Pos, blowOf(p), ByPlayer) {
		pr.wear(p, q.Body.Pos.Block())
	}
	return Done
}

// blowOf is what a player's blow takes, with what is in its hand.
func blowOf(p *Player) int {
	tool := Info(p.Held()).Tool
	if tool.Kind == pack.Bow {
		return hitHurts
	}
	return max(hitHurts, int(tool.Damage))
}

// reaches reports whether a player's blow can land on a body.
func (pr *playerRules) reaches(p *Player, c box) Refusal {
	if !nearBox(p.Body.Eye(), c, hitReach) {
		return TooFar
	}
	for _, eye := range pr.eyes(p) {
		if canStrike(&pr.regionBlocks, eye, c) {
			return Done
		}
	}
	return NotAllowed
}

// nearBox reports whether a point is within a distance of a box.
func nearBox(v Vec, c box, far fixed.Num) bool {
	x := max(0, c.x0-v.X, v.X-c.x1)
	y := max(0, c.y0-v.Y, v.Y-c.y1)
	z := max(0, c.z0-v.Z, v.Z-c.z1)
	return max(x, y, z) <= far && x*x+y*y+z*z <= far*far
}

func (st *state) event(handle uint32, b *Body, kind EventKind) {
	st.changes.Events = append(st.changes.Events, Event{handle, b.Pos.Block(), kind})
}

// rate reports whether something that is done every so many ticks may be done
// now. The slack is how many ticks early it may come: messages arrive unevenly.
func (c *clock) rate(next *uint64, every, slack uint64) bool {
	if c.tick+slack < *next {
		return false
	}
	*next = max(*next, c.tick) + every
	return true
}
