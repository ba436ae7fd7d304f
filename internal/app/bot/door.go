package bot

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// askAgain is after how long a full world is asked again that has not said when.
const askAgain = 10 * time.Second

// full reports whether a bot was not let in because the world is full.
func full(err error) (why *wire.Refused, is bool) {
	return why, errors.As(err, &why) && why.Code == wire.Full
}

// wait lets a bot wait at the door of a full world, behind those who wait already,
// as a browser does. What the others do goes on meanwhile.
func (r *run) wait(ctx context.Context, i int, why *wire.Refused) {
	r.mu.Lock()
	r.outside = append(r.outside, i)
	place := len(r.outside)
	r.sum.Waiting = place
	r.mu.Unlock()
	r.cfg.Log.Info("full: waiting", "bot", r.name(i), "place", place)
	if place == 1 {
		r.door.Go(func() { r.usher(ctx, why) })
	}
}

// usher brings those in who wait: the first of them asks as often as the world wants
// to be asked; when it is in, the next one asks at once.
func (r *run) usher(ctx context.Context, why *wire.Refused) {
	for {
		pause := askAgain
		if why != nil && why.Retry > 0 {
			pause = time.Duration(why.Retry) * time.Second
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		for why = nil; why == nil; {
			err := r.joinOne(ctx, r.next())
			if ctx.Err() != nil {
				return
			}
			var is bool
			if why, is = full(err); is {
				break
			}
			if err != nil {
				r.notIn(err)
			}
			if r.served() == 0 {
				return
			}
		}
	}
}

// next is who waits for longest.
func (r *run) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outside[0]
}

// served lets the first of those who wait go, and says how many are left.
func (r *run) served() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outside = slices.Delete(r.outside, 0, 1)
	r.sum.Waiting = len(r.outside)
	return len(r.outside)
}

// notIn counts a bot that did not come in.
func (r *run) notIn(err error) {
	r.mu.Lock()
	if r.sum.Failed++; r.first == nil {
		r.first = err
	}
	r.mu.Unlock()
	r.failed(err)
}
