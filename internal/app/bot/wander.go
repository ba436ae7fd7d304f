package bot

import "github.com/voxelpopuli/voxelpopuli/internal/game/world"

// wanderer walks about within sight of where it came in.
type wanderer struct {
	home world.Vec
	yaw  uint16
	left int // steps until it makes up its mind again
	rest bool
}

// roam is how far a wanderer goes, in metres.
const roam = 80

func (w *wanderer) think(b *bot) world.Input {
	body := b.Body()
	if w.left--; w.left <= 0 {
		w.left = 20 + b.rng.Intn(100)
		w.rest = b.rng.OneIn(5)
		w.yaw = uint16(b.rng.Uint64())
		if flat(body.Pos, w.home) > roam {
			w.yaw, w.rest = towards(body.Pos, w.home), false
		}
	}
	return walk(b, &body, w.yaw, !w.rest)
}

// walk goes into a direction: over steps, out of water.
func walk(b *bot, body *world.Body, yaw uint16, forward bool) world.Input {
	in := world.Input{Yaw: yaw}
	if forward {
		in.Buttons = world.ButtonForward
	}
	if body.InWater || forward && body.Blocked && body.OnGround {
		in.Buttons |= world.ButtonJump
	}
	if b.Self().Dead {
		respawn(b)
	}
	return in
}
