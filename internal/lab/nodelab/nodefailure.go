package nodelab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var NodeFailure = lab.Experiment{
	Name:   "node-failure",
	Shows:  "how long a region takes no edits after the machine that hosts it was killed (kill -9), and whether anything acknowledged is lost",
	Source: "dissertation 4.5 (“a couple of seconds”, the chunk's changes lost)",
	Settings: []lab.Setting{
		nodesSetting("4"),
		editorsSetting("4"),
		{Name: "kills", Default: "5", Text: "of the node that leads the region, which comes back each time"},
		{Name: "load", Default: "2", Unit: "s", Text: "of editing before each"},
	},
	Run: runNodeFailure,
}

// recoverTime bounds how long a region may take to accept edits again.
const recoverTime = 30 * time.Second

// kill is what one kill did.
type kill struct {
	recover []float64 // s: of each player whose own node lives
	held    int       // acknowledged edits that were looked for
	lost    int
	why     string // one of the lost
}

func runNodeFailure(t *lab.Trial) error {
	nodes, n, kills, load := t.Int("nodes", 3), t.Int("editors", 2), t.Int("kills", 1), t.Float("load", 0.2)
	return withMasons(t, nodes, n, func(c *cluster, es *masons) error {
		return killLeaders(t, c, es, kills, lab.Duration(load))
	})
}

// killLeaders kills the region's leader again and again, and reports what came
// of it.
func killLeaders(t *lab.Trial, c *cluster, es *masons, kills int, load time.Duration) error {
	var all []kill
	for i := range kills {
		k, err := c.failOne(es, load, i)
		if err != nil {
			return fmt.Errorf("kill %d: %w", i+1, err)
		}
		t.Logf("kill %d of %d: edits accepted again after %.2f s at the least, %.2f s at the most; %d of %d acknowledged edits lost", i+1, kills, lab.Percentile(k.recover, 0), lab.Percentile(k.recover, 1), k.lost, k.held)
		if k.lost > 0 {
			t.Logf("lost: %s", k.why)
		}
		all = append(all, k)
	}
	return reportKills(t, all)
}

// failOne lets players edit, kills the region's leader under them, waits until
// all others can edit again, and compares what was acknowledged with what a
// newcomer is shown. Then the node comes back.
func (c *cluster) failOne(es *masons, load time.Duration, number int) (k kill, err error) {
	region := c.spawn.Region()
	victim, err := c.settled(region, 3)
	if err != nil {
		return k, err
	}
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	reports := es.play(ctx)
	if err := lab.Sleep(c.ctx, load); err != nil {
		return k, err
	}
	began := time.Now()
	if err := c.kill(victim); err != nil {
		return k, err
	}
	for i := range es.all {
		if es.at[i] == victim {
			continue
		}
		took, err := again(ctx, reports[i], began, recoverTime)
		if err != nil {
			return k, fmt.Errorf("editor %d: %w", i, err)
		}
		k.recover = append(k.recover, took.Seconds())
	}
	stop()
	if len(k.recover) == 0 {
		return k, errors.New("all players were at the node that was killed: have more nodes or editors")
	}
	want := es.settle(victim)
	if k.held, k.lost, k.why, err = c.look(want, number); err != nil {
		return k, err
	}
	if err := c.revive(victim); err != nil {
		return k, fmt.Errorf("start the node again: %w", err)
	}
	return k, c.rejoin(es, victim)
}

var errNoEdit = errors.New("no edit was accepted")

