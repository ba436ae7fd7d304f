package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

const (
	runsFolder   = "runs"          // results of single runs
	campaignFile = "campaign.json" // what Merge needs to know
)

// plan is what a folder of results belongs to.
type plan struct {
	Size    string `json:"size"`
	Only    string `json:"only,omitempty"`
	Seed    uint64 `json:"seed"`
	Shards  int    `json:"shards"`
	Program string `json:"program"`
	Shard   int    `json:"shard"`
}

func (c *campaign) plan() plan { return plan{c.Size, c.Only, c.Seed, c.Shards, c.program, c.Shard} }

// Merge makes one folder of those that the shards of a campaign have left.
func Merge(ctx context.Context, out string, dirs []string, say func(string)) error {
	first, err := readPlan(dirs)
	if err != nil {
		return err
	}
	parts, err := partsOf(first.Size, first.Only)
	if err != nil {
		return err
	}
	return merge(ctx, Options{Out: out, Size: first.Size, Only: first.Only, Seed: first.Seed, Say: say}, parts, dirs)
}

// readPlan returns what all folders belong to; it must be the same campaign of this
// program.
func readPlan(dirs []string) (first plan, err error) {
	program, err := lab.Program()
	if err != nil {
		return first, err
	}
	for i, dir := range dirs {
		var p plan
		if !readJSON(filepath.Join(dir, campaignFile), &p) {
			return first, fmt.Errorf("%w: %s has no %s", ErrShard, dir, campaignFile)
		}
		if p.Program != program {
			return first, fmt.Errorf("%w: %s was made by program %s, this is %s", ErrShard, dir, p.Program, program)
		}
		p.Shard = 0
		if i == 0 {
			first = p
		} else if p != first {
			return first, fmt.Errorf("%w: %s is of another campaign than %s: %+v, %+v", ErrShard, dir, dirs[0], p, first)
		}
	}
	return first, nil
}

func merge(ctx context.Context, o Options, parts []Part, dirs []string) error {
	if err := os.MkdirAll(filepath.Join(o.Out, runsFolder), 0o755); err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := copyRuns(filepath.Join(dir, runsFolder), filepath.Join(o.Out, runsFolder)); err != nil {
			return err
		}
		for _, p := range parts {
			if err := copyPart(filepath.Join(dir, p.Name), filepath.Join(o.Out, p.Name)); err != nil {
				return err
			}
		}
	}
	return run(ctx, o, parts, true)
}

// takeRuns copies the runs of other shares.
func (c *campaign) takeRuns() error {
	if len(c.From) == 0 {
		return nil
	}
	theirs, err := readPlan(c.From)
	if err != nil {
		return err
	}
	ours := c.plan()
	if ours.Shard, ours.Shards, theirs.Shards = 0, 0, 0; ours != theirs {
		return fmt.Errorf("%w: %s is of another campaign: %+v, want %+v", ErrShard, c.From[0], theirs, ours)
	}
	for _, dir := range c.From {
		if err := copyRuns(filepath.Join(dir, runsFolder), filepath.Join(c.Out, runsFolder)); err != nil {
			return err
		}
	}
	return nil
}

// copyRuns copies results of runs. Where two machines have done the same one, their
// results must be equal.
func copyRuns(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".json") {
			continue
		}
		var ours, theirs lab.Kept
		target := filepath.Join(to, f.Name())
		if readJSON(target, &ours) && readJSON(filepath.Join(from, f.Name()), &theirs) &&
			ours.Program == theirs.Program && !bytes.Equal(ours.Result, theirs.Result) {
			return fmt.Errorf("%w: %s differs between %s and %s", ErrFailed, f.Name(), ours.Machine, theirs.Machine)
		}
		if err := copyFile(filepath.Join(from, f.Name()), target); err != nil {
			return err
		}
	}
	return nil
}

// copyPart copies the folder of a part that is complete and not there yet.
func copyPart(from, to string) error {
	if _, err := os.Stat(filepath.Join(from, recordFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	return os.CopyFS(to, os.DirFS(from))
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}
