package campaign

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/catalog"
)

// Options say what to run. Only Out is required.
type Options struct {
	Out    string // folder of the results
	Size   string // Full or Short; "" means Full
	Only   string // prefixes of parts' names, divided by commas; "" means all parts
	Seed   uint64 // of each part's first run; 0 means 1
	Jobs   int    // simulations at a time; 0 means one for each core
	MB     int    // memory for them; 0 means what the machine has free
	Shard  int    // this machine does share Shard, from 0,
	Shards int    // of so many; 0 means 1
	// From are folders of other shares: what they have run counts as run here. A search
	// needs that, for its later runs depend on earlier ones of all shares.
	From []string
	Say  func(string)
}

// Errors of campaigns.
var (
	ErrShard   = errors.New("bad shard")
	ErrMissing = errors.New("results are missing")
	ErrFailed  = errors.New("some parts failed")
)

// campaign is one that is running.
type campaign struct {
	Options
	parts   []Part
	program string
	shelf   *lab.Shelf
	room    *room
	collect bool // nothing is run: tables are made of what is on the shelf

	mu       sync.Mutex
	left     map[string]bool // parts that are not complete
	failures []string
}

// Run runs a campaign, or continues one that was interrupted. What can be simulated
// goes on side by side; after it, alone, what measures the machine.
func Run(ctx context.Context, o Options) error {
	parts, err := partsOf(o.size(), o.Only)
	if err != nil {
		return err
	}
	return run(ctx, o, parts, false)
}

func (o Options) size() string {
	if o.Size == "" {
		return Full
	}
	return o.Size
}

func run(ctx context.Context, o Options, parts []Part, collect bool) error {
	c, err := open(o, parts, collect)
	if err != nil {
		return err
	}
	c.begin()
	var alone []func()
	var group sync.WaitGroup
	slots := make(chan struct{}, c.Jobs)
	whole := 0
	for _, p := range parts {
		e, err := catalog.Find(p.Experiment)
		if err != nil {
			return err
		}
		if !p.divisible(e) {
			whole++
			if (whole-1)%c.Shards != c.Shard {
				continue
			}
		}
		if _, ok := c.complete(p); ok {
			continue
		}
		switch {
		case !p.divisible(e) && collect:
		case !e.Deterministic:
			alone = append(alone, func() { c.do(ctx, p, e) })
		default:
			slots <- struct{}{}
			group.Add(1)
			go func() {
				defer group.Done()
				c.do(ctx, p, e)
				<-slots
			}()
		}
	}
	group.Wait()
	for _, do := range alone {
		do()
	}
	return c.end(ctx)
}

