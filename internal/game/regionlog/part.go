package regionlog

import "github.com/voxelpopuli/voxelpopuli/internal/game/world"

// part is a part of a world that can be replayed: the area of a region, or the lobby's
// register. Recorder, checkpoints, replay and proofs are the same for both.
type part interface {
	// place is what its checkpoints are about, and when: in ticks of the world for a
	// region, in Unix seconds for the register.
	place() place
	// checkpointAfter is when a checkpoint is due after the one of a time.
	checkpointAfter(tick uint64) uint64
	// state returns its state. Without keep it has only the hashes.
	state(keep bool) *State
	// apply runs the events of an entry. What no honest host logs wraps errRule.
	apply(entry []byte) error
	// partName says what a part of the state is.
	partName(i int) string
}

type place struct {
	lobby  bool
	region world.RegionPos
	tick   uint64
}

func (a *Area) place() place { return place{region: a.Pos(), tick: a.Now()} }

// checkpointAfter is a tick in which all who watch are told of all changes, however seldom
// they want to be told (package region): what they are shown is compared with it.
func (a *Area) checkpointAfter(tick uint64) uint64 {
	due := tick + Every
	return due - (due+Turn(a.Pos()))%SlowestRate
}

// loadPart makes the part that a checkpoint is about from its encoded state.
func loadPart(c *Checkpoint, state []byte) (part, error) {
	if c.Lobby {
		return loadRegister(c.World, state)
	}
	a, err := load(state)
	if err != nil {
		return nil, err
	}
	a.world = c.World
	return a, nil
}
