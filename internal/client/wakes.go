package client

import (
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
)

// A region that somebody looks at wakes, and is hosted by several nodes: that is
// what a player can make others work with. Who walks or flies comes to one or two
// new ones in a second, who is brought somewhere to a hundred at once at the widest
// view. What is beyond that waits, so that nobody fills the nodes' memory by going
// about faster than anybody can.

const (
	wakeAtOnce    = 256
	wakePerSecond = 4
	// maxBudgets bounds the players whose budgets are remembered. Those that are full
	// again need not be.
	maxBudgets = 4096
)

// wakes are the budgets of players, which last longer than their sessions.
type wakes struct {
	mu  sync.Mutex
	now func() time.Time
	of  map[id.ID]*budget
}

type budget struct {
	left float64
	at   time.Time
}

func (w *wakes) init() { w.now, w.of = time.Now, map[id.ID]*budget{} }

// may reports whether a player may look at another region now.
func (w *wakes) may(player id.ID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	b := w.of[player]
	if b == nil {
		if len(w.of) >= maxBudgets {
			w.forget(now)
		}
		b = &budget{wakeAtOnce, now}
		w.of[player] = b
	}
	b.fill(now)
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

func (b *budget) fill(now time.Time) {
	b.left = min(wakeAtOnce, b.left+now.Sub(b.at).Seconds()*wakePerSecond)
	b.at = now
}

// forget drops the budgets that are full.
func (w *wakes) forget(now time.Time) {
	for player, b := range w.of {
		if b.fill(now); b.left >= wakeAtOnce {
			delete(w.of, player)
		}
	}
}
