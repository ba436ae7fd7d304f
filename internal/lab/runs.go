package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"
)

// A simulated run is a value: what is simulated and a seed go in, a result comes
// out, the same every time. So many of them can be done side by side, and what
// is done need not be done again.
type simulated[R any] interface {
	// Name tells the run from all others; its result is kept in a file of it.
	Name() string
	Do(ctx context.Context) (R, error)
}

// ErrElsewhere is a run that is another's to do (Options.Mine) and not on the shelf.
var ErrElsewhere = errors.New("some runs are done elsewhere")

// ReportAll does all runs and reports on their results.
func ReportAll[S simulated[R], R any](t *Trial, runs []S, report func(*Trial, []S, []R) error) error {
	results, err := DoAll(t, runs)
	if err != nil {
		return err
	}
	return report(t, runs, results)
}

// DoAll does runs on all cores and returns their results in the order of the
// runs, whichever is done first. With a shelf the results are kept there, and those
// that the very same program has left there are not calculated again: an experiment
// that was interrupted goes on.
func DoAll[S simulated[R], R any](t *Trial, runs []S) ([]R, error) {
	ctx, cancel := context.WithCancelCause(t.Context)
	defer cancel(nil)
	results := make([]R, len(runs))
	next, done, elsewhere := make(chan int), 0, 0
	var lock sync.Mutex
	var all sync.WaitGroup
	for range min(max(t.Workers, 1), len(runs)) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range next {
				begin := time.Now()
				within := withProgress(ctx, func(share float64, took time.Duration) {
					lock.Lock()
					t.Logf("%s: %.0f %% after %v", runs[i].Name(), 100*share, took.Round(time.Second))
					lock.Unlock()
				})
				found, err := t.shelf.do(ctx, runs[i].Name(), &results[i], func() (err error) {
					if t.mine != nil && !t.mine(runs[i].Name()) {
						return ErrElsewhere
					}
					leave, err := t.enter(ctx)
					if err != nil {
						return err
					}
					defer leave()
					begin = time.Now()
					results[i], err = runs[i].Do(within)
					return err
				})
				lock.Lock()
				switch {
				case errors.Is(err, ErrElsewhere):
					elsewhere++
				case err != nil:
					cancel(fmt.Errorf("%s: %w", runs[i].Name(), err))
				case found:
					done++
					t.Logf("%d of %d: %s (kept from before)", done, len(runs), runs[i].Name())
				default:
					done++
					t.Logf("%d of %d: %s (%v)", done, len(runs), runs[i].Name(), time.Since(begin).Round(100*time.Millisecond))
				}
				lock.Unlock()
			}
		}()
	}
	for i := range runs {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return results, err
	}
	if elsewhere > 0 {
		return results, fmt.Errorf("%d of %d: %w", elsewhere, len(runs), ErrElsewhere)
	}
	return results, nil
}

// enter waits for room for one run.
func (t *Trial) enter(ctx context.Context) (leave func(), err error) {
	if t.room == nil {
		return func() {}, nil
	}
	return t.room(ctx)
}

// workers is how many runs go on at a time if nobody says.
func workers() int { return runtime.GOMAXPROCS(0) }

// Spread is what is known of many values.
type Spread struct {
	Mean, SD, Min, Max float64
}

func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	s := Spread{Mean(values), Deviation(values), math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	}
	return s
}

// Over collects one number of many results.
func Over[R any](results []R, get func(R) float64) Spread {
	values := make([]float64, len(results))
	for i, r := range results {
		values[i] = get(r)
	}
	return SpreadOf(values)
}

// PlusMinus writes a mean with its spread over the runs.
func (s Spread) PlusMinus(digits int) string {
	return fmt.Sprintf("%.*f ±%.*f", digits, s.Mean, digits, s.SD)
}

// Deviation is the standard deviation.
func Deviation(values []float64) float64 {
	m, sum := Mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return Finite(math.Sqrt(sum / float64(len(values))))
}
