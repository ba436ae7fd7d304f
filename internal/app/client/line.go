package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

const (
	// atOnce is how many players a node brings into the world at a time. If all of
	// a crowd came at once, all would wait for each other until it is too late.
	atOnce = 32
	// maxLine bounds those who wait for their turn.
	maxLine = 4096
	// tellEvery is how often somebody who waits is told so.
	tellEvery = 2 * time.Second
)

// line lets so many in at a time, in the order in which they come.
type line struct {
	mu      sync.Mutex
	in      int
	waiting []chan struct{} // closed when it is one's turn
}

// enter waits for one's turn, and tells now and then how many are to come first and
// oneself. Whoever got in must leave.
func (l *line) enter(ctx context.Context, tell func(place int)) error {
	l.mu.Lock()
	if l.in < atOnce {
		l.in++
		l.mu.Unlock()
		return nil
	}
	if len(l.waiting) >= maxLine {
		l.mu.Unlock()
		return busy()
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		if place := l.place(turn); place > 0 {
			tell(place)
		}
		select {
		case <-turn:
			return nil
		case <-ctx.Done():
			l.giveUp(turn)
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// place is 1 for who is next, 0 for who may go.
func (l *line) place(turn chan struct{}) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Index(l.waiting, turn) + 1
}

// giveUp leaves the line, or what it led to.
func (l *line) giveUp(turn chan struct{}) {
	l.mu.Lock()
	i := slices.Index(l.waiting, turn)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	l.mu.Unlock()
	if i < 0 {
		l.leave()
	}
}

// leave makes room for the next.
func (l *line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.in--
		return
	}
	close(l.waiting[0])
	l.waiting = slices.Delete(l.waiting, 0, 1)
}

// inLine is what a client is told that waits for its turn.
func inLine(place int) *wire.Notice {
	return &wire.Notice{Code: wire.Busy, Text: fmt.Sprintf("The world is busy: you are number %d in the line.", place)}
}

// busy asks a client to come again, not all at the same time.
func busy() *wire.Refused { return wire.Busy.Refusal(again()) }

// again is after how many seconds a client is to come again.
func again() uint32 { return 3 + rand.Uint32N(6) }

// patiently tries to come in again while what keeps the player out passes by
// itself, and tells what that is.
func patiently(ctx context.Context, tell func(*wire.Notice), try func() error) error {
	for tries := 0; ; tries++ {
		err := try()
		why := (*wire.Refused)(nil)
		if !errors.As(err, &why) || !why.Code.Passes() {
			return err
		}
		tell(&wire.Notice{Code: why.Code, Text: why.Text})
		select {
		case <-time.After(spread(tries)):
		case <-ctx.Done():
			return err
		}
	}
}

// spread is a time that doubles with each try, up to 8 s, more or less.
func spread(tries int) time.Duration {
	d := 500 * time.Millisecond << min(tries, 4)
	return d/2 + rand.N(d)
}
