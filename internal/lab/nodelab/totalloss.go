package nodelab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var TotalLoss = lab.Experiment{
	Name:   "total-loss",
	Shows:  "how long a region takes no edits after all machines that host it were killed (kill -9) at once, and what of it is missing then",
	Source: "ours; without copies elsewhere everything is lost",
	Settings: []lab.Setting{
		nodesSetting("9"),
		editorsSetting("4"),
		{Name: "losses", Default: "3", Text: "each of a world of its own"},
		{Name: "load", Default: "8", Unit: "s", Text: "of editing before each"},
		{Name: "disks", Default: "lost", Text: "lost: the hosts' folders are deleted; kept: they are not, but the hosts stay away"},
	},
	Run: runTotalLoss,
}

// lossTime bounds how long the players of a world are waited for.
const lossTime = 60 * time.Second

// totalLoss is what became of one world.
type totalLoss struct {
	back    []float64 // s: until an edit was accepted, of each player whose own node lives
	stuck   int       // of those, for whom lossTime was not enough
	window  float64   // s: how old the state was from which the region was restored
	held    int       // acknowledged edits that were looked for
	missing int
}

func runTotalLoss(t *lab.Trial) error {
	nodes, n, losses, load := t.Int("nodes", 7), t.Int("editors", 1), t.Int("losses", 1), t.Float("load", 1)
	disks := t.Text("disks")
	if disks != "lost" && disks != "kept" {
		t.Reject("disks", "lost or kept")
	}
	var all []totalLoss
	for i := range losses {
		err := withMasons(t, nodes, n, func(c *cluster, es *masons) error {
			l, err := c.loseHosts(t, es, lab.Duration(load), disks == "lost")
			if err == nil {
				t.Logf("loss %d of %d: edits accepted again after %.1f s at the least, %.1f s at the most; restored to a state %.1f s old; %d of %d places are not as acknowledged",
					i+1, losses, lab.Percentile(l.back, 0), lab.Percentile(l.back, 1), l.window, l.missing, l.held)
				all = append(all, l)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("loss %d: %w", i+1, err)
		}
	}
	return reportLosses(t, all)
}

// loseHosts lets players edit, kills all hosts of their region at once, and waits until
// those can edit again whose own node lives.
func (c *cluster) loseHosts(t *lab.Trial, es *masons, load time.Duration, wipe bool) (l totalLoss, err error) {
	region := c.spawn.Region()
	if _, err = c.settled(region, 3); err != nil {
		return l, err
	}
	hosts, err := c.hosts(region)
	if err != nil {
		return l, err
	}
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	reports := es.play(ctx)
	if err := lab.Sleep(c.ctx, load); err != nil {
		return l, err
	}
	want := map[world.Pos]world.Block{}
	for i, e := range es.all {
		if !hosts[es.at[i]] {
			for at, b := range e.Acknowledged() {
				want[at] = b
			}
		}
	}
	for p := range hosts { // the order does not matter
		if err := c.kill(p); err != nil {
			return l, err
		}
		if wipe {
			if err := os.RemoveAll(p.Data); err != nil {
				return l, err
			}
		}
	}
	began := time.Now() // what is answered from now on nobody of them has taken
	for i := range es.all {
		if hosts[es.at[i]] {
			continue
		}
		took, err := again(ctx, reports[i], began, lossTime)
		if errors.Is(err, errNoEdit) {
			l.stuck, took, err = l.stuck+1, lossTime, nil
		}
		if err != nil {
			return l, fmt.Errorf("editor %d: %w", i, err)
		}
		l.back = append(l.back, took.Seconds())
	}
	stop()
	if l.stuck > 0 {
		if err := c.sayLeaders(t); err != nil {
			return l, err
		}
	}
	if len(l.back) == 0 {
		return l, errors.New("all players were at nodes that were killed: have more nodes or editors")
	}
	if l.stuck == len(l.back) {
		return l, nil // nothing to look at
	}
	for at, b := range es.settle(nil) { // what was changed since is as it was acknowledged last
		if _, ok := want[at]; ok {
			want[at] = b
		}
	}
	if l.held, l.missing, _, err = c.look(want, 0); err != nil {
		return l, err
	}
	l.window, err = c.restoredTo(region, began)
	return l, err
}

// sayLeaders says of the lobby and of the regions around the spawn who leads and who
// keeps them, by the number of the node.
func (c *cluster) sayLeaders(t *lab.Trial) error {
	say := func(name string, o NodeOrder) error {
		var led, kept []int
		for i, p := range c.nodes {
			if p.dead {
				continue
			}
			r, err := p.Ask(o)
			if err != nil {
				return err
			}
			if r.Holds {
				kept = append(kept, i)
			}
			if r.Leader == p.Self {
				led = append(led, i)
			}
		}
		t.Logf("%s: led by %v, kept by %v", name, led, kept)
		return nil
	}
	err := say("lobby", NodeOrder{Lobby: true})
	for x := int32(-1); x <= 1; x++ {
		for z := int32(-1); z <= 1 && err == nil; z++ {
			at := world.RegionPos{X: c.spawn.Region().X + x, Z: c.spawn.Region().Z + z}
			err = say(fmt.Sprint("region ", at), NodeOrder{Region: &at})
		}
	}
	return err
}

// hosts are the nodes that keep a region.
func (c *cluster) hosts(at world.RegionPos) (map[*NodeProcess]bool, error) {
	out := map[*NodeProcess]bool{}
	for _, p := range c.nodes {
		r, err := p.Ask(NodeOrder{Region: &at})
		if err != nil {
			return nil, err
		}
		if r.Holds {
			out[p] = true
		}
	}
	if len(out) != 3 {
		return nil, fmt.Errorf("%d nodes keep the region %v, not three", len(out), at)
	}
	return out, nil
}

// restoredTo is how old the state was, in seconds, that a region was restored to.
func (c *cluster) restoredTo(at world.RegionPos, died time.Time) (float64, error) {
	for _, p := range c.nodes {
		if p.dead {
			continue
		}
		r, err := p.Ask(NodeOrder{Region: &at})
		if err != nil {
			return 0, err
		}
		if r.Restored != 0 {
			return max(0, died.Sub(time.Unix(0, int64(r.Restored))).Seconds()), nil
		}
	}
	return 0, errors.New("no node says that it has restored the region")
}

func reportLosses(t *lab.Trial, all []totalLoss) error {
	table := lab.Table{Name: "total-loss", Title: "After each loss of all hosts of the players' region",
		Columns: []string{"loss", "s, first player", "s, last player", "age of the state, s", "places looked for", "not as acknowledged"}}
	var back []float64
	window, held, missing, stuck := 0.0, 0, 0, 0
	for i := range all {
		l := &all[i]
		back, window = append(back, l.back...), max(window, l.window)
		held, missing, stuck = held+l.held, missing+l.missing, stuck+l.stuck
		table.Row(i+1, lab.Percentile(l.back, 0), lab.Percentile(l.back, 1), l.window, l.held, l.missing)
	}
	t.Table(table)
	t.Metric("back_p99_s", lab.Percentile(back, 0.99), "s")
	t.Metric("back_p50_s", lab.Percentile(back, 0.5), "s")
	t.Metric("stuck_players", float64(stuck), "")
	t.Metric("lost_window_s", window, "s")
	t.Metric("checked_places", float64(held), "")
	t.Metric("missing_places", float64(missing), "")
	return nil
}
