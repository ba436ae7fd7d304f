package nodelab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Takeover = lab.Experiment{
	Name:   "takeover",
	Shows:  "whether ordinary nodes whose keys were searched for get a majority of the hosts of a region or of the lobby, and what is missing after they have left",
	Source: "Biryukov et al., Trawling for Tor Hidden Services (S&P 2013): keys searched for, in place after 25 h",
	Settings: []lab.Setting{
		nodesSetting("5"),
		editorsSetting("2"),
		{Name: "worlds", Default: "open,invited,verified", Text: "who may host: any node, those with an invitation (the attackers have one), those with a certificate (they have some)"},
		{Name: "attackers", Default: "3", Text: "for the region and for the lobby each"},
		{Name: "keys", Default: "20000", Text: "tried for each of the two"},
		{Name: "load", Default: "5", Unit: "s", Text: "of editing before they come"},
		{Name: "restarts", Default: "2", Text: "hosts of the region that are killed and come back, one after the other, while the attackers are there"},
		{Name: "down", Default: "15", Unit: "s", Text: "until a host comes back, and how long the attackers stay without restarts"},
	},
	Run: runTakeover,
}

// takeoverPlan is what an attack is like.
type takeoverPlan struct {
	attackers, keys, restarts int
	load, down                time.Duration
}

// takenWorld is what became of a world.
type takenWorld struct {
	looks, majority int       // how often hosts were counted; how often most were attackers
	most            int       // attackers among the hosts of a shard
	back            []float64 // s: from when they left until an edit was accepted
	held, lost      int       // acknowledged edits
	entered         float64   // s: from when they left until a newcomer was shown all
}

func runTakeover(t *lab.Trial) error {
	nodes, editors := t.Int("nodes", 4), t.Int("editors", 1)
	plan := takeoverPlan{
		attackers: t.Int("attackers", 1), keys: t.Int("keys", 1), restarts: t.Int("restarts", 0),
		load: lab.Duration(t.Float("load", 0.2)), down: lab.Duration(t.Float("down", 1)),
	}
	worlds := strings.Split(t.Text("worlds"), ",")
	for _, w := range worlds {
		if !slices.Contains(hostings, w) {
			t.Reject("worlds", "some of "+strings.Join(hostings, ","))
		}
	}
	table := lab.Table{Name: "takeover", Title: "Attackers with searched keys", Columns: []string{
		"world", "most attackers of three hosts", "counts with a majority", "of", "s until edits", "s until a newcomer", "edits looked for", "lost"}}
	var sum takenWorld
	for _, w := range worlds {
		r, err := takeOver(t, nodes, editors, w, plan)
		if err != nil {
			return fmt.Errorf("%s world: %w", w, err)
		}
		table.Row(w, r.most, r.majority, r.looks, lab.Percentile(r.back, 1), r.entered, r.held, r.lost)
		sum.majority, sum.lost, sum.held = sum.majority+r.majority, sum.lost+r.lost, sum.held+r.held
		sum.back = append(append(sum.back, r.back...), r.entered)
	}
	t.Table(table)
	t.Metric("attacker_majority", float64(sum.majority), "")
	t.Metric("unreachable_s", lab.Percentile(sum.back, 1), "s")
	t.Metric("checked_edits", float64(sum.held), "edits")
	t.Metric("lost_edits", float64(sum.lost), "edits")
	if sum.majority > 0 || sum.lost > 0 {
		return fmt.Errorf("attackers were most of the hosts %d times, %d acknowledged edits are lost", sum.majority, sum.lost)
	}
	return nil
}

// takeOver attacks a world.
func takeOver(t *lab.Trial, nodes, editors int, hosting string, plan takeoverPlan) (r takenWorld, err error) {
	err = withMasonsIn(t, nodes, editors, clusterSetup{admission: admission{hosting: hosting}}, func(c *cluster, es *masons) (err error) {
		t.Logf("%s world: %d nodes, %d editors", hosting, nodes, editors)
		r, err = c.besiege(t, es, plan)
		return err
	})
	return r, err
}

