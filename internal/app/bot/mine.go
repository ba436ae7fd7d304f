package bot

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// miner digs a staircase down and then tunnels.
type miner struct {
	face  world.Face // the way it digs
	cell  world.Pos  // the one it stands in, or walks to
	left  int        // metres until it turns
	begun bool
	walk  int // steps it has been walking to cell
	pause int // steps until the next act
}

// deep is how far down (y) a staircase leads.
const deep = 30

var sideways = [4]world.Face{world.FaceNorth, world.FaceEast, world.FaceSouth, world.FaceWest}

func (m *miner) think(b *bot) world.Input {
	body := b.Body()
	here := body.Pos.Block()
	if !m.begun {
		m.begun, m.cell = true, here
		m.turn(b)
	}
	yaw := towards(body.Pos, centreOf(m.cell))
	b.answer()
	if b.act != nil {
		return world.Input{Yaw: yaw}
	}
	if b.Self().Dead {
		respawn(b)
		m.begun = false
		return world.Input{}
	}
	if flat(body.Pos, centreOf(m.cell)) > 0.3 {
		if m.walk++; m.walk > 60 { // something is in the way
			m.walk, m.cell = 0, here
			m.turn(b)
		}
		return walk(b, &body, yaw, true)
	}
	m.walk = 0
	if m.pause--; m.pause > 0 || !body.OnGround && !body.InWater {
		return world.Input{Yaw: yaw}
	}
	m.cell.Y = here.Y // it may have fallen into a cave
	m.dig(b)
	return world.Input{Yaw: yaw}
}

// dig breaks the next block of the way, or goes on if it is free.
func (m *miner) dig(b *bot) {
	ahead := m.cell.Next(m.face)
	todo := []world.Pos{ahead.Add(0, 1, 0), ahead}
	to := ahead
	if m.cell.Y > deep {
		to = ahead.Add(0, -1, 0)
		todo = append(todo, to)
	}
	for _, p := range todo {
		bl, ok := b.block(p)
		switch {
		case !ok || bl.FluidLevel() > 0 || m.wet(b, p):
			m.turn(b)
			return
		case bl == world.Air:
			continue
		}
		if _, can := world.DigTicks(bl, world.Mode(b.Self().Mode), world.Air); !can {
			m.turn(b)
			return
		}
		b.begin(wire.Act{Kind: wire.Dig, X: p.X, Y: p.Y, Z: p.Z, Face: uint8(m.face ^ 1)})
		m.pause = perAct
		return
	}
	if m.left--; m.left <= 0 {
		m.turn(b)
	}
	m.cell = to
	b.run.count(func(s *Summary) { s.Tunnelled++ })
}

// wet reports water next to a block.
func (m *miner) wet(b *bot, p world.Pos) bool {
	for f := range world.Face(6) {
		if bl, _ := b.block(p.Next(f)); bl.FluidLevel() > 0 {
			return true
		}
	}
	return false
}

func (m *miner) turn(b *bot) {
	m.face = sideways[b.rng.Intn(len(sideways))]
	m.left = 5 + b.rng.Intn(20)
}

// centreOf returns the middle of a block's bottom.
func centreOf(p world.Pos) world.Vec {
	v := p.Centre()
	v.Y -= fixed.One / 2
	return v
}
