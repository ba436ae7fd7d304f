package bot

import (
	"context"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
)

// watch takes samples of a run each second.
type watch struct {
	run   *run
	start time.Time
	last  time.Time
	was   totals
	trips []time.Duration // of the measured time
	keep  bool            // measuring has begun
}

// totals are the sums over all bots.
type totals struct {
	client.Counts
	made uint64
}

func newWatch(r *run) *watch {
	now := time.Now()
	return &watch{run: r, start: now, last: now}
}

// pause waits, for at most a second, and takes a sample if one is due.
func (w *watch) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(min(d, time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	if now := time.Now(); now.Sub(w.last) >= time.Second {
		w.sample(now)
	}
}

// slot waits for a free slot, taking samples; false if ctx ends before.
func (w *watch) slot(ctx context.Context, slots chan<- struct{}) bool {
	for ctx.Err() == nil {
		select {
		case slots <- struct{}{}:
			return true
		default:
			w.pause(ctx, 10*time.Millisecond)
		}
	}
	return false
}

func (w *watch) bots() []*bot {
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	return slices.Clone(w.run.bots)
}

func (w *watch) totals() (t totals, trips []time.Duration) {
	for _, b := range w.bots() {
		c := b.Counts()
		t.Bytes += c.Bytes
		t.Frames += c.Frames
		t.Moves += c.Moves
		t.Corrections += c.Corrections
		t.made += b.moves.Load()
		trips = append(trips, b.Trips()...)
	}
	return t, trips
}

func (w *watch) sample(now time.Time) {
	t, trips := w.totals()
	if w.keep {
		w.trips = append(w.trips, trips...)
	}
	seconds := now.Sub(w.last).Seconds()
	rate := func(now, before uint64) float64 { return float64(now-before) / seconds }
	p := Progress{
		Elapsed: now.Sub(w.start), RoundTrip: quantilesOf(trips).P50,
		Frames: rate(t.Frames, w.was.Frames), Moves: rate(t.Moves, w.was.Moves), Bytes: rate(t.Bytes, w.was.Bytes),
	}
	w.run.count(func(s *Summary) {
		p.Joined, p.Failed, p.Waiting, p.Edits, p.Houses = s.Players-s.Lost, s.Failed+s.Lost, s.Waiting, s.Edits, s.Houses
	})
	w.last, w.was = now, t
	if w.run.cfg.Progress != nil {
		w.run.cfg.Progress(p)
	}
}

// settleTime is how long bots are given after the last has come in, before
// anything counts.
const settleTime = 3 * time.Second

// measure waits for the run's end and fills in the summary.
func (w *watch) measure(ctx context.Context) {
	if w.run.cfg.Duration > 0 {
		w.until(ctx, time.Now().Add(min(settleTime, w.run.cfg.Duration/4)))
	}
	w.measuring(true)
	begin := time.Now()
	from, _ := w.totals()
	for _, b := range w.bots() {
		b.LongestGap() // forgets those before
	}
	w.keep = true
	w.until(ctx, begin.Add(w.run.cfg.Duration))
	to, trips := w.totals()
	took := time.Since(begin)
	w.measuring(false)
	var gaps []time.Duration
	n := 0
	for _, b := range w.bots() {
		gaps = append(gaps, b.LongestGap())
		n++
	}
	w.run.count(func(s *Summary) {
		s.Duration = took
		each := float64(max(1, n)) * took.Seconds()
		s.FrameRate = float64(to.Frames-from.Frames) / each
		s.ByteRate = float64(to.Bytes-from.Bytes) / each
		s.MovesMade, s.MovesGot = to.made-from.made, to.Moves-from.Moves
		s.MovesDue = s.MovesMade * uint64(max(0, s.Players-s.Lost))
		if s.MovesDue > 0 {
			s.Delivered = float64(s.MovesGot) / float64(s.MovesDue)
		}
		s.DeliveryHz = float64(s.MovesGot) / took.Seconds()
		s.Corrected = to.Corrections - from.Corrections
		s.RoundTrip = quantilesOf(append(w.trips, trips...))
		s.LongestGap = quantilesOf(gaps)
	})
}

func (w *watch) measuring(on bool) {
	if w.run.cfg.Measuring != nil {
		w.run.cfg.Measuring(on)
	}
}

// until takes samples until a time, or until ctx ends; without a duration only
// that.
func (w *watch) until(ctx context.Context, end time.Time) {
	for ctx.Err() == nil && (w.run.cfg.Duration == 0 || time.Now().Before(end)) {
		d := time.Second
		if w.run.cfg.Duration > 0 {
			d = time.Until(end)
		}
		w.pause(ctx, d)
	}
}
