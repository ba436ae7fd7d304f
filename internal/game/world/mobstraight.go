package world

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
)

// Mobs that fly or swim go straight, without a path.
const (
	wanderHigh = 2 // blocks that they wander up and down
	hoverLow   = 2 // blocks above the ground
	hoverHigh  = 7
)

// straight reports whether a mob moves in three dimensions.
func (m *Mob) straight() bool {
	moves := m.info().Moves
	return moves == pack.Flies || moves == pack.Swims
}

// inElement brings a goal to where the mob can be: into water, or above the ground.
func (mr *mobRules) inElement(m *Mob, to Pos) Pos {
	if m.info().Moves == pack.Swims {
		if b, _ := mr.Block(to); b.IsWater() {
			return to
		}
		return m.Body.Pos.Block()
	}
	if m.Target != 0 {
		return to.Next(FaceUp) // at the prey's head
	}
	for high := range int32(hoverHigh) {
		if b, ok := mr.Block(to.Add(0, -high, 0)); !ok || b.Solid() || b.IsWater() {
			return to.Add(0, max(0, hoverLow-high), 0)
		}
	}
	return to.Add(0, -hoverLow, 0)
}

// steerStraight turns what a mob that flies or swims wants into buttons.
func (mr *mobRules) steerStraight(m *Mob) Input {
	in := Input{Yaw: m.Body.Yaw}
	if m.info().Moves == pack.Flies {
		in.Buttons |= ButtonFly
	}
	to, ok := mr.heading(m)
	if !ok {
		return in
	}
	d := to.Sub(m.Body.Pos)
	in.Yaw = Angle(d.X, d.Z)
	if d.X.Abs()+d.Z.Abs() > fixed.One/2 && mr.elementAhead(m, in.Yaw) {
		in.Buttons |= ButtonForward | mr.hurry(m)
	}
	switch {
	case d.Y > fixed.One/4 || m.Body.Blocked && m.info().Moves == pack.Flies:
		in.Buttons |= ButtonJump
	case d.Y < -fixed.One/4:
		in.Buttons |= ButtonSneak
	}
	return in
}

// elementAhead reports whether a swimmer stays in water that goes on; those who fly can go
// everywhere.
func (mr *mobRules) elementAhead(m *Mob, yaw uint16) bool {
	if m.info().Moves == pack.Flies || !m.Body.InWater {
		return true
	}
	ahead := m.Body.Pos
	reach := m.build().half + fixed.One/2
	ahead.X += scale(Sine(yaw), reach)
	ahead.Z -= scale(Cosine(yaw), reach)
	b, ok := mr.Block(ahead.Block())
	return ok && b.IsWater()
}
