package nodelab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var LyingHost = lab.Experiment{
	Name:   "lying-host",
	Shows:  "how soon a region's leader that changes the region against the rules is convicted and replaced, by real processes of which one lies",
	Source: "Haeberlen et al., Accountable Virtual Machines (OSDI 2010): 26 of 26 cheats, after the game",
	Settings: []lab.Setting{
		nodesSetting("5"),
		editorsSetting("4"),
		{Name: "rounds", Default: "2", Text: "of each lie, each in a world of its own"},
		{Name: "load", Default: "3", Unit: "s", Text: "of editing before the lie"},
	},
	Run: runLyingHost,
}

// lies are what a leader does to its region behind the region's log. They live here: the
// player's program has none.
var lies = []struct {
	name string
	tell func(a *regionlog.Area, built world.Pos)
}{
	{"drops an acknowledged edit", func(a *regionlog.Area, built world.Pos) {
		now, _ := a.Block(built)
		a.Area.Revert([]world.BlockChange{{At: built, Was: world.Air, Now: now}})
	}},
	{"invents a block", func(a *regionlog.Area, built world.Pos) {
		at := built.Add(0, 12, 0)
		now, _ := a.Block(at)
		a.Area.Revert([]world.BlockChange{{At: at, Was: world.GoldOre, Now: now}})
	}},
	{"grants an item", func(a *regionlog.Area, _ world.Pos) {
		a.Players()[0].Items[30] = world.Stack{Block: world.GoldOre, Count: 50}
	}},
	{"lets a friend fly", func(a *regionlog.Area, _ world.Pos) {
		a.Players()[0].Body.Pos.Y += 1 << 16 // 16 m
	}},
	{"lets a friend into walls", func(a *regionlog.Area, _ world.Pos) { a.Players()[0].Mode = world.Spectator }},
}

