package traversal

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Limits of signalling (Signal, ReversalRequest), as messages a second in the long run
// and at once. A node that starts asks for a path to each hidden node that it knows.
const (
	signalRate, signalBurst   = 8, 64   // of a node that asks
	addressRate, addressBurst = 16, 128 // of all nodes at an address (of IPv6: a /64)
	targetRate, targetBurst   = 32, 256 // to a hidden node, of all; and what it takes from a helper
	maxSignalAddresses        = 1024
)

// signalling is how much of their limits nodes have used.
type signalling struct {
	asked, told limit.Budget // of one node: what it has had passed on, what it was passed
}

func newSignalling() signalling {
	return signalling{asked: limit.NewBudget(signalRate, signalBurst), told: limit.NewBudget(targetRate, targetBurst)}
}

func newSignalAddresses() limit.Table[limit.Budget] {
	return limit.NewTable(maxSignalAddresses, func() limit.Budget { return limit.NewBudget(addressRate, addressBurst) }, func(*limit.Budget) bool { return false })
}

// wallTime is a machine's time as package limit counts it.
func wallTime(t machine.Time) time.Time { return time.Unix(0, int64(t)) }

// permitSignal reports whether a node may have a message passed on to another. One that
// may not is lost: who has asked tries another helper after a while.
func (se *searches) permitSignal(from, target *remotePeer) bool {
	now := wallTime(se.env.Now())
	address := se.addresses.Of(from.via.Addr.AddrPort().Addr(), now)
	if !from.asked.Has(1, now) || !address.Has(1, now) || !target.told.Has(1, now) {
		return false
	}
	return from.asked.Take(1, now) && address.Take(1, now) && target.told.Take(1, now)
}

// takeSignal reports whether this hidden node looks at one more message that a helper has
// passed on: each may be of a node that the helper has made up.
func (se *searches) takeSignal(helper *remotePeer) bool {
	return helper.told.Take(1, wallTime(se.env.Now()))
}
