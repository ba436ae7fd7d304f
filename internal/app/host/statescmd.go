package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Time that an operator's chat waits for an answer, at most.
const (
	statesTime  = 4 * time.Second
	restoreTime = 6 * time.Second
)

// statesUsage is the answer to a /states that is not understood.
const statesUsage = "Usage: /states list <x> <z> | aside | show [<x> <z>] <name> | restore [<x> <z>] <name>"

// states lists the earlier states of the region at a place that nodes keep, or all that
// nodes have put aside; shows what one of them would change, or has its region put back to
// it. What was put aside is found without the place.
func (c operatorCommands) states(args []string) string {
	list, name := len(args) > 0 && (args[0] == "list" || args[0] == "aside"), ""
	if !list {
		if len(args) < 2 || args[0] != "show" && args[0] != "restore" {
			return statesUsage
		}
		name = args[len(args)-1]
		args = args[:len(args)-1]
	}
	if len(args) != 1 && len(args) != 3 || list && (args[0] == "list") != (len(args) == 3) {
		return statesUsage
	}
	search, where := c.node().Aside, "put aside"
	if len(args) == 3 {
		at, ok := regionOf(args[1], args[2])
		if !ok {
			return statesUsage
		}
		search, where = func(then func([]copies.HeldState)) { c.node().States(at, then) }, fmt.Sprintf("of %v", at)
	}
	found, err := await(c.onLoop, statesTime, search)
	switch i := slices.IndexFunc(found, func(s copies.HeldState) bool { return s.Name() == name }); {
	case err != nil:
		return "The states could not be found: " + err.Error() + "."
	case len(found) == 0:
		return "Nobody keeps a state " + where + ". Nodes tell the founder's node alone."
	case list:
		return describeStates(found)
	case i < 0:
		return fmt.Sprintf("No node that answers keeps a state %q %s. /states list or /states aside lists the names.", name, where)
	default:
		return c.restoreState(found[i], args[0] == "show")
	}
}

// regionOf is the region at a place.
func regionOf(x, z string) (world.RegionPos, bool) {
	atX, errX := strconv.ParseInt(x, 10, 32)
	atZ, errZ := strconv.ParseInt(z, 10, 32)
	at := world.Pos{X: int32(atX), Z: int32(atZ)}.Region()
	return at, errX == nil && errZ == nil && (shards.Shard{Region: at}).InWorld()
}

// describeStates lists states, the newest first.
func describeStates(list []copies.HeldState) string {
	var lines []string
	for _, s := range list {
		at := s.Region.Column(0).Origin()
		line := fmt.Sprintf("%s: %s, %d bytes, at node %s, region of %d %d", s.Name(), stateTime(s), s.Bytes, s.Holder.ID.Short(), at.X, at.Z)
		switch {
		case s.Aside:
			line += ", put aside there"
		case s.Changes:
			line += ", changes that were not merged"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func stateTime(s copies.HeldState) string {
	return time.Unix(0, int64(s.At)).UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// restoreState has a region put back, or (show) tells what that would change.
func (c operatorCommands) restoreState(s copies.HeldState, show bool) string {
	m, err := await(c.onLoop, restoreTime, func(then func(copies.StateRestored)) { c.node().RestoreState(s, show, then) })
	switch {
	case errors.Is(err, errLate) && show:
		return "The region's host is still fetching the state. Try again in a moment."
	case errors.Is(err, errLate):
		return "The region's host is fetching the state. It has a minute; its log says how it ended."
	case err != nil:
		return "The region was not restored: " + err.Error() + "."
	case m.Failed:
		return "The region was not restored: its host does not lead it any more, or the state could not be fetched. Try again."
	case m.Changed+m.Kept == 0:
		return "The region has all blocks as they are there."
	case show:
		return fmt.Sprintf("%d blocks differ, between %d %d %d and %d %d %d. With restore they become as they are there.",
			m.Changed, m.Low.X, m.Low.Y, m.Low.Z, m.High.X, m.High.Y, m.High.Z)
	}
	text := fmt.Sprintf("%d blocks are as they were at %s.", m.Changed, stateTime(s))
	if m.Kept > 0 {
		text += fmt.Sprintf(" %d were changed meanwhile and stay.", m.Kept)
	}
	return text
}

// errLate: the node has not answered yet.
var errLate = errors.New("it takes longer")

// await asks the node, which answers later, and waits for its answer.
func await[T any](onLoop func(do func() error) error, most time.Duration, ask func(then func(T))) (out T, err error) {
	answer := make(chan T, 1)
	err = onLoop(func() error {
		ask(func(v T) { answer <- v })
		return nil
	})
	if err != nil {
		return out, err
	}
	select {
	case out = <-answer:
		return out, nil
	case <-time.After(most):
		return out, errLate
	}
}
