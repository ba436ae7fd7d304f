package clock

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/beevik/ntp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// DefaultServers are asked for the time unless told otherwise.
var DefaultServers = []string{"0.pool.ntp.org", "1.pool.ntp.org", "2.pool.ntp.org", "3.pool.ntp.org"}

// Config says whom a Sync asks. Its zero value asks nobody but neighbours.
type Config struct {
	Servers []string      // NTP servers, HOST or HOST:PORT
	Every   time.Duration // between two rounds; 0: 10 minutes
	Timeout time.Duration // for an answer; 0: 2 s
	Log     *slog.Logger  // nil: slog.Default()
}

// Sync keeps a clock right.
type Sync struct {
	clock *Clock
	cfg   Config

	mu         sync.Mutex
	neighbours map[id.ID]sample
}

type sample struct {
	offset time.Duration
	taken  time.Duration // on the monotonic clock
}

const (
	// fewest neighbours that are believed: with three, one may lie.
	fewest = 3
	// fresh is how long what a neighbour said counts, by the monotonic clock.
	fresh = 10 * time.Minute
	// slowest answer of a neighbour that says something about its clock.
	slowest = time.Second
	// again is when to look again after nobody knew the time: neighbours come.
	again = 30 * time.Second
	// most neighbours that are remembered.
	most = 256
)

// ErrUnknown: neither a server nor enough neighbours have told the time.
var ErrUnknown = errors.New("the time is not known: no NTP server answers, and not enough neighbours")

// NewSync returns what keeps a clock right; Run does.
func NewSync(c *Clock, cfg Config) *Sync {
	if cfg.Every <= 0 {
		cfg.Every = 10 * time.Minute
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = 2 * time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Sync{clock: c, cfg: cfg, neighbours: map[id.ID]sample{}}
}

// Neighbour takes what an exchange with another node says about its clock: how
// far it is ahead of ours (its time, less ours in the middle of the exchange),
// and how long the exchange took. An answer that took long says little.
func (s *Sync) Neighbour(who id.ID, ahead, roundTrip time.Duration) {
	if roundTrip < 0 || roundTrip > slowest {
		return
	}
	now := s.clock.sys.mono()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.neighbours[who]; !known && len(s.neighbours) >= most {
		s.forget(now)
		if len(s.neighbours) >= most {
			return
		}
	}
	s.neighbours[who] = sample{ahead, now}
}

func (s *Sync) forget(now time.Duration) {
	for who, x := range s.neighbours {
		if now-x.taken > fresh {
			delete(s.neighbours, who)
		}
	}
}

// Once asks the servers, and counts on the neighbours if none answers. It returns
// what must be added to the clock and whether that is from a server.
func (s *Sync) Once(ctx context.Context) (offset time.Duration, byServer bool, err error) {
	if offsets := s.ask(ctx); len(offsets) > 0 {
		return median(offsets), true, nil
	}
	now := s.clock.sys.mono()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	if len(s.neighbours) < fewest {
		return 0, false, ErrUnknown
	}
	var all []time.Duration
	for _, x := range s.neighbours {
		all = append(all, x.offset)
	}
	return median(all), false, nil
}

// ask asks all servers at once.
func (s *Sync) ask(ctx context.Context) []time.Duration {
	answers := make(chan *ntp.Response, len(s.cfg.Servers))
	for _, server := range s.cfg.Servers {
		go func() {
			r, err := ntp.QueryWithOptions(server, ntp.QueryOptions{
				Timeout:       s.cfg.Timeout,
				GetSystemTime: func() time.Time { return time.Unix(0, int64(s.clock.Now())) },
			})
			if err == nil {
				err = r.Validate()
			}
			if err != nil {
				s.cfg.Log.Debug("no time from the server", "server", server, "error", err)
				r = nil
			}
			answers <- r
		}()
	}
	var out []time.Duration
	for range s.cfg.Servers {
		select {
		case r := <-answers:
			if r != nil {
				out = append(out, r.ClockOffset)
			}
		case <-ctx.Done():
			return out
		}
	}
	return out
}

// median is the middle one: with less than half of them wrong it lies between
// right ones. Of two middle ones it is the one that changes less.
func median(a []time.Duration) time.Duration {
	slices.Sort(a)
	low, high := a[(len(a)-1)/2], a[len(a)/2]
	if low.Abs() <= high.Abs() {
		return low
	}
	return high
}

// Run keeps the clock right until ctx ends: each Every, and whenever the machine
// has woken up.
func (s *Sync) Run(ctx context.Context) {
	t := time.NewTimer(s.cfg.Every)
	defer t.Stop()
	for {
		wait := s.cfg.Every
		switch offset, byServer, err := s.Once(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.cfg.Log.Info("clock", "error", err)
			wait = min(wait, again)
		default:
			s.correct(offset, byServer)
		}
		t.Reset(wait)
		select {
		case <-t.C:
		case <-s.clock.Woken():
			s.cfg.Log.Info("the machine was suspended: the clock was set on")
		case <-ctx.Done():
			return
		}
	}
}

// correct adjusts the clock. What neighbours said is about the clock as it was:
// it is not used twice.
func (s *Sync) correct(offset time.Duration, byServer bool) {
	s.clock.Adjust(offset)
	if !byServer {
		s.mu.Lock()
		clear(s.neighbours)
		s.mu.Unlock()
	}
	level := slog.LevelDebug
	if offset.Abs() > 100*time.Millisecond {
		level = slog.LevelInfo
	}
	s.cfg.Log.Log(context.Background(), level, "clock corrected", "offset", offset, "by server", byServer)
}
