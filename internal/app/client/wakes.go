package client

import (
	"maps"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// A region that somebody looks at wakes, and is hosted by several nodes: that is
// what a player can make others work with. Who walks or flies comes to one or two
// new ones in a second, who is brought somewhere to a hundred at once at the widest
// view. What is beyond that waits, so that nobody fills the nodes' memory by going
// about faster than anybody can.

const (
	wakeAtOnce    = 256
	wakePerSecond = 4
	// maxBudgets bounds the players whose budgets are remembered.
	maxBudgets = 4096
)

// wakes are the budgets of players, which last longer than their sessions.
type wakes struct {
	mu  sync.Mutex
	now func() time.Time
	of  map[id.ID]*limit.Budget
}

func (w *wakes) init() { w.now, w.of = time.Now, map[id.ID]*limit.Budget{} }

// may reports whether a player may look at another region now.
func (w *wakes) may(player id.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	b := w.of[player]
	if b == nil {
		if len(w.of) >= maxBudgets { // those that are full again need not be remembered
			maps.DeleteFunc(w.of, func(_ id.ID, b *limit.Budget) bool { return b.Full(now) })
		}
		fresh := limit.NewBudget(wakePerSecond, wakeAtOnce)
		b = &fresh
		w.of[player] = b
	}
	return b.Take(1, now)
}
