package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
)

// Animals that are fed look for a mate, and have young. Times are in ticks.
const (
	fedFor     = 600
	growTime   = 12000 // of young ones
	growFaster = 1200  // for each time that it is fed
	breedPause = 6000
	mateSight  = 8 * fixed.One
	mateNear   = 2 * fixed.One
	maxBred    = 32 // mobs in a region with which none are born
)

// Young reports whether a mob is not grown yet.
func (m *Mob) Young(tick uint64) bool { return tick < m.Grown }

// feed gives a mob what is in a player's hand.
func (pr *playerRules) feed(p *Player, entity uint64) Refusal {
	m := pr.Mob(entity)
	switch {
	case m == nil || m.Health == 0:
		return NoSuchEntity
	case p.Mode == Spectator || !slices.Contains(m.info().Eats, uint16(p.Held())) || p.Held() == Air:
		return NotAllowed
	case m.Young(pr.tick):
	case pr.tick < m.NextFed || len(pr.mobs) >= maxBred:
		return NotAllowed
	}
	if code := pr.reaches(p, m.Body.box(m.build())); code != Done {
		return code
	}
	if !pr.rate(&p.NextHit, hitEvery, hitSlack) {
		return Cooldown
	}
	pr.pay(p, int(p.Selected))
	pr.event(m.Handle, &m.Body, EventEat)
	if m.Young(pr.tick) {
		m.Grown = max(m.Grown, growFaster) - growFaster
		return Done
	}
	m.Fed, m.NextFed, m.Think = pr.tick+fedFor, pr.tick+breedPause, pr.tick
	return Done
}

// mate returns another mob of a kind that looks for one, nil if none is in sight.
func (mr *mobRules) mate(m *Mob) (nearest *Mob) {
	best := mateSight * mateSight
	for _, n := range mr.mobs {
		if d := distance2(n.Body.Pos, m.Body.Pos); n != m && n.Kind == m.Kind && n.Health > 0 && mr.tick < n.Fed && d < best {
			nearest, best = n, d
		}
	}
	return nearest
}

// court lets a mob that was fed walk to its mate, and have young beside it. It reports
// whether it has found one.
func (mr *mobRules) court(m *Mob) bool {
	n := mr.mate(m)
	if n == nil {
		return false
	}
	if distance2(n.Body.Pos, m.Body.Pos) > mateNear*mateNear {
		mr.walkTo(m, n.Body.Pos.Block())
		return true
	}
	m.Fed, n.Fed = 0, 0
	young := mr.bring(m.Kind, m.Body.Pos)
	young.Grown, young.Think = mr.tick+growTime, mr.tick+20
	mr.event(m.Handle, &m.Body, EventCall)
	return true
}
