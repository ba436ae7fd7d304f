package nodelab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

var SparesCost = lab.Experiment{
	Name:   "spares-cost",
	Shows:  "what spare copies and states of recent days take: upload and disk of all nodes together, with and without them",
	Source: "ours; three hosts and two copies of everything are 1.67 times the disk",
	Settings: []lab.Setting{
		nodesSetting("7"),
		editorsSetting("4"),
		{Name: "rounds", Default: "2", Text: "with and without in turn"},
		{Name: "seconds", Default: "30", Unit: "s", Text: "of measuring in a round"},
	},
	Run: runSparesCost,
}

// sparesCost is what the nodes of a world took.
type sparesCost struct {
	upload      float64 // bytes a second
	own, copies int     // bytes of keys and values on all disks: of what nodes host, and of copies
	edits       int
}

func runSparesCost(t *lab.Trial) error {
	nodes, editors, rounds, seconds := t.Int("nodes", 5), t.Int("editors", 1), t.Int("rounds", 1), t.Float("seconds", 5)
	table := lab.Table{Name: "spares-cost", Title: "With and without copies", Columns: []string{"copies", "upload, kB/s", "hosted, kB", "copies, kB", "edits"}}
	var sum [2]sparesCost
	for range rounds {
		for i, copies := range []string{"no", "yes"} {
			m, err := sparesRound(t, nodes, editors, seconds, i == 0)
			if err != nil {
				return err
			}
			table.Row(copies, m.upload/1e3, float64(m.own)/1e3, float64(m.copies)/1e3, m.edits)
			s := &sum[i]
			s.upload, s.own, s.copies, s.edits = s.upload+m.upload, s.own+m.own, s.copies+m.copies, s.edits+m.edits
		}
	}
	t.Table(table)
	without, with := &sum[0], &sum[1]
	t.Metric("upload_ratio", with.upload/without.upload, "")
	t.Metric("disk_ratio", float64(with.own+with.copies)/float64(with.own), "")
	if with.copies == 0 || without.copies > 0 {
		return fmt.Errorf("%d bytes of copies with them and %d without", with.copies, without.copies)
	}
	return nil
}

// sparesRound measures a world whose nodes keep copies, or do not.
func sparesRound(t *lab.Trial, nodes, editors int, seconds float64, spareless bool) (m sparesCost, err error) {
	err = withMasonsIn(t, nodes, editors, clusterSetup{spareless: spareless}, func(c *cluster, es *masons) error {
		return m.measure(t, c, es, seconds)
	})
	return m, err
}

// measure measures a world while it is edited.
func (m *sparesCost) measure(t *lab.Trial, c *cluster, es *masons, seconds float64) error {
	ctx, stop := context.WithCancel(t.Context)
	defer stop()
	reports := es.play(ctx)
	region := c.spawn.Region()
	if _, err := c.steady(region, 5*time.Second); err != nil {
		return err
	}
	before, after, err := c.readingsOver(t.Context, region, seconds)
	if err != nil {
		return err
	}
	for i := range after {
		m.upload += float64(after[i].Sent-before[i].Sent) / seconds
	}
	stop()
	es.settle(nil)
	for _, r := range reports {
		for range len(r) {
			if e := <-r; e.OK {
				m.edits++
			}
		}
	}
	if err := lab.Sleep(t.Context, 6*time.Second); err != nil { // the copies get the last edits
		return err
	}
	for _, p := range c.nodes {
		if err := errors.Join(c.kill(p), m.weigh(p.Data)); err != nil {
			return err
		}
	}
	return nil
}

// weigh adds what is on a node's disk.
func (m *sparesCost) weigh(data string) (err error) {
	s, err := disk.Open(filepath.Join(data, "worlds", LabWorld, "db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	spaces, err := s.Spaces()
	if err != nil {
		return err
	}
	for _, space := range spaces {
		kvs, err := s.Read(machine.DiskRead{Space: space})
		if err != nil {
			return err
		}
		for _, kv := range kvs {
			if n := len(kv.Key) + len(kv.Value); strings.HasPrefix(space, "old.") {
				m.copies += n
			} else {
				m.own += n
			}
		}
	}
	return nil
}
