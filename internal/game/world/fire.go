package world

// Fire on bodies. Who is in lava or fire burns, and goes on burning for a while; water and rain put it out. Times are
// in ticks.
const (
	heatEvery = 10  // between two looks for lava and fire
	fireLasts = 100 // after it
	fireEvery = 20
	fireHurts = 1
)

// heat is the health that the block at a body's feet takes.
func (rb *regionBlocks) heat(b *Body) int {
	at, _ := rb.Block(b.Pos.Block())
	return int(Info(at).Burns)
}

// burn lets lava and fire hurt a player.
func (pr *playerRules) burn(p *Player) {
	if (pr.tick+p.Entity)%heatEvery == 0 {
		if n := pr.heat(&p.Body); n > 0 {
			p.Fire = fireLasts
			pr.hurt(p, n, ByFire)
			return
		}
	}
	if p.Fire == 0 {
		return
	}
	p.Fire--
	switch at, _ := pr.Block(p.Body.Pos.Block()); {
	case at.IsWater() || p.Dead() || pr.rainsOn(p.Body.Pos.Block()):
		p.Fire = 0
	case p.Fire%fireEvery == 0 && pr.heat(&p.Body) == 0:
		pr.hurt(p, fireHurts, ByFire)
	}
}
