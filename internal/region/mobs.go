package region

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Mobs cross borders with less ceremony than players: one message over, sent
// again until it is answered, and an answer that says whether the mob was taken
// or stays where it came from. The receiver remembers what it has answered for
// as long as it may be asked again, so that a mob comes over once. Nothing of it
// is on the disk: a crash meanwhile may lose a sheep, or double it.

// askMobAgain is when a mob whose crossing nobody has answered is sent again.
const askMobAgain = 5 * time.Second

// crossings are the mobs on their way to neighbours, and what was answered to
// neighbours about theirs.
type crossings struct {
	open     []mobCrossing // by Op
	last     uint64
	answered map[world.RegionPos][]*MobOverDone
}

type mobCrossing struct {
	op  uint64
	to  world.RegionPos
	mob *world.Mob
}

// sendMob gives a mob that has crossed the border to the neighbour.
func (r *Region) sendMob(m *world.Mob) {
	to := m.Body.Pos.Block().Region()
	if to == r.cfg.Pos || !inWorld(to) {
		return
	}
	r.area.RemoveMob(m.Entity)
	r.entities.gone(m.Handle, m.Entity, frame.WentElsewhere)
	r.mobs.last = max(r.mobs.last+1, r.tick<<8)
	r.mobs.open = append(r.mobs.open, mobCrossing{r.mobs.last, to, m})
	r.sendMobs(func(c mobCrossing) bool { return c.op == r.mobs.last })
	r.env.SetTimer(r.env.Now().Add(askMobAgain), machine.Timer{Kind: timerMob, Arg: r.mobs.last})
}

// sendMobs sends what has not been answered: one mob, or all for a region.
func (r *Region) sendMobs(which func(mobCrossing) bool) (any bool) {
	for _, c := range r.mobs.open {
		if which(c) {
			any = true
			r.env.Send(PeerOf(c.to), &MobOver{State: c.mob.AppendBinary(nil), Op: c.op, Oldest: r.mobs.open[0].op})
		}
	}
	return any
}

func (r *Region) onMobTimer(t machine.Timer) {
	if r.sendMobs(func(c mobCrossing) bool { return c.op == t.Arg }) {
		r.env.SetTimer(r.env.Now().Add(askMobAgain), t)
	}
}

// onMobOver takes a mob from a neighbour, or says that it will not.
func (r *Region) onMobOver(from machine.Peer, m *MobOver) {
	pos, ok := RegionOf(from)
	mob, err := world.DecodeMob(m.State)
	if !ok || err != nil || !adjacent(pos, r.cfg.Pos) {
		r.stats.Refused++
		return
	}
	if r.mobs.answered == nil {
		r.mobs.answered = map[world.RegionPos][]*MobOverDone{}
	}
	list := slices.DeleteFunc(r.mobs.answered[pos], func(d *MobOverDone) bool { return d.Op < m.Oldest })
	i := slices.IndexFunc(list, func(d *MobOverDone) bool { return d.Op == m.Op })
	switch {
	case m.Op < m.Oldest: // is settled
	case i >= 0:
		r.env.Send(from, list[i])
	case r.area.Mob(mob.Entity) != nil: // taken by the one who led this region before
		r.env.Send(from, &MobOverDone{Op: m.Op})
	default:
		done := &MobOverDone{Op: m.Op, Back: !r.ticking || r.loaded != allColumns || r.outside(mob.Body.Pos) > slack || len(list) >= maxOps}
		if !done.Back {
			r.area.AddMob(mob)
		}
		if len(list) < maxOps {
			list = append(list, done)
		}
		r.env.Send(from, done)
	}
	r.mobs.answered[pos] = list
	r.rest()
}

// onMobOverDone settles a crossing.
func (r *Region) onMobOverDone(from machine.Peer, m *MobOverDone) {
	pos, ok := RegionOf(from)
	i := slices.IndexFunc(r.mobs.open, func(c mobCrossing) bool { return c.op == m.Op && c.to == pos })
	if !ok || i < 0 {
		return // has been answered before
	}
	mob := r.mobs.open[i].mob
	r.mobs.open = slices.Delete(r.mobs.open, i, i+1)
	if m.Back {
		r.keepMob(mob)
	}
	r.rest()
}

// keepMob puts a mob that nobody took inside of the border.
func (r *Region) keepMob(mob *world.Mob) {
	r.keepInside(&mob.Body)
	mob.Steps, mob.At = 0, 0
	r.area.AddMob(mob)
	r.unsaved = true
}