// besiege lets attackers come while players edit, stay, and leave with all they had.
func (c *cluster) besiege(t *lab.Trial, es *masons, plan takeoverPlan) (r takenWorld, err error) {
	region := c.spawn.Region()
	if _, err := c.settled(region, 3); err != nil {
		return r, err
	}
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	reports := es.play(ctx)
	if err := lab.Sleep(c.ctx, plan.load); err != nil {
		return r, err
	}
	s := &siege{cluster: c, result: &r}
	defer s.leave()
	if err := s.arrive(plan); err != nil {
		return r, err
	}
	t.Logf("%d attackers have joined", len(s.attackers))
	if err := s.hold(es, reports, plan); err != nil {
		return r, err
	}
	left := time.Now()
	if err := s.leave(); err != nil {
		return r, err
	}
	for i := range es.all {
		took, err := again(ctx, reports[i], left, lossTime)
		if err != nil {
			return r, fmt.Errorf("editor %d, after the attackers have left: %w", i, err)
		}
		r.back = append(r.back, took.Seconds())
	}
	stop()
	want, began := es.settle(nil), time.Now()
	r.held, r.lost, _, err = c.look(want, 0)
	r.entered = time.Since(began).Seconds()
	t.Logf("edits accepted %.1f s after they left; %d of %d acknowledged edits lost", lab.Percentile(r.back, 1), r.lost, r.held)
	return r, err
}

// siege is the attackers' stay in a world.
type siege struct {
	*cluster
	attackers []*NodeProcess
	result    *takenWorld
}

// arrive starts attackers near the keys of the region and of the lobby.
func (s *siege) arrive(plan takeoverPlan) error {
	for _, p := range []shards.Shard{{Region: s.spawn.Region()}, {Lobby: true}} {
		keys, err := searchKeys(s.nodes[0].World, p, plan.attackers, plan.keys)
		if err != nil {
			return err
		}
		for _, key := range keys {
			data := filepath.Join(s.dir, fmt.Sprint("attacker", len(s.attackers)))
			if err := giveKey(data, key); err != nil {
				return err
			}
			a, err := s.start(data, "")
			if err != nil {
				return fmt.Errorf("attacker %d: %w", len(s.attackers), err)
			}
			s.attackers = append(s.attackers, a)
		}
	}
	return nil
}

// hold waits while hosts of the region fail one after the other, and counts attackers
// among the hosts.
func (s *siege) hold(es *masons, reports []chan Edit, plan takeoverPlan) error {
	if plan.restarts == 0 {
		return s.count(plan.down)
	}
	for range plan.restarts {
		victim, err := s.settled(s.spawn.Region(), 3)
		if err == nil && victim == nil {
			err = errors.New("the nodes do not agree on who leads the region")
		}
		if err != nil {
			return err
		}
		if err = s.kill(victim); err == nil {
			err = s.count(plan.down)
		}
		if err == nil {
			err = s.revive(victim)
		}
		if err == nil {
			err = s.rejoin(es, victim)
		}
		if err != nil {
			return err
		}
		for i, e := range es.all {
			if es.at[i] == victim {
				go e.Play(s.ctx, reports[i])
			}
		}
	}
	return s.count(plan.down)
}

// count counts attackers among the hosts of the region and of the lobby for a while.
func (s *siege) count(long time.Duration) error {
	region := s.spawn.Region()
	for end := time.Now().Add(long); time.Now().Before(end); {
		for _, o := range []NodeOrder{{Region: &region}, {Lobby: true}} {
			n := 0
			for _, a := range s.attackers {
				r, err := a.Ask(o)
				if err != nil {
					return err
				}
				n += lab.Indicator(r.Holds)
			}
			s.result.most = max(s.result.most, n)
			s.result.looks++
			s.result.majority += lab.Indicator(n > 1)
		}
		if err := lab.Sleep(s.ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// leave kills the attackers and deletes what they have.
func (s *siege) leave() (err error) {
	for _, a := range s.attackers {
		err = errors.Join(err, a.Kill(), os.RemoveAll(a.Data))
	}
	s.attackers = nil
	return err
}
