package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Time that an operator's chat waits for an answer, at most.
const (
	statesTime  = 4 * time.Second
	restoreTime = 6 * time.Second
)

// statesUsage is the answer to a /states that is not understood.
const statesUsage = "Usage: /states list <x> <z> | aside | show <x> <z> <name> | restore <x> <z> <name>"

// states lists the earlier states of the region at a place that nodes keep, or all that
// nodes have put aside; shows what one of them would change, or has the region put back to
// it.
func (h *Host) states(args []string) string {
	if len(args) == 1 && args[0] == "aside" {
		list, err := await(h, statesTime, h.node.Aside)
		switch {
		case err != nil:
			return "What was put aside could not be found: " + err.Error() + "."
		case len(list) == 0:
			return "Nobody has put anything aside. Nodes tell the founder's node alone."
		}
		return describeStates(list)
	}
	if len(args) < 3 || len(args) > 4 || (args[0] == "list") != (len(args) == 3) || args[0] != "restore" && args[0] != "list" && args[0] != "show" {
		return statesUsage
	}
	x, errX := strconv.ParseInt(args[1], 10, 32)
	z, errZ := strconv.ParseInt(args[2], 10, 32)
	at := world.Pos{X: int32(x), Z: int32(z)}.Region()
	if errX != nil || errZ != nil || !(shards.Shard{Region: at}).InWorld() {
		return statesUsage
	}
	list, err := await(h, statesTime, func(then func([]node.HeldState)) { h.node.States(at, then) })
	switch {
	case err != nil:
		return "The states could not be found: " + err.Error() + "."
	case len(list) == 0:
		return fmt.Sprintf("Nobody keeps an earlier state of region %v. Nodes tell the founder's node alone.", at)
	case args[0] == "list":
		return describeStates(list)
	}
	i := slices.IndexFunc(list, func(s node.HeldState) bool { return s.Name() == args[3] })
	if i < 0 {
		return fmt.Sprintf("No node that answers keeps a state %q of region %v. The names are in /states list %d %d.", args[3], at, x, z)
	}
	return h.restoreState(list[i], args[0] == "show")
}

// describeStates lists states, the newest first.
func describeStates(list []node.HeldState) string {
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

func stateTime(s node.HeldState) string {
	return time.Unix(0, int64(s.At)).UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// restoreState has a region put back, or (show) tells what that would change.
func (h *Host) restoreState(s node.HeldState, show bool) string {
	m, err := await(h, restoreTime, func(then func(node.StateRestored)) { h.node.RestoreState(s, show, then) })
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
		return fmt.Sprintf("%d blocks differ, between %d %d %d and %d %d %d. /states restore makes them as they are there.",
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
func await[T any](h *Host, most time.Duration, ask func(then func(T))) (out T, err error) {
	answer := make(chan T, 1)
	err = h.onLoop(func() error {
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
