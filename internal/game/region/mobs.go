package region

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Mobs cross borders with less ceremony than players: one message over, sent
// again until it is answered, and an answer that says whether the mob was taken
// or stays where it came from. The receiver remembers what it has answered for
// as long as it may be asked again, so that a mob comes over once. Nothing of it
// is on the disk: a crash meanwhile may lose a sheep, or double it.

// resendMobAfter is when a mob whose crossing nobody has answered is sent again.
const resendMobAfter = 5 * time.Second

// crossings are the mobs on their way to neighbours, and what was answered to
// neighbours about theirs.
type crossings struct {
	component
	area     *regionlog.Area
	store    *store
	entities *entities

	open     []mobCrossing // by Op
	last     uint64
	answered map[world.RegionPos][]*MobOverDone
}

type mobCrossing struct {
	op  uint64
	to  world.RegionPos
	mob *world.Mob
}

// send gives a mob that has crossed the border to the neighbour.
func (c *crossings) send(m *world.Mob, tick uint64) {
	to := m.Body.Pos.Block().Region()
	if to == c.cfg.Pos || !inWorld(to) {
		return
	}
	c.area.RemoveMob(m.Entity)
	c.entities.gone(m.Handle, m.Entity, frame.WentElsewhere)
	c.last = max(c.last+1, tick<<8)
	c.open = append(c.open, mobCrossing{c.last, to, m})
	c.resend(func(x mobCrossing) bool { return x.op == c.last })
	c.after(resendMobAfter, machine.Timer{Kind: timerMob, Arg: c.last})
}

// resend sends what has not been answered: one mob, or all for a region.
func (c *crossings) resend(which func(mobCrossing) bool) (any bool) {
	for _, x := range c.open {
		if which(x) {
			any = true
			c.env.Send(PeerOf(x.to), &MobOver{State: x.mob.AppendBinary(nil), Op: x.op, Oldest: c.open[0].op})
		}
	}
	return any
}

func (c *crossings) onTimer(t machine.Timer) {
	if c.resend(func(x mobCrossing) bool { return x.op == t.Arg }) {
		c.after(resendMobAfter, t)
	}
}

// onMobOver takes a mob from a neighbour, or says that it will not; ready says that
// the world here moves. False: the message makes no sense.
func (c *crossings) onMobOver(from machine.Peer, m *MobOver, ready bool) bool {
	pos, ok := RegionOf(from)
	mob, err := world.DecodeMob(m.State)
	if !ok || err != nil || !adjacent(pos, c.cfg.Pos) {
		c.stats.Refused++
		return false
	}
	if c.answered == nil {
		c.answered = map[world.RegionPos][]*MobOverDone{}
	}
	list := slices.DeleteFunc(c.answered[pos], func(d *MobOverDone) bool { return d.Op < m.Oldest })
	i := slices.IndexFunc(list, func(d *MobOverDone) bool { return d.Op == m.Op })
	switch {
	case m.Op < m.Oldest: // is settled
	case i >= 0:
		c.env.Send(from, list[i])
	case c.area.Mob(mob.Entity) != nil: // taken by the one who led this region before
		c.env.Send(from, &MobOverDone{Op: m.Op})
	default:
		done := &MobOverDone{Op: m.Op, Back: !ready || distanceTo(c.cfg.Pos, mob.Body.Pos) > slack || len(list) >= maxNeighbourEdits}
		if !done.Back {
			c.area.AddMob(mob)
		}
		if len(list) < maxNeighbourEdits {
			list = append(list, done)
		}
		c.env.Send(from, done)
	}
	c.answered[pos] = list
	return true
}

// onMobOverDone settles a crossing; false: it has been answered before.
func (c *crossings) onMobOverDone(from machine.Peer, m *MobOverDone) bool {
	pos, ok := RegionOf(from)
	i := slices.IndexFunc(c.open, func(x mobCrossing) bool { return x.op == m.Op && x.to == pos })
	if !ok || i < 0 {
		return false
	}
	mob := c.open[i].mob
	c.open = slices.Delete(c.open, i, i+1)
	if m.Back {
		c.keep(mob)
	}
	return true
}

// keep puts a mob that nobody took inside of the border.
func (c *crossings) keep(mob *world.Mob) {
	keepInside(c.cfg.Pos, &mob.Body)
	mob.Steps, mob.At = 0, 0
	c.area.AddMob(mob)
	c.store.unsaved = true
}
