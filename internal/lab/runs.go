package lab

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// A simulated run is a value: what is simulated and a seed go in, a result comes
// out, the same every time. So many of them can be done side by side, and what
// is done need not be done again.
type simulated[R any] interface {
	// name tells the run from all others; its result is kept in a file of it.
	name() string
	do(ctx context.Context) (R, error)
}

// doAll does runs on all cores and returns their results in the order of the
// runs, whichever is done first. With a folder for the experiment's files the
// results are kept there, and those that the very same program has left there
// are not calculated again: an experiment that was interrupted goes on.
func doAll[S simulated[R], R any](t *Trial, runs []S) ([]R, error) {
	ctx, cancel := context.WithCancelCause(t.Context)
	defer cancel(nil)
	keep, err := openShelf(t.out)
	if err != nil {
		return nil, err
	}
	results := make([]R, len(runs))
	next, done := make(chan int), 0
	var lock sync.Mutex
	var all sync.WaitGroup
	for range min(max(t.workers, 1), len(runs)) {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range next {
				begin := time.Now()
				within := withProgress(ctx, func(share float64, took time.Duration) {
					lock.Lock()
					t.Logf("%s: %.0f %% after %v", runs[i].name(), 100*share, took.Round(time.Second))
					lock.Unlock()
				})
				found, err := keep.do(runs[i].name(), &results[i], func() (err error) {
					results[i], err = runs[i].do(within)
					return err
				})
				if err != nil {
					cancel(fmt.Errorf("%s: %w", runs[i].name(), err))
					return
				}
				lock.Lock()
				done++
				if found {
					t.Logf("%d of %d: %s (kept from before)", done, len(runs), runs[i].name())
				} else {
					t.Logf("%d of %d: %s (%v)", done, len(runs), runs[i].name(), time.Since(begin).Round(100*time.Millisecond))
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
	return results, context.Cause(ctx)
}

// shelf is the folder where results are kept; an empty one keeps nothing.
type shelf struct{ dir, program string }

// kept is a file of the shelf.
type kept struct {
	Name    string          `json:"name"`
	Program string          `json:"program"` // digest of what has calculated it
	Result  json.RawMessage `json:"result"`
}

func openShelf(out string) (shelf, error) {
	if out == "" {
		return shelf{}, nil
	}
	s := shelf{dir: filepath.Join(out, "runs")}
	file, err := os.Executable()
	if err != nil {
		return s, fmt.Errorf("keeping results: %w", err)
	}
	f, err := os.Open(file)
	if err != nil {
		return s, fmt.Errorf("keeping results: %w", err)
	}
	defer f.Close() // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return s, fmt.Errorf("keeping results: %w", err)
	}
	s.program = fmt.Sprintf("%x", h.Sum(nil)[:8])
	return s, os.MkdirAll(s.dir, 0o755)
}

// do reads the result of a run, or calculates and keeps it.
func (s shelf) do(name string, result any, calculate func() error) (found bool, err error) {
	if s.dir == "" {
		return false, calculate()
	}
	file := filepath.Join(s.dir, name+".json")
	if found, err := s.read(file, name, result); found || err != nil {
		return found, err
	}
	if err := calculate(); err != nil {
		return false, err
	}
	b, err := json.Marshal(result)
	if err != nil {
		return false, err
	}
	if b, err = json.MarshalIndent(kept{name, s.program, b}, "", " "); err != nil {
		return false, err
	}
	if err := os.WriteFile(file+".part", append(b, '\n'), 0o644); err != nil {
		return false, err
	}
	return false, os.Rename(file+".part", file)
}

// read reports whether there is a result of the same run and the same program.
func (s shelf) read(file, name string, result any) (bool, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var k kept
	if json.Unmarshal(b, &k) != nil || k.Name != name || k.Program != s.program {
		return false, nil // another program's, or torn: calculated again
	}
	return json.Unmarshal(k.Result, result) == nil, nil
}

// workers is how many runs go on at a time if nobody says.
func workers() int { return runtime.GOMAXPROCS(0) }

// spread is what is known of many values.
type spread struct {
	Mean, SD, Min, Max float64
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	s := spread{mean(values), deviation(values), math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	}
	return s
}

// over collects one number of many results.
func over[R any](results []R, get func(R) float64) spread {
	values := make([]float64, len(results))
	for i, r := range results {
		values[i] = get(r)
	}
	return spreadOf(values)
}

// plusMinus writes a mean with its spread over the runs.
func (s spread) plusMinus(digits int) string {
	return fmt.Sprintf("%.*f ±%.*f", digits, s.Mean, digits, s.SD)
}
