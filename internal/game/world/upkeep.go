package world

import "github.com/voxelpopuli/voxelpopuli/internal/core/fixed"

// What happens to players by itself.
const (
	safeFall   = 3 // metres
	healEvery  = 80
	healPause  = 120 // ticks after being hurt
	drownEvery = 20
	drownHurts = 2
	stingEvery = 10 // ticks between two looks for a cactus
	breathBack = 5  // ticks of air regained in a tick
	airShown   = 15 // the client hears of every so many ticks of air
)

// move steps a player's body, goes on with its dig, and lets a hard landing hurt.
func (pr *playerRules) move(p *Player, in Input) {
	if p.Arriving && !pr.arrive(p) {
		return
	}
	if p.Dead() {
		in.Buttons = 0
	}
	fell := Step(&pr.regionBlocks, &p.Body, in, p.Mode)
	if fell > safeFall*fixed.One && p.Mode == Survival && !underWater(&pr.regionBlocks, p.Body.Pos) {
		pr.hurt(p, int((fell-safeFall*fixed.One+fixed.One/2)>>fixed.Shift), ByFall)
	}
	pr.keepDigging(p)
}

// arrive finds room for a player whom somebody else has put here: the first free
// place from there upwards. It reports false until the place is loaded.
func (pr *playerRules) arrive(p *Player) bool {
	at := p.Body.Pos.Block()
	if _, ok := pr.Block(at); !ok || at.Region() != pr.pos {
		return false
	}
	if pr.missesBed(p) {
		return false
	}
	p.Arriving = false
	p.dirty |= dirtyMoved
	if p.Mode == Spectator {
		return true
	}
	if pr.atSpawn(p) {
		if at, ok := pr.spawnPlace(); ok {
			p.Body.Pos = at
			return true
		}
	}
	for stand := p.Body.Pos; stand.Y < ceiling; stand.Y = fixed.Int(int(stand.Y.Floor()) + 1) {
		if !solidIn(&pr.regionBlocks, boxAt(stand, human.half, human.height)) {
			p.Body.Pos = stand
			break
		}
	}
	return true
}

// keep is what happens to a player in each tick, whatever it does.
func (pr *playerRules) keep(p *Player) {
	if pr.tick >= p.LastInput+silentFor {
		p.Buttons = 0
		pr.move(p, Input{Yaw: p.Body.Yaw, Pitch: p.Body.Pitch})
	} else if p.Arriving {
		pr.arrive(p)
	}
	pr.rest(p)
	if p.Dead() {
		return
	}
	pr.breathe(p)
	if p.Mode != Survival {
		return
	}
	if (pr.tick+p.Entity)%stingEvery == 0 && pr.touchesCactus(&p.Body) {
		pr.hurt(p, 1, ByCactus)
	}
	pr.burn(p)
	pr.hunger(p)
	if p.Health < MaxHealth && pr.tick >= p.NextHeal && p.Food >= healFood {
		p.Health++
		p.NextHeal = pr.tick + healEvery
		pr.tire(p, healEffort)
		p.dirty |= dirtySelf | dirtySave
	}
}

// breathe counts air under water.
func (pr *playerRules) breathe(p *Player) {
	was := p.Air
	switch {
	case p.Mode != Survival || !p.Body.InWater || !underWater(&pr.regionBlocks, p.Body.Eye()):
		p.Air = min(p.Air+breathBack, MaxAir)
	case p.Air > 0:
		p.Air--
	case pr.tick%drownEvery == 0:
		pr.hurt(p, drownHurts, ByDrowning)
	}
	if p.Air != was && (p.Air%airShown == 0 || p.Air < breathBack) {
		p.dirty |= dirtySelf
	}
}

// touchesCactus reports whether a body is within 1/16 m of a cactus.
func (rb *regionBlocks) touchesCactus(b *Body) bool {
	c := b.box(&human)
	const near = fixed.One / 16
	for y := c.y0.Floor(); y <= c.y1.Floor(); y++ {
		for z := (c.z0 - near).Floor(); z <= (c.z1 + near).Floor(); z++ {
			for x := (c.x0 - near).Floor(); x <= (c.x1 + near).Floor(); x++ {
				if b, _ := rb.Block(Pos{x, y, z}); b == Cactus {
					return true
				}
			}
		}
	}
	return false
}
