package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/rng"

// Fire that spreads. A flammable block beside fire or lava becomes fire after a while, and fire
// becomes air. Like fluids it pulls: a block looks at its neighbours and changes only itself, so
// that it goes over the border of a region. Each fire reaches a block less far than the one that
// lit it, so that nothing burns farther than eight blocks from lava, whatever stands there.
const (
	fireFull    = 8   // of what lava has lit
	fireLeast   = 100 // ticks that a fire burns, at least
	fireSpread  = 100 // and by how many the places differ
	catchBudget = 4   // blocks that catch fire in one tick of a region
)

// SetFire says whether flammable blocks burn in this world.
func (st *state) SetFire(on bool) { st.noFire = !on }

// Fire reports whether they do.
func (st *state) Fire() bool { return !st.noFire }

// fireOf returns the fire from which fire spreads so many blocks less one.
func fireOf(level int) Block { return Flames + Block(fireFull-level) }

// heatOf is one more than how far fire spreads from what a block lights.
func heatOf(b Block) int {
	if b.IsLava() {
		return fireFull + 1
	}
	return int(Info(b).Fire)
}

// heated is the most heat beside a place; 0: nothing there catches fire.
func (rb *regionBlocks) heated(p Pos) (most int) {
	for f := range faceCount {
		b, _ := rb.Block(p.Next(f))
		most = max(most, heatOf(b)-1)
	}
	return most
}

// fireDelay is how long a fire burns; water may come before.
func (s *blockSchedule) fireDelay(p Pos, b Block) uint64 {
	burns := fireLeast + s.dice(p)%fireSpread
	if now, flows := s.blocks.flowsInto(p, b); now != b {
		return min(burns, flows)
	}
	return burns
}

// catchDelay is how long a block resists the fire beside it.
func (s *blockSchedule) catchDelay(p Pos, b Block) uint64 {
	n := uint64(Info(b).Flammable)
	return 1 + n/2 + s.dice(p)%n
}

func (s *blockSchedule) dice(p Pos) uint64 {
	return rng.Hash(s.seed, uint64(uint32(p.X)), uint64(uint32(p.Y)), uint64(uint32(p.Z)), s.clock.tick)
}

// burnOut ends a fire.
func (br *blockRules) burnOut(p Pos, b Block) {
	now, _ := br.flowsInto(p, b)
	if now == b {
		now = Air
	}
	br.set(p, now)
}

// catchFire lets a block burn that has been beside fire for long enough. In the rain, beside
// water and when enough has caught fire in this tick it waits.
func (br *blockRules) catchFire(p Pos) {
	if br.noFire || br.cfg.Static || br.protected(p) {
		return
	}
	level := br.heatFor(p)
	switch {
	case level == 0:
	case br.caught >= catchBudget || br.touchesWater(p) || br.rainsOn(p.Next(FaceUp)):
		br.schedule(p)
	default:
		br.caught++
		br.set(p, fireOf(level))
	}
}

// heatFor is heated without what may not light a block: on land that somebody owns only fire and
// sources of lava on land of the same owner do. Lava that flows there comes from outside perhaps.
func (br *blockRules) heatFor(p Pos) (most int) {
	own := br.LandAt(p)
	for f := range faceCount {
		q := p.Next(f)
		b, _ := br.Block(q)
		if own != nil {
			if there := br.LandAt(q); there == nil || there.Owner != own.Owner || b.IsLava() && b != Lava {
				continue
			}
		}
		most = max(most, heatOf(b)-1)
	}
	return most
}
