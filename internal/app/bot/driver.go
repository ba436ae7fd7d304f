package bot

import (
	"context"
	"sync"
	"time"
)

const (
	// stepTime is the time of a body step.
	stepTime = 50 * time.Millisecond
	// slots spreads the bots of a driver over a step's time.
	slots = 10
)

// driver steps its bots twenty times a second, spread evenly: one goroutine for
// many, because waking one for each step would cost more than the step.
type driver struct {
	run *run

	mu   sync.Mutex
	bots []*bot
}

func (d *driver) add(b *bot) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bots = append(d.bots, b)
}

func (d *driver) drive(ctx context.Context) {
	const part = stepTime / slots
	tick := time.NewTicker(part)
	defer tick.Stop()
	next := time.Now()
	for slot := 0; ; slot = (slot + 1) % slots {
		// A driver that was kept waiting catches up, but not for longer than a
		// person's client would.
		if next = next.Add(part); time.Since(next) > time.Second {
			next = time.Now()
		}
		for time.Until(next) > 0 {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		d.mu.Lock()
		bots := d.bots
		d.mu.Unlock()
		lost := false
		for i := slot; i < len(bots); i += slots {
			lost = bots[i].stepOrLose() || lost
		}
		if lost {
			d.bury()
		}
	}
}

// stepOrLose steps a bot; true if it is gone.
func (b *bot) stepOrLose() bool {
	err := b.step()
	if err == nil {
		return false
	}
	if why := b.ended(); why != nil {
		err = why // the node's reason rather than the broken pipe after it
	}
	b.run.failed(err)
	b.run.count(func(s *Summary) { s.Lost++ })
	b.lost = true
	return true
}

// bury lets go of bots that are gone.
func (d *driver) bury() {
	d.mu.Lock()
	defer d.mu.Unlock()
	var alive []*bot
	for _, b := range d.bots {
		if !b.lost {
			alive = append(alive, b)
		}
	}
	d.bots = alive
}