func open(o Options, parts []Part, collect bool) (*campaign, error) {
	o.Size, o.Seed, o.Shards = o.size(), max(o.Seed, 1), max(o.Shards, 1)
	if o.Shard < 0 || o.Shard >= o.Shards {
		return nil, fmt.Errorf("%w: %d of %d, want one from 0 to %d", ErrShard, o.Shard, o.Shards, o.Shards-1)
	}
	if o.Jobs < 1 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.MB < 1 {
		o.MB = freeMemory()
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	c := &campaign{Options: o, parts: parts, collect: collect, left: map[string]bool{}}
	var err error
	if c.shelf, err = lab.OpenShelf(filepath.Join(o.Out, runsFolder)); err != nil {
		return nil, err
	}
	if c.program, err = lab.Program(); err != nil {
		return nil, err
	}
	if err := c.takeRuns(); err != nil {
		return nil, err
	}
	c.room = newRoom(o.Jobs, o.MB)
	return c, writeJSON(filepath.Join(o.Out, campaignFile), c.plan())
}

// mine reports whether a run of a part that is divided is this machine's.
func (c *campaign) mine(run string) bool {
	if c.collect {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(run))
	return int(h.Sum32()%uint32(c.Shards)) == c.Shard
}

// do runs a part. Its folder appears under its name when all is in it.
func (c *campaign) do(ctx context.Context, p Part, e lab.Experiment) {
	if ctx.Err() != nil {
		return
	}
	c.start(p)
	began := time.Now()
	err := c.attempt(ctx, p, e, began)
	c.stop(p, err, time.Since(began), ctx.Err() != nil)
}

func (c *campaign) attempt(ctx context.Context, p Part, e lab.Experiment, began time.Time) error {
	dir := filepath.Join(c.Out, p.Name+".part")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	defer os.RemoveAll(dir) // after success it has another name
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	o := lab.Options{Seed: c.Seed, Runs: p.Runs, Set: p.Set, Jobs: c.Jobs, JSON: filepath.Join(dir, "result.json"), Out: dir}
	o.Shelf = c.shelf
	switch {
	case p.divisible(e):
		o.Mine = c.mine
		o.Room = func(ctx context.Context) (func(), error) { return c.room.enter(ctx, p.MB) }
	case e.Deterministic:
		leave, err := c.room.enter(ctx, p.MB)
		if err != nil {
			return err
		}
		defer leave()
	}
	report, err := os.Create(filepath.Join(dir, "report.txt"))
	if err != nil {
		return err
	}
	o.Report = report
	broken := lab.Run(ctx, e, o, func(s string) { c.Say(p.Name + ": " + s) })
	if err := report.Close(); err != nil {
		return err
	}
	if broken != nil {
		if _, err := os.Stat(o.JSON); err != nil || errors.Is(broken, lab.ErrElsewhere) || ctx.Err() != nil {
			return broken // otherwise it has results, which say that a promise is broken
		}
	}
	if err := writeJSON(filepath.Join(dir, recordFile), c.record(p, began, broken)); err != nil {
		return err
	}
	final := filepath.Join(c.Out, p.Name)
	if err := os.RemoveAll(final); err != nil { // of another program or with other settings
		return err
	}
	if err := os.Rename(dir, final); err != nil {
		return err
	}
	if broken != nil {
		return &brokenPromise{broken}
	}
	return nil
}

// brokenPromise is a failure of an experiment that has results.
type brokenPromise struct{ error }

// begin says what there is to do.
func (c *campaign) begin() {
	for _, p := range c.parts {
		if r, ok := c.complete(p); !ok {
			c.left[p.Name] = true
		} else if r.Failure != "" {
			c.failures = append(c.failures, p.Name+": "+r.Failure)
		}
	}
	c.Say(fmt.Sprintf("%d parts, %d complete; %d cores, %d MB; share %d of %d", len(c.parts), len(c.parts)-len(c.left), c.Jobs, c.MB, c.Shard, c.Shards))
}

func (c *campaign) start(p Part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Say(fmt.Sprintf("%s begins: %s", p.Name, p.Command(c.Seed)))
}

// stop says how a part ended and what remains.
func (c *campaign) stop(p Part, err error, took time.Duration, interrupted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var broken *brokenPromise
	how := "is complete"
	switch {
	case err == nil:
		delete(c.left, p.Name)
	case errors.As(err, &broken):
		delete(c.left, p.Name)
		how = "is complete, and has failed: " + err.Error()
		c.failures = append(c.failures, p.Name+": "+err.Error())
	case errors.Is(err, lab.ErrElsewhere):
		how = "waits for other shares, --from takes their runs: " + err.Error()
	case interrupted:
		how = "was interrupted"
	default:
		how = "failed without results: " + err.Error()
		c.failures = append(c.failures, p.Name+": "+err.Error())
	}
	line := fmt.Sprintf("%s %s (%v); %d of %d parts complete", p.Name, how, took.Round(time.Second), len(c.parts)-len(c.left), len(c.parts))
	if len(c.left) > 0 {
		line += ", left: " + strings.Join(c.names(), ", ")
	}
	c.Say(line)
}

// names are the parts that are left, in their order.
func (c *campaign) names() (out []string) {
	for _, p := range c.parts {
		if c.left[p.Name] {
			out = append(out, p.Name)
		}
	}
	return out
}

// end writes the index and says what is wrong.
func (c *campaign) end(ctx context.Context) error {
	if err := c.writeIndex(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w; left: %s; the same command continues", err, strings.Join(c.names(), ", "))
	}
	if len(c.failures) > 0 {
		return fmt.Errorf("%w: %s", ErrFailed, strings.Join(c.failures, "; "))
	}
	if len(c.left) > 0 && c.Shards == 1 {
		return fmt.Errorf("%w: %s", ErrMissing, strings.Join(c.names(), ", "))
	}
	return nil
}