// tellLie lets a node lie.
func tellLie(h *host.Host, o *NodeOrder) error {
	i := slices.IndexFunc(lies, func(l struct {
		name string
		tell func(*regionlog.Area, world.Pos)
	}) bool {
		return l.name == o.Lie
	})
	if i < 0 || o.Region == nil || o.Place == nil {
		return fmt.Errorf("no lie %q", o.Lie)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return h.WithArea(ctx, *o.Region, func(a *regionlog.Area) { lies[i].tell(a, *o.Place) })
}

// caughtTime bounds how long a lie may go unnoticed.
const caughtTime = 20 * time.Second

// lieOutcome is what came of a lie.
type lieOutcome struct {
	caught           bool
	convict, replace float64 // s: by the second follower; until another leads
	accepts          float64 // s: until a player at an honest node had an edit accepted
	honest           int     // convictions of honest nodes
	held, lost       int
}

func runLyingHost(t *lab.Trial) error {
	nodes, editors, rounds, load := t.Int("nodes", 4), t.Int("editors", 2), t.Int("rounds", 1), t.Float("load", 0.2)
	table := lab.Table{Name: "lying-host", Title: "One liar of three hosts", Columns: []string{"lie", "convicted, s", "replaced, s", "an edit accepted, s", "honest nodes convicted", "acknowledged edits looked for", "lost"}}
	var all []lieOutcome
	for _, lie := range lies {
		for round := range rounds {
			var o lieOutcome
			err := withMasons(t, nodes, editors, func(c *cluster, es *masons) (err error) {
				o, err = c.lie(es, lie.name, lab.Duration(load), round)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", lie.name, err)
			}
			t.Logf("%s: convicted after %.2f s, replaced after %.2f s, %d of %d acknowledged edits lost", lie.name, o.convict, o.replace, o.lost, o.held)
			table.Row(lie.name, o.convict, o.replace, o.accepts, o.honest, o.held, o.lost)
			all = append(all, o)
		}
	}
	t.Table(table)
	var convict, replace []float64
	caught, honest, held, lost := 0, 0, 0, 0
	for _, o := range all {
		if o.caught {
			caught++
		}
		convict, replace = append(convict, o.convict), append(replace, o.replace)
		honest, held, lost = honest+o.honest, held+o.held, lost+o.lost
	}
	t.Metric("caught_share", float64(caught)/float64(len(all)), "")
	t.Metric("caught_p99_s", lab.Percentile(convict, 0.99), "s")
	t.Metric("replaced_p99_s", lab.Percentile(replace, 0.99), "s")
	t.Metric("honest_convicted", float64(honest), "")
	t.Metric("checked_edits", float64(held), "edits")
	t.Metric("lost_edits", float64(lost), "edits")
	if caught < len(all) || honest > 0 || lost > 0 {
		return fmt.Errorf("%d of %d lies were caught, %d honest nodes convicted, %d acknowledged edits lost", caught, len(all), honest, lost)
	}
	return nil
}

// lie lets the leader of the spawn's region lie while players edit.
func (c *cluster) lie(es *masons, what string, load time.Duration, number int) (o lieOutcome, err error) {
	region := c.spawn.Region()
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	reports := es.play(ctx)
	liar, err := c.steady(region, load)
	if err != nil {
		return o, err
	}
	built, err := es.builtIn(region)
	if err != nil {
		return o, err
	}
	began := time.Now()
	if _, err := liar.Ask(NodeOrder{Region: &region, Lie: what, Place: &built}); err != nil {
		return o, err
	}
	liar.dead = true // nobody asks it any more; it goes on
	defer func() { liar.dead = false }()
	if o.honest, err = c.wait(liar.Self.ID, region, began, &o); err != nil {
		return o, err
	}
	for i := range es.all {
		if es.at[i] != liar {
			took, err := again(ctx, reports[i], began.Add(lab.Duration(o.replace)), recoverTime)
			if err != nil {
				return o, fmt.Errorf("editor %d: %w", i, err)
			}
			o.accepts = max(o.accepts, took.Seconds()+o.replace)
		}
	}
	stop()
	if o.held, o.lost, _, err = c.look(es.settle(liar), number); err != nil {
		return o, err
	}
	return o, c.explained(liar.Self.ID)
}

// steady waits until the same node has led a region for a while, with three hosts.
func (c *cluster) steady(region world.RegionPos, long time.Duration) (*NodeProcess, error) {
	for {
		before, err := c.settled(region, 3)
		if err == nil {
			err = lab.Sleep(c.ctx, long)
		}
		if err != nil {
			return nil, err
		}
		if after, have, err := c.leader(region); err != nil || after == before && have >= 3 {
			return after, err
		}
	}
}

// explained looks whether honest nodes have written down a proof that anybody can check.
func (c *cluster) explained(liar id.ID) error {
	proofs := 0
	for _, p := range c.nodes {
		f, err := os.Open(filepath.Join(p.Data, "worlds", LabWorld, "evidence.jsonl"))
		if p.dead || err != nil {
			continue
		}
		err = evidence.Each(f, func(_ int, line []byte) {
			if s, err := evidence.Explain(line); err == nil && s.By == liar {
				proofs++
			}
		})
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	if proofs == 0 {
		return errors.New("no node has written down a proof that \"voxelpopuli evidence check\" accepts")
	}
	return nil
}

// builtIn is a place of a region where an edit was acknowledged.
func (es *masons) builtIn(region world.RegionPos) (world.Pos, error) {
	for _, e := range es.all {
		for at, b := range e.Acknowledged() {
			if b != world.Air && at.Region() == region {
				return at, nil
			}
		}
	}
	return world.Pos{}, errors.New("nobody has built anything in the spawn's region")
}

// wait waits until two nodes have convicted the liar and another leads, and returns how
// many convictions there are of others.
func (c *cluster) wait(liar id.ID, region world.RegionPos, began time.Time, o *lieOutcome) (honest int, err error) {
	for end := time.Now().Add(caughtTime); time.Now().Before(end) && (!o.caught || o.replace == 0); {
		by := 0
		honest = 0
		for _, p := range c.nodes {
			if p.dead {
				continue
			}
			r, err := p.Ask(NodeOrder{Region: &region})
			if err != nil {
				return 0, err
			}
			for _, who := range r.Convicted {
				if who == liar {
					by++
				} else {
					honest++
				}
			}
			if r.Leader == p.Self && o.replace == 0 {
				o.replace = time.Since(began).Seconds()
			}
		}
		if by >= 2 && !o.caught {
			o.caught, o.convict = true, time.Since(began).Seconds()
		}
		if err := lab.Sleep(c.ctx, 10*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return honest, nil
}
