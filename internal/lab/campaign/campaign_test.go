package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/catalog"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// shardVariable makes this program do one share of quickParts in the folder it names.
const shardVariable = "CAMPAIGN_TEST_SHARD"

func TestMain(m *testing.M) {
	catalog.Become()
	if text := os.Getenv(shardVariable); text != "" {
		var o Options
		err := json.Unmarshal([]byte(text), &o)
		if err == nil {
			err = run(context.Background(), o, quickParts, false)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	m.Run()
}

// quickParts: two that share runs, two more that can be divided, one that is a single
// run.
var quickParts = []Part{
	{Name: "tables", Experiment: "overlay-tables", Runs: 3, Set: set{"iad": "60", "r": "4", "hours": "0.2", "start": "0"}},
	{Name: "traffic", Experiment: "overlay-traffic", Runs: 3, Set: set{"iad": "60", "r": "4", "hours": "0.2"}},
	{Name: "time-warp", Experiment: "time-warp", Runs: 2, Set: set{"nodes": "4", "lag": "0,100", "seconds": "3"}},
	{Name: "warp", Experiment: "time-warp", Set: set{"nodes": "3", "lag": "50", "seconds": "3"}},
	{Name: "digest", Experiment: "world-digest", Set: set{"seconds": "2", "players": "2"}},
}

// files returns what the folders of parts contain, without the records of where it was
// made.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	return filesOf(t, dir, quickParts)
}

func filesOf(t *testing.T, dir string, parts []Part) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, p := range parts {
		err := fs.WalkDir(os.DirFS(dir), p.Name, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == recordFile {
				return err
			}
			b, err := os.ReadFile(filepath.Join(dir, path))
			out[path] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Three processes do a third each; what is merged of it equals, byte for byte, what one
// process does alone.
func TestShardsMergeToTheSameBytes(t *testing.T) {
	root := t.TempDir()
	const shards = 3
	var dirs []string
	var group sync.WaitGroup
	for i := range shards {
		dir := filepath.Join(root, fmt.Sprint("shard", i))
		dirs = append(dirs, dir)
		o, err := json.Marshal(map[string]any{"Out": dir, "Shard": i, "Shards": shards, "Seed": 5})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), shardVariable+"="+string(o))
		var says bytes.Buffer
		cmd.Stderr = &says
		group.Add(1)
		go func() {
			defer group.Done()
			if err := cmd.Run(); err != nil {
				t.Errorf("share %d: %v: %s", i, err, &says)
			}
		}()
	}
	whole := filepath.Join(root, "whole")
	if err := run(context.Background(), Options{Out: whole, Seed: 5}, quickParts, false); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if t.Failed() {
		return
	}
	want := files(t, whole)
	if len(want) < 3*len(quickParts) {
		t.Fatalf("an undivided campaign leaves only %v", slices.Sorted(maps.Keys(want)))
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		list, err := os.ReadDir(filepath.Join(dir, runsFolder))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if seen[f.Name()] {
				t.Errorf("two shares have done %s", f.Name())
			}
			seen[f.Name()] = true
		}
	}

	// Two of three are not enough, and it is said what is missing.
	plan, err := readPlan(dirs)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Out: filepath.Join(root, "merged"), Seed: plan.Seed}
	err = merge(context.Background(), o, quickParts, dirs[:2])
	if !errors.Is(err, ErrMissing) {
		t.Errorf("two of three shares: %v, want %v", err, ErrMissing)
	}
	if err := merge(context.Background(), o, quickParts, dirs); err != nil {
		t.Fatal(err)
	}
	got := files(t, o.Out)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: undivided\n%s\nmerged\n%s", name, text, got[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("merged: %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// Shares of a search do their runs of each round, and go on with those of all. It ends as
// it does without shares.
func TestLongSharesOfASearch(t *testing.T) {
	simtest.Long(t)
	parts := []Part{{Name: "search", Experiment: "storage-attack", Set: set{
		"nodes": "12", "updates": "3", "protocol": "hardened", "attack": "worst", "among": "swap", "most": "2", "added": "0",
	}}}
	root := t.TempDir()
	whole, merged := filepath.Join(root, "whole"), filepath.Join(root, "merged")
	dirs := []string{filepath.Join(root, "shard0"), filepath.Join(root, "shard1")}
	var from []string
	done := false
	for turn := 0; !done && turn < 5; turn++ {
		for i, dir := range dirs {
			if err := run(t.Context(), Options{Out: dir, Shard: i, Shards: len(dirs), From: from}, parts, false); err != nil {
				t.Fatal(err)
			}
		}
		err := merge(t.Context(), Options{Out: merged}, parts, dirs)
		if done = err == nil; !done && !errors.Is(err, ErrMissing) {
			t.Fatal(err)
		}
		from = []string{merged}
		if turn == 0 && done {
			t.Error("the search ends after its first round")
		}
	}
	if !done {
		t.Fatal("the search does not end")
	}
	if err := run(t.Context(), Options{Out: whole, From: from}, parts, false); err != nil {
		t.Fatal(err)
	}
	want, got := filesOf(t, whole, parts), filesOf(t, merged, parts)
	if len(want) == 0 || !maps.Equal(want, got) {
		t.Errorf("one machine:\n%v\nshares:\n%v", want, got)
	}
	// Nobody takes the runs of another campaign.
	other := Options{Out: filepath.Join(root, "other"), Seed: 2, From: from}
	if err := run(t.Context(), other, parts, false); !errors.Is(err, ErrShard) {
		t.Errorf("runs with another seed: %v, want %v", err, ErrShard)
	}
}

