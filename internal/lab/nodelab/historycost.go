package nodelab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

var HistoryCost = lab.Experiment{
	Name:   "history-cost",
	Shows:  "what it takes on disk to remember who changed which block when, and who moved what in chests",
	Source: "own aim: 40 bytes for each edit",
	Settings: []lab.Setting{
		nodesSetting("3"),
		editorsSetting("4"),
		{Name: "seconds", Default: "30", Unit: "s", Text: "of editing"},
		{Name: "chests", Default: "1", Text: "1: each editor has a chest, too, and moves things in and out; 0: blocks only"},
	},
	Run: runHistoryCost,
}

// mostPerEdit is how many bytes of history an edit may take.
const mostPerEdit = 40

func runHistoryCost(t *lab.Trial) error {
	nodes, editors, seconds := t.Int("nodes", 1), t.Int("editors", 1), t.Float("seconds", 1)
	chests := t.Int("chests", 0) > 0
	return withMasons(t, nodes, editors, func(c *cluster, es *masons) error {
		if _, err := c.settled(c.spawn.Region(), min(nodes, 3)); err != nil {
			return err
		}
		edits, moves, err := es.editFor(t.Context, lab.Duration(seconds), chests)
		if err != nil {
			return err
		}
		if chests && moves*10 < edits {
			return fmt.Errorf("%d moves in chests beside %d edits: too few to tell what they take", moves, edits)
		}
		edits += moves
		table := lab.Table{Name: "history-cost", Title: "History on the disk of each host", Columns: []string{"node", "edits and moves acknowledged", "in the history", "bytes of keys and values", "bytes of files"}}
		worst, worstFiles := 0.0, 0.0
		for i, p := range c.nodes {
			if err := c.kill(p); err != nil {
				return err
			}
			h, err := weighHistory(p.Data)
			if err != nil {
				return fmt.Errorf("node %d: %w", i, err)
			}
			table.Row(i, edits, h.edits, h.bytes, h.files)
			if h.edits < edits && nodes <= 3 { // each keeps everything
				return fmt.Errorf("node %d remembers %d edits, %d were acknowledged", i, h.edits, edits)
			}
			if h.edits > 0 {
				worst, worstFiles = max(worst, float64(h.bytes)/float64(h.edits)), max(worstFiles, float64(h.files)/float64(h.edits))
			}
		}
		t.Table(table)
		t.Metric("edits", float64(edits), "edits")
		t.Metric("moves", float64(moves), "moves")
		t.Metric("bytes_per_edit", worst, "B")
		t.Metric("file_bytes_per_edit", worstFiles, "B")
		if worst == 0 || max(worst, worstFiles) > mostPerEdit {
			return fmt.Errorf("an edit takes %.1f bytes of records, %.1f of files; at most %d", worst, worstFiles, mostPerEdit)
		}
		return nil
	})
}

// editFor lets all edit for a while, and returns how many edits and moves in chests were
// acknowledged.
func (es *masons) editFor(ctx context.Context, d time.Duration, chests bool) (edits, moves int, err error) {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	var moving sync.WaitGroup
	counts := make([]int, len(es.all))
	if chests {
		for i, e := range es.all {
			chest, err := e.placeChest(ctx)
			if err != nil {
				return 0, 0, err
			}
			edits++
			moving.Go(func() { counts[i] = e.moveThings(playing, chest) })
		}
	}
	reports := es.play(playing)
	err = lab.Sleep(ctx, d)
	stop()
	moving.Wait()
	es.settle(nil)
	for i, r := range reports {
		for range len(r) {
			if e := <-r; e.OK {
				edits++
			}
		}
		moves += counts[i]
	}
	return edits, moves, errors.Join(err, lab.Sleep(ctx, 3*time.Second)) // the other hosts get the last ones
}

// historyWeight is what the history takes on a node's disk.
type historyWeight struct{ edits, bytes, files int }

// weighHistory reads the history of all regions in a node's store, and writes it into a store
// of its own to see what that takes.
func weighHistory(data string) (w historyWeight, err error) {
	s, err := disk.OpenWith(filepath.Join(data, "worlds", LabWorld, "db"), disk.Options{Retry: 5 * time.Second})
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	spaces, err := s.Spaces()
	if err != nil {
		return w, err
	}
	var writes []machine.DiskWrite
	for _, space := range spaces {
		var pos world.RegionPos
		if _, err := fmt.Sscanf(space, "r.%d.%d", &pos.X, &pos.Z); err != nil || !strings.HasPrefix(space, "r.") {
			continue
		}
		kvs, err := s.Read(machine.DiskRead{Space: space})
		if err != nil {
			return w, err
		}
		records, edits, err := region.StoredHistory(pos, kvs)
		if err != nil {
			return w, err
		}
		w.edits += edits
		for _, kv := range records {
			w.bytes += len(kv.Key) + len(kv.Value)
			writes = append(writes, machine.DiskWrite{Space: space, Put: []machine.KV{kv}})
		}
	}
	empty, err := filesOf(nil)
	if err == nil {
		w.files, err = filesOf(writes)
	}
	w.files -= empty
	return w, err
}

// filesOf is what the files of a new store take with what is written, in bytes.
func filesOf(writes []machine.DiskWrite) (n int, err error) {
	dir, err := os.MkdirTemp("", "voxelpopuli-history-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for range 2 { // opened again, it has moved its log into tables
		s, err := disk.Open(dir)
		for _, w := range writes {
			if err == nil {
				err = s.Apply(w)
			}
		}
		writes = nil
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		if err != nil {
			return 0, err
		}
	}
	return n, filepath.WalkDir(filepath.Join(dir, "pebble"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += int(info.Size())
		}
		return err
	})
}
