package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// countedRun is a run whose result is the square of its number.
type countedRun struct {
	n     int
	done  *atomic.Int32
	fails bool
}

func (c countedRun) Name() string { return fmt.Sprintf("run-%d", c.n) }

var errBroken = errors.New("broken")

func (c countedRun) Do(context.Context) (int, error) {
	if c.fails {
		return 0, errBroken
	}
	c.done.Add(1)
	return c.n * c.n, nil
}

// TestRunsAreKept: what an interrupted experiment has done is not done again,
// and results come in the order of the runs.
func TestRunsAreKept(t *testing.T) {
	var done atomic.Int32
	var runs []countedRun
	for n := range 20 {
		runs = append(runs, countedRun{n: n, done: &done, fails: n == 13})
	}
	dir := t.TempDir()
	shelf, err := OpenShelf(dir)
	if err != nil {
		t.Fatal(err)
	}
	trial := &Trial{Context: context.Background(), Workers: 3, shelf: shelf}
	if _, err := DoAll(trial, runs); !errors.Is(err, errBroken) {
		t.Fatalf("a run that fails: %v", err)
	}
	before := done.Load()
	runs[13].fails = false
	results, err := DoAll(trial, runs)
	if err != nil || done.Load() != 20 || before == 0 {
		t.Fatalf("%v; %d runs were done before the failure, %d in all, want 20", err, before, done.Load())
	}
	for n, r := range results {
		if r != n*n {
			t.Fatalf("results %v", results)
		}
	}
	file := filepath.Join(dir, "run-7.json")
	if err := os.WriteFile(file, []byte(`{"name":"run-7","program":"another","result":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if results, err = DoAll(trial, runs); err != nil || results[7] != 49 || done.Load() != 21 {
		t.Fatalf("another program's result was taken: %v, %v", results, err)
	}
}

// TestRunsStop: an experiment that is stopped says so.
func TestRunsStop(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	trial := &Trial{Context: ctx, Workers: 2}
	if _, err := DoAll(trial, []countedRun{{done: new(atomic.Int32)}, {n: 1, done: new(atomic.Int32)}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want %v", err, context.Canceled)
	}
}