// A campaign that is stopped continues with what is not complete.
func TestCampaignContinues(t *testing.T) {
	parts := quickParts[2:]
	ctx, stop := context.WithCancel(context.Background())
	o := Options{Out: t.TempDir(), Jobs: 1, Say: func(s string) {
		if strings.Contains(s, "1 of 3 parts complete") {
			stop()
		}
	}}
	if err := run(ctx, o, parts, false); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "left: warp, digest") {
		t.Fatalf("a campaign that is stopped: %v", err)
	}
	c, err := open(o, parts, false)
	if err != nil {
		t.Fatal(err)
	}
	before, ok := c.complete(parts[0])
	if !ok {
		t.Fatal("the first part is not complete")
	}
	if before.Commit == "" || before.Machine == "" || before.Seed != 1 || before.Runs != 2 || before.Settings["lag"] != "0,100" {
		t.Errorf("record %+v", before)
	}
	if _, ok := c.complete(parts[2]); ok {
		t.Fatal("the campaign was not stopped")
	}
	var says []string
	o.Say = func(s string) { says = append(says, s) }
	if err := run(context.Background(), o, parts, false); err != nil {
		t.Fatal(err)
	}
	after, _ := c.complete(parts[0])
	if after.Began != before.Began {
		t.Error("a part that was complete was done again")
	}
	if last := says[len(says)-1]; !strings.Contains(last, "3 of 3 parts complete") {
		t.Errorf("it ends with %q", last)
	}
	// Other seeds are other results.
	c.Seed = 2
	if _, ok := c.complete(parts[0]); ok {
		t.Error("results of other seeds count as complete")
	}
}

// A promise that is broken is a result; a part that cannot run is none, and the others
// go on.
func TestFailuresAreReported(t *testing.T) {
	parts := []Part{
		{Name: "impossible", Experiment: "time-warp", Set: set{"nodes": "none"}},
		{Name: "digest", Experiment: "world-digest", Set: set{"seconds": "1", "players": "1"}},
	}
	o := Options{Out: t.TempDir()}
	err := run(context.Background(), o, parts, false)
	if !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "impossible") {
		t.Errorf("%v, want %v", err, ErrFailed)
	}
	c, err := open(o, parts, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := c.complete(parts[0]); ok {
		t.Error("a part without results is complete")
	}
	if _, ok := c.complete(parts[1]); !ok {
		t.Error("the part after it was not run")
	}
	index, err := os.ReadFile(filepath.Join(o.Out, "index.md"))
	if err != nil || !strings.Contains(string(index), "missing") {
		t.Errorf("index: %v\n%s", err, index)
	}
}

// Every experiment is part of both campaigns, with settings that it has.
func TestPartsAreDeclaredWell(t *testing.T) {
	for _, size := range []string{Full, Short} {
		parts, err := partsOf(size, "")
		if err != nil {
			t.Fatal(err)
		}
		names, experiments := map[string]bool{runsFolder: true}, map[string]bool{}
		for _, p := range parts {
			e, err := catalog.Find(p.Experiment)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
				continue
			}
			if names[p.Name] {
				t.Errorf("%s: two parts are called %s", size, p.Name)
			}
			names[p.Name], experiments[p.Experiment] = true, true
			for name := range p.Set {
				if !slices.ContainsFunc(e.Settings, func(s lab.Setting) bool { return s.Name == name }) {
					t.Errorf("%s: %s has no setting %s", p.Name, p.Experiment, name)
				}
			}
		}
		for _, e := range catalog.Experiments() {
			if !experiments[e.Name] {
				t.Errorf("%s: %s is not part of it", size, e.Name)
			}
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, o := range map[error]Options{
		ErrShard:       {Shard: 3, Shards: 3},
		lab.ErrSetting: {Size: "huge"},
	} {
		o.Out = t.TempDir()
		if err := Run(context.Background(), o); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", o, err, want)
		}
	}
	if _, err := partsOf(Full, "nosuch"); !errors.Is(err, lab.ErrSetting) {
		t.Errorf("no part: %v", err)
	}
	some, err := partsOf(Full, "storage-attack,time")
	if err != nil || len(some) != 4 || some[3].Name != "time-warp" {
		t.Errorf("%v, %v", some, err)
	}
}

// What does not fit into memory waits; a run that needs more than there is goes alone.
func TestRoomForMemory(t *testing.T) {
	r := newRoom(4, freeMemory())
	r.most = 100
	all, err := r.enter(t.Context(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	all()
	r = newRoom(2, freeMemory())
	first, err := r.enter(t.Context(), int(r.most)*3/4)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.enter(ctx, int(r.most)/2); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one that does not fit: %v", err)
	}
	first()
	second, err := r.enter(t.Context(), int(r.most)/2)
	if err != nil {
		t.Fatalf("the core of one that gave up is still taken: %v", err)
	}
	second()
}
