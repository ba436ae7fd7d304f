package host

import (
	"errors"
	"fmt"
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
const statesUsage = "Usage: /states list <x> <z> | restore <x> <z> <number>"

// states lists the earlier states of the region at a place that nodes keep, or has the
// region put back to one of them.
func (h *Host) states(args []string) string {
	if len(args) < 3 || len(args) > 4 || (args[0] == "restore") != (len(args) == 4) || args[0] != "restore" && args[0] != "list" {
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
	n, err := strconv.Atoi(args[3])
	if err != nil || n < 1 || n > len(list) {
		return fmt.Sprintf("There are states 1 to %d: /states list %d %d.", len(list), x, z)
	}
	return h.restoreState(at, list[n-1])
}

// describeStates lists states, the newest first.
func describeStates(list []node.HeldState) string {
	var lines []string
	for i, s := range list {
		line := fmt.Sprintf("%d: %s, %d bytes, at node %s", i+1, stateTime(s), s.Bytes, s.Holder.ID.Short())
		if s.Aside {
			line += ", put aside there"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func stateTime(s node.HeldState) string {
	return time.Unix(0, int64(s.At)).UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// restoreState has a region put back.
func (h *Host) restoreState(at world.RegionPos, s node.HeldState) string {
	m, err := await(h, restoreTime, func(then func(node.StateRestored)) { h.node.RestoreState(at, s, then) })
	switch {
	case errors.Is(err, errLate):
		return "The region's host is fetching the state. It has a minute; its log says how it ended."
	case err != nil:
		return "The region was not restored: " + err.Error() + "."
	case m.Failed:
		return "The region was not restored: its host does not lead it any more, or the state could not be fetched. Try again."
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
