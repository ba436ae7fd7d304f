package world

// Hunger. What players do costs effort, and so much of it a piece of food. Who has little
// left does not heal; who has none left starves, but not to death.
const (
	effortPerFood = 1200
	walkEffort    = 1 // a tick
	sprintEffort  = 4
	digEffort     = 1
	healEffort    = 600 // a half heart
	healFood      = 8   // with less wounds do not heal
	starveEvery   = 80
	starveTo      = 1 // health
)

// hunger counts what a player does in a tick.
func (pr *playerRules) hunger(p *Player) {
	effort := uint16(0)
	switch moves := p.Body.Vel.X != 0 || p.Body.Vel.Z != 0; {
	case moves && p.Body.Sprinting:
		effort = sprintEffort
	case moves:
		effort = walkEffort
	}
	if p.Dig.Active {
		effort += digEffort
	}
	pr.tire(p, effort)
	if p.Food == 0 && p.Health > starveTo && (pr.tick+p.Entity)%starveEvery == 0 {
		pr.hurt(p, 1, ByHunger)
	}
}

// tire takes food from a player for an effort.
func (pr *playerRules) tire(p *Player, effort uint16) {
	if pr.cfg.Peaceful || p.Food == 0 {
		return
	}
	if p.Effort += effort; p.Effort >= effortPerFood {
		p.Effort -= effortPerFood
		p.Food--
		p.dirty |= dirtySelf | dirtySave
	}
	if p.Food == 0 {
		p.Effort = 0
	}
}
