package nodelab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var OldDisk = lab.Experiment{
	Name:   "old-disk",
	Shows:  "what is lost if a host comes back with a disk that was put back to an older state and the only other one slept meanwhile, and whether anybody is told",
	Source: "Raft (Ongaro 2014, 3.8) assumes that disks keep what they have synced",
	Settings: []lab.Setting{
		nodesSetting("7"),
		editorsSetting("4"),
		{Name: "rounds", Default: "1", Text: "each in a world of its own"},
		{Name: "load", Default: "3", Unit: "s", Text: "of editing before one host is frozen"},
		{Name: "back", Default: "12", Unit: "s", Text: "by which the other's disk is put back"},
	},
	Run: runOldDisk,
}

// oldDisk is what became of one world.
type oldDisk struct {
	held, lost int
	said       bool // a node says that something is missing
}

func runOldDisk(t *lab.Trial) error {
	nodes, editors, rounds := t.Int("nodes", 5), t.Int("editors", 1), t.Int("rounds", 1)
	load, back := lab.Duration(t.Float("load", 0.2)), lab.Duration(t.Float("back", 1))
	table := lab.Table{Name: "old-disk", Title: "Group of three: one frozen, one killed, one with an older disk", Columns: []string{"world", "edits looked for", "lost", "said"}}
	var sum oldDisk
	unsaid := 0
	for i := range rounds {
		var o oldDisk
		err := withMasons(t, nodes, editors, func(c *cluster, es *masons) (err error) {
			o, err = c.putBack(es, load, back)
			return err
		})
		if err != nil {
			return fmt.Errorf("world %d: %w", i+1, err)
		}
		t.Logf("%d of %d acknowledged edits lost; said: %v", o.lost, o.held, o.said)
		table.Row(i+1, o.held, o.lost, o.said)
		if sum.held, sum.lost = sum.held+o.held, sum.lost+o.lost; !o.said {
			unsaid += o.lost
		}
	}
	t.Table(table)
	t.Metric("checked_edits", float64(sum.held), "edits")
	t.Metric("lost_edits", float64(sum.lost), "edits")
	t.Metric("lost_unsaid", float64(unsaid), "edits")
	if unsaid > 0 {
		return fmt.Errorf("%d acknowledged edits were lost, and nobody was told", unsaid)
	}
	return nil
}

// putBack freezes a host, lets the two others go on, puts one's disk back to what it was
// then, kills the other for good and wakes the frozen one: two of three have a state in
// which what was acknowledged meanwhile is missing.
func (c *cluster) putBack(es *masons, load, back time.Duration) (o oldDisk, err error) {
	region := c.spawn.Region()
	lead, err := c.settled(region, 3)
	if err != nil {
		return o, err
	}
	hosts, err := c.hosts(region)
	if err != nil {
		return o, err
	}
	var frozen, stale *NodeProcess // none of them leads
	for p := range hosts {
		if p != lead && frozen == nil {
			frozen = p
		} else if p != lead {
			stale = p
		}
	}
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	es.play(ctx)
	if err := lab.Sleep(c.ctx, load); err != nil {
		return o, err
	}
	frozen.dead = true // nobody asks it meanwhile
	if err := lab.StopProcess(frozen.Cmd.Process); err != nil {
		return o, err
	}
	defer lab.ContProcess(frozen.Cmd.Process)
	disk, old := filepath.Join(stale.Data, "worlds"), stale.Data+".old"
	if err := stale.whileStopped(func() error { return os.CopyFS(old, os.DirFS(disk)) }); err != nil {
		return o, err
	}
	if err := lab.Sleep(c.ctx, back); err != nil {
		return o, err
	}
	stop()
	want := es.settle(frozen)
	if err := errors.Join(c.kill(lead), c.kill(stale), os.RemoveAll(disk), os.Rename(old, disk)); err != nil {
		return o, err
	}
	if err := c.revive(stale); err != nil {
		return o, err
	}
	frozen.dead = false
	if err := lab.ContProcess(frozen.Cmd.Process); err != nil {
		return o, err
	}
	if o.held, o.lost, _, err = c.look(want, 0); err != nil {
		return o, err
	}
	o.said, err = c.saysOld()
	return o, err
}

// whileStopped stops a process for as long as something takes.
func (p *NodeProcess) whileStopped(do func() error) error {
	if err := lab.StopProcess(p.Cmd.Process); err != nil {
		return err
	}
	err := do()
	return errors.Join(err, lab.ContProcess(p.Cmd.Process))
}

// saysOld reports whether a node's log says that a disk was put back.
func (c *cluster) saysOld() (bool, error) {
	for _, p := range c.nodes {
		b, err := os.ReadFile(logFile(p.Data))
		if err != nil || bytes.Contains(b, []byte("was put back to an older state")) {
			return err == nil, err
		}
	}
	return false, nil
}
