package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Settlers share chests and doors at the edge of their land, on both sides of borders.
// Nobody keeps account of these: they are there for those who replay.
const (
	chestSlot = 4 // of the hot bar
	doorSlot  = 5
	glassSlot = 8 // what is put into chests
)

// hand is what a settler takes into its hot bar, in slots from 0 on.
func hand() []world.Block {
	return append(append([]world.Block{}, settlerBlocks...), world.Chest, world.OakDoor)
}

// common is how often settlers have done what to chests and doors.
type common struct{ placed, stored, turned, broken int }

func (s *common) add(o common) {
	s.placed, s.stored, s.turned, s.broken = s.placed+o.placed, s.stored+o.stored, s.turned+o.turned, s.broken+o.broken
}

// share does something to a chest or a door that everybody may use.
func (w *settler) share() {
	side, z := int32(cornerSize), int32(w.rand.Intn(3)-1)
	slot, kind := chestSlot, world.ActStore
	if w.rand.OneIn(2) {
		side, slot, kind = -cornerSize-1, doorSlot, world.ActOpen
	}
	at := corner.Add(side, 0, z)
	switch k := w.rand.Intn(10); {
	case k == 0:
		w.shared(world.ActDig, w.act(world.ActDig, at, world.FaceUp, 0, 0))
	case k < 3:
		w.shared(world.ActPlace, w.act(world.ActPlace, at.Add(0, -1, 0), world.FaceUp, slot, 0))
	case k == 3:
		w.shared(world.ActPick, w.act(world.ActPick, world.Pos{}, 0, int(world.Glass), glassSlot))
	case kind == world.ActOpen || k == 4:
		w.shared(world.ActOpen, w.act(world.ActOpen, at, 0, 0, 0))
	default:
		from, to := glassSlot, world.ContainerSlots+w.rand.Intn(3)
		if w.rand.OneIn(2) {
			from, to = to, from
		}
		w.shared(kind, w.act(kind, at, 0, from, to))
	}
}

func (w *settler) shared(kind world.ActKind, seq uint32) {
	w.pending[seq] = &wish{shared: kind, at: w.env.Now()}
}

// wasShared counts what was done.
func (w *settler) wasShared(kind world.ActKind, m *region.ActResult) {
	if !m.OK {
		return
	}
	switch kind {
	case world.ActPlace:
		w.common.placed++
	case world.ActStore:
		w.common.stored++
	case world.ActOpen:
		w.common.turned++
	case world.ActDig:
		w.common.broken++
	}
}
