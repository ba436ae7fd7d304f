package client

import (
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

const (
	// newPlayers is how many players who were never in the world may come from one
	// address (IPv6: a /64) at once, and in an hour after that. A key costs nothing:
	// without a bound one machine takes names, and is back after each ban.
	newPlayers = 20
	newPeriod  = time.Hour
	// maxOrigins bounds the addresses that are remembered.
	maxOrigins = 1 << 14
)

// newcomers limits new players by the address that they come from. It is safe for
// concurrent use.
type newcomers struct {
	mu   sync.Mutex
	from limit.Table[limit.Budget]
}

func newNewcomers() *newcomers {
	fresh := func() limit.Budget { return limit.NewBudget(newPlayers/newPeriod.Seconds(), newPlayers) }
	return &newcomers{from: limit.NewTable(maxOrigins, fresh, func(*limit.Budget) bool { return false })}
}

// reserve counts a player of an address as a new one until it is known whether it
// is; it reports false if only players who are known may come from there now.
// Players without an address are on this machine.
func (n *newcomers) reserve(a netip.Addr, now time.Time) bool {
	if !a.IsValid() {
		return true
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.from.Of(a, now).Take(1, now)
}

// release takes back a reserve of a player who is known, or was not let in.
func (n *newcomers) release(a netip.Addr, now time.Time) {
	if !a.IsValid() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.from.Of(a, now).Give(1)
}
