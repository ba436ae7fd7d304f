package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Mobs cross borders with less ceremony than players: one message over, and one
// back if nobody is there for whom the other region ticks. A crash meanwhile
// may lose a sheep.

// sendMob gives a mob that has crossed the border to the neighbour.
func (r *Region) sendMob(m *world.Mob) {
	to := m.Body.Pos.Block().Region()
	if to == r.cfg.Pos || !inWorld(to) {
		return
	}
	r.area.RemoveMob(m.Entity)
	r.entities.gone(m.Handle, m.Entity, frame.WentElsewhere)
	r.env.Send(PeerOf(to), &MobOver{State: m.AppendBinary(nil)})
}

// onMobOver takes a mob from a neighbour, or sends it back.
func (r *Region) onMobOver(from machine.Peer, m *MobOver) {
	_, ok := RegionOf(from)
	mob, err := world.DecodeMob(m.State)
	switch {
	case !ok || err != nil:
		r.stats.Refused++
	case m.Back:
		r.keepMob(mob)
	case !r.ticking || r.loaded != allColumns || r.outside(mob.Body.Pos) > slack:
		r.env.Send(from, &MobOver{State: m.State, Back: true})
	default:
		r.area.AddMob(mob)
	}
	r.rest()
}

// keepMob puts a mob that nobody took inside of the border.
func (r *Region) keepMob(mob *world.Mob) {
	const in = fixed.One
	far := fixed.Int(world.RegionSize) - in
	mob.Body.Pos.X = mob.Body.Pos.X.Clamp(r.entities.x0+in, r.entities.x0+far)
	mob.Body.Pos.Z = mob.Body.Pos.Z.Clamp(r.entities.z0+in, r.entities.z0+far)
	mob.Body.Vel = world.Vec{}
	mob.Steps, mob.At = 0, 0
	r.area.AddMob(mob)
	r.unsaved = true
}
