package bot

import (
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// crowd walks to and fro in a circle where all the others are, without a pause.
type crowd struct {
	centre world.Vec
	radius float64
	to     world.Vec
	left   int // steps until it gives up on to
}

func newCrowd(b *bot, centre world.Vec) *crowd {
	radius := float64(b.run.cfg.Radius)
	if radius <= 0 {
		radius = max(6, math.Sqrt(1.5*float64(b.run.cfg.Players)/math.Pi))
	}
	return &crowd{centre: centre, radius: radius}
}

func (c *crowd) think(b *bot) world.Input {
	body := b.Body()
	if c.left--; c.left <= 0 || flat(body.Pos, c.to) < 0.7 {
		c.left = 60
		c.to = c.somewhere(b)
	}
	return walk(b, &body, towards(body.Pos, c.to), true)
}

// somewhere returns a place in the circle, each as likely as any other.
func (c *crowd) somewhere(b *bot) world.Vec {
	angle, r := 2*math.Pi*b.rng.Float64(), c.radius*math.Sqrt(b.rng.Float64())
	to := c.centre
	to.X += fixed.Num(r * math.Cos(angle) * float64(fixed.One))
	to.Z += fixed.Num(r * math.Sin(angle) * float64(fixed.One))
	return to
}

// respawn comes back to life.
func respawn(b *bot) {
	b.begin(wire.Act{Kind: wire.Respawn})
	b.answer()
}