// again waits for the first answer that an edit was accepted that was asked for
// after began.
func again(ctx context.Context, report <-chan Edit, began time.Time, within time.Duration) (time.Duration, error) {
	late := time.NewTimer(time.Until(began.Add(within)))
	defer late.Stop()
	refused := map[wire.Code]int{}
	for {
		select {
		case d := <-report:
			if d.OK && d.Sent.After(began) {
				return d.Done.Sub(began), nil
			}
			refused[d.Code]++
		case <-late.C:
			return 0, fmt.Errorf("%w for %v; answers: %v", errNoEdit, within, refused)
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// settle waits until the players of living nodes have all their answers, and
// returns all that was acknowledged to anybody.
func (es *masons) settle(victim *NodeProcess) map[world.Pos]world.Block {
	for end := time.Now().Add(MasonPatience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		busy := false
		for i, e := range es.all {
			busy = busy || es.at[i] != victim && e.Busy()
		}
		if !busy {
			break
		}
	}
	return acknowledged(es.all)
}

// acknowledged is all that was acknowledged to players.
func acknowledged(all []*Mason) map[world.Pos]world.Block {
	want := map[world.Pos]world.Block{}
	for _, e := range all {
		maps.Copy(want, e.Acknowledged())
	}
	return want
}

func (e *Mason) Busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.spots {
		if s.busy {
			return true
		}
	}
	return false
}

// lookTime is how long a newcomer may take to see the world as it is.
const lookTime = 20 * time.Second

// look compares what must be there with what a newcomer is shown by a node.
func (c *cluster) look(want map[world.Pos]world.Block, number int) (held, lost int, why string, err error) {
	who, err := client.NewIdentity(fmt.Sprintf("inspector %d", number))
	if err != nil {
		return 0, 0, "", err
	}
	var live []*NodeProcess
	for _, p := range c.nodes {
		if !p.dead {
			live = append(live, p)
		}
	}
	conn, welcome, err := client.Dial(c.ctx, live[number%len(live)].URL, who, "")
	if err != nil {
		return 0, 0, "", err
	}
	m := client.NewMirror(conn, welcome, client.Options{})
	defer m.Close()
	go m.Run()
	if err := m.View(View, 0); err != nil {
		return 0, 0, "", err
	}
	for end := time.Now().Add(lookTime); ; {
		missing := 0
		lost = 0
		for at, b := range want {
			got, ok := m.Blocks().Block(at)
			if !ok {
				missing++
			} else if got != b {
				lost++
				why = fmt.Sprintf("%v is %d, not %d (region %v)", at, got, b, at.Region())
			}
		}
		if missing+lost == 0 {
			return len(want), 0, "", nil
		}
		if time.Now().After(end) {
			if missing > 0 {
				return len(want), lost, why, fmt.Errorf("a newcomer was not shown %d of %d places in %v", missing, len(want), lookTime)
			}
			return len(want), lost, why, nil
		}
		if err := lab.Sleep(c.ctx, 50*time.Millisecond); err != nil {
			return 0, 0, "", err
		}
	}
}

// rejoin brings the players of a node back that was killed.
func (c *cluster) rejoin(es *masons, p *NodeProcess) error {
	for i, e := range es.all {
		if es.at[i] != p {
			continue
		}
		e.Close()
		again, err := JoinMason(c.ctx, p.URL, es.who[i], i)
		if err != nil {
			return fmt.Errorf("editor %d comes back: %w", i, err)
		}
		es.all[i] = again
	}
	return nil
}

func reportKills(t *lab.Trial, all []kill) error {
	table := lab.Table{Name: "node-failure", Title: "After each kill of the region's leader", Columns: []string{"kill", "s, first player", "s, last player", "acknowledged edits looked for", "lost"}}
	var times []float64
	lost, held := 0, 0
	line := lab.Series{Name: "last player"}
	for i := range all {
		k := &all[i]
		times = append(times, k.recover...)
		lost, held = lost+k.lost, held+k.held
		table.Row(i+1, lab.Percentile(k.recover, 0), lab.Percentile(k.recover, 1), k.held, k.lost)
		line.Points = append(line.Points, [2]float64{float64(i + 1), lab.Percentile(k.recover, 1)})
	}
	t.Table(table)
	t.Plot(lab.Plot{Name: "node-failure", Title: "Until edits are accepted again after kill -9 of a region's leader", X: "kill", Y: "s", Series: []lab.Series{line,
		{Name: "dissertation, about", Points: [][2]float64{{1, paperFailure}, {float64(len(all)), paperFailure}}, Dashed: true}}})
	t.Against("recover_p99_s", lab.Percentile(times, 0.99), "s", paperFailure)
	t.Metric("recover_p50_s", lab.Percentile(times, 0.5), "s")
	t.Metric("kills", float64(len(all)), "")
	t.Metric("checked_edits", float64(held), "edits")
	t.Metric("lost_edits", float64(lost), "edits")
	if lost > 0 {
		return fmt.Errorf("%d acknowledged edits were lost", lost)
	}
	return nil
}

// paperFailure is “at most a couple of seconds”.
const paperFailure = 2
