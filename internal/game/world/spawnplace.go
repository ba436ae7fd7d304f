package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// Where players stand who come to the spawn: after death, and by /spawn. Players dig
// there and build there; nobody should come back into a pit, into water or under
// ground.
const (
	spawnSearch = 8  // blocks from the spawn, along x and z
	spawnSteps  = 6  // blocks above and below the spawn's height
	wayOut      = 5  // blocks that one must be able to walk away from a place
	climb       = 1  // blocks that a jump gains
	drop        = 3  // blocks that one may fall without harm
	maxVisited  = 96 // places looked at to find a way out
	maxTries    = 48 // places tried: who respawns again and again costs little
)

// atSpawn reports whether a player was put at the spawn.
func (pr *playerRules) atSpawn(p *Player) bool { return p.Body.Pos == SpawnFeet(pr.spawn) }

// SetSpawn says where players come back to life; what is protected moves with it.
func (st *state) SetSpawn(at Pos) { st.spawn = at }

// Spawn is where players come back to life.
func (st *state) Spawn() Pos { return st.spawn }

// spawnDistance is how far a place is from a spawn, along x and z.
func spawnDistance(at, spawn Pos) int32 { return max(abs32(at.X-spawn.X), abs32(at.Z-spawn.Z)) }

// SpawnFeet is the middle of the bottom of the spawn's block.
func SpawnFeet(spawn Pos) Vec {
	at := spawn.Centre()
	at.Y = fixed.Int(int(spawn.Y))
	return at
}

// spawnPlace returns the place nearest to the spawn where one can stand and walk
// away from; ok is false if there is none.
func (pr *playerRules) spawnPlace() (at Vec, ok bool) {
	tries := 0
	for ring := int32(0); ring <= spawnSearch; ring++ {
		for dz := -ring; dz <= ring; dz++ {
			for dx := -ring; dx <= ring; dx++ {
				if max(abs32(dx), abs32(dz)) != ring {
					continue // looked at with a ring before
				}
				p, ok := pr.standNear(pr.spawn.Add(dx, 0, dz))
				if !ok {
					continue
				}
				if pr.leadsAway(p) {
					return SpawnFeet(p), true
				}
				if tries++; tries == maxTries {
					return Vec{}, false
				}
			}
		}
	}
	return Vec{}, false
}

// standNear returns the place above or below p where one can stand that is nearest
// in height.
func (rb *regionBlocks) standNear(p Pos) (Pos, bool) {
	for dy := int32(0); dy <= spawnSteps; dy++ {
		for _, q := range [2]Pos{p.Add(0, dy, 0), p.Add(0, -dy, 0)} {
			if rb.standable(q) {
				return q, true
			}
		}
	}
	return Pos{}, false
}

// standable reports whether a player can stand in the block p, dry and unharmed.
func (rb *regionBlocks) standable(p Pos) bool {
	if p.Region() != rb.pos || !p.InWorld() {
		return false
	}
	under, ok := rb.Block(p.Add(0, -1, 0))
	return ok && under.Solid() && under != Cactus && rb.roomy(p) && rb.roomy(p.Add(0, 1, 0))
}

// roomy reports whether a body can be in the block p.
func (rb *regionBlocks) roomy(p Pos) bool {
	b, ok := rb.Block(p)
	return ok && !b.Solid() && b.FluidLevel() == 0
}

// leadsAway reports whether one can walk some blocks away from a place: it is no pit
// and no locked room.
func (rb *regionBlocks) leadsAway(from Pos) bool {
	seen := map[Pos]bool{from: true}
	queue := []Pos{from}
	for len(queue) > 0 && len(seen) < maxVisited {
		p := queue[0]
		queue = queue[1:]
		if max(abs32(p.X-from.X), abs32(p.Z-from.Z)) >= wayOut {
			return true
		}
		for _, d := range [4]Pos{{X: 1}, {X: -1}, {Z: 1}, {Z: -1}} {
			if q, ok := rb.reachBeside(p, p.Add(d.X, 0, d.Z)); ok && !seen[q] {
				seen[q] = true
				queue = append(queue, q)
			}
		}
	}
	return false
}

// reachBeside is where one stands who walks from p to beside it: as high as a jump, or
// some blocks lower.
func (rb *regionBlocks) reachBeside(p, beside Pos) (Pos, bool) {
	for dy := int32(climb); dy >= -drop; dy-- {
		q := beside.Add(0, dy, 0)
		if rb.standable(q) {
			return q, dy <= 0 || rb.roomy(p.Add(0, 2, 0))
		}
		if dy <= 0 && !rb.roomy(q) {
			return Pos{}, false // a wall
		}
	}
	return Pos{}, false
}
