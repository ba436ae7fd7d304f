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

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var LyingHost = lab.Experiment{
	Name:   "lying-host",
	Shows:  "how soon a region's host that lies is convicted and replaced, and what lies come to nothing, by real processes of which one lies",
	Source: "Haeberlen et al., Accountable Virtual Machines (OSDI 2010): 26 of 26 cheats, after the game",
	Settings: []lab.Setting{
		nodesSetting("5"),
		editorsSetting("4"),
		{Name: "rounds", Default: "2", Text: "of each lie, each in a world of its own"},
		{Name: "liars", Default: "1", Text: "of the three hosts; the second checks nothing and goes on following the first"},
		{Name: "lies", Default: "all", Text: "a part of the names of the lies that are told"},
		{Name: "load", Default: "3", Unit: "s", Text: "of editing before the lie"},
	},
	Run: runLyingHost,
}

const (
	// caughtTime bounds how long a lie may go unnoticed, caughtTimeTwo that of two liars, unprovenTime one
	// which nothing proves. idleTime is how long a lie is looked at that comes to nothing.
	caughtTime    = 30 * time.Second
	caughtTimeTwo = time.Minute
	unprovenTime  = 2 * time.Minute
	idleTime      = 15 * time.Second
	// lieWorlds is how many worlds are tried until a region's leader has the hosts that the
	// experiment is about.
	lieWorlds = 8
)

// errOtherHosts is for a world in which the liar, or the accomplice, hosts other parts than the
// experiment is about.
var errOtherHosts = errors.New("the region has other hosts")

// lieOutcome is what came of a lie.
type lieOutcome struct {
	what             *lie
	caught           bool    // what is to come of the lie has come
	convict, replace float64 // s: by the second follower; until another leads
	accepts          float64 // s: until a player at an honest node had an edit accepted
	by               int     // nodes that have convicted the liar
	honest           int     // convictions of honest nodes
	held, lost       int
}

func runLyingHost(t *lab.Trial) error {
	rounds, liars := t.Int("rounds", 1), t.Int("liars", 1)
	if liars > 2 {
		t.Reject("liars", "1 or 2")
	}
	told := func(l lie) bool { return t.Text("lies") == "all" || strings.Contains(l.name, t.Text("lies")) }
	if !slices.ContainsFunc(lies, told) {
		var names []string
		for _, l := range lies {
			names = append(names, l.name)
		}
		t.Reject("lies", fmt.Sprintf("a part of one of %q", names))
	}
	table := lab.Table{Name: "lying-host", Title: fmt.Sprintf("%d of three hosts lie", liars), Columns: []string{"lie", "what is to come of it", "convicted, s", "replaced, s", "an edit accepted, s", "honest nodes convicted", "acknowledged edits looked for", "lost"}}
	var all []lieOutcome
	for _, what := range lies {
		if what.comes != conviction && liars > 1 || !told(what) {
			continue // of two liars it is the others who would have to replace the leader
		}
		for round := range rounds {
			o, err := lieOnce(t, what, liars, round)
			if err != nil {
				return fmt.Errorf("%s: %w", what.name, err)
			}
			o.what = &what
			t.Logf("%s: convicted after %.2f s, replaced after %.2f s (0: never), %d of %d acknowledged edits lost", what.name, o.convict, o.replace, o.lost, o.held)
			table.Row(what.name, what.comes.String(), orNever(o.convict), orNever(o.replace), orNever(o.accepts), o.honest, o.held, o.lost)
			all = append(all, o)
		}
	}
	t.Table(table)
	return reportLies(t, all)
}

// orNever is a time, in a table.
func orNever(seconds float64) any {
	if seconds == 0 {
		return "never"
	}
	return seconds
}

// reportLies reports what came of all lies.
func reportLies(t *lab.Trial, all []lieOutcome) error {
	var convict, replace, suspect []float64
	leads, caught, honest, held, lost := 0, 0, 0, 0, 0
	for _, o := range all {
		if o.caught {
			caught++
		}
		if o.what.comes == conviction || o.what.comes == suspicion {
			leads++
		}
		if o.convict > 0 && o.what.comes == conviction {
			convict = append(convict, o.convict)
		}
		switch {
		case o.replace == 0:
		case o.what.comes == conviction:
			replace = append(replace, o.replace)
		case o.what.comes == suspicion:
			suspect = append(suspect, o.replace)
		}
		honest, held, lost = honest+o.honest, held+o.held, lost+o.lost
	}
	t.Metric("caught_share", float64(caught)/float64(len(all)), "")
	if len(convict) > 0 {
		t.Metric("caught_p99_s", lab.Percentile(convict, 0.99), "s")
	}
	if leads > 0 {
		t.Metric("replaced_share", float64(len(replace)+len(suspect))/float64(leads), "")
	}
	if len(replace) > 0 {
		t.Metric("replaced_p99_s", lab.Percentile(replace, 0.99), "s")
	}
	if len(suspect) > 0 {
		t.Metric("unproven_replaced_p99_s", lab.Percentile(suspect, 0.99), "s")
	}
	t.Metric("honest_convicted", float64(honest), "")
	t.Metric("checked_edits", float64(held), "edits")
	t.Metric("lost_edits", float64(lost), "edits")
	if caught < len(all) || honest > 0 || lost > 0 {
		return fmt.Errorf("%d of %d lies came to what they should, %d honest nodes convicted, %d acknowledged edits lost", caught, len(all), honest, lost)
	}
	return nil
}

// lieOnce lets the leader of the spawn's region lie in a world of its own.
func lieOnce(t *lab.Trial, what lie, liars, round int) (o lieOutcome, err error) {
	nodes, editors, load := t.Int("nodes", 4), t.Int("editors", 2), t.Float("load", 0.2)
	first := nodes
	if liars == 2 {
		first = 2 // the third is the accomplice, which hosts everything with these
	}
	pause := max(lab.Duration(load), what.after)
	for range lieWorlds {
		err = withMasonsIn(t, first, editors, clusterSetup{pairs: what.pairs}, func(c *cluster, es *masons) (err error) {
			if liars == 1 {
				o, err = c.lie(es, what, pause, round)
			} else {
				o, err = c.lieTogether(es, what, pause, nodes, round)
			}
			return err
		})
		if !errors.Is(err, errOtherHosts) {
			break
		}
	}
	return o, err
}

// lie lets a host of the spawn's region lie while players edit.
func (c *cluster) lie(es *masons, what lie, load time.Duration, number int) (o lieOutcome, err error) {
	region := c.spawn.Region()
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	reports := es.play(ctx)
	leader, liar, began, err := c.begin(es, what, load, 2, func(leader *NodeProcess) error { return c.leadsNoLobby(what, leader) })
	if err != nil {
		return o, err
	}
	were := es.operators()
	liar.dead = true // nobody asks it any more; it goes on
	defer func() { liar.dead = false }()
	done, most := func() bool { return o.replace > 0 && o.caught }, caughtTime
	switch {
	case what.comes == suspicion:
		done, most = func() bool { return o.replace > 0 }, unprovenTime
	case what.comes == warning:
		done = func() bool { return slices.ContainsFunc(es.all, func(e *Mason) bool { return e.Told("unsigned") }) }
	case what.comes == nothing:
		done, most = func() bool { return false }, idleTime
	}
	if what.restarts {
		if began, err = c.putBackDisk(liar, load); err != nil {
			return o, err
		}
	}
	if err = c.wait(leader, liar.Self.ID, region, began, most, &o, done); err != nil {
		return o, err
	}
	switch what.comes {
	case conviction:
		o.caught = o.caught && o.replace > 0
	case suspicion:
		o.caught = o.replace > 0
	case warning:
		o.caught = done() && o.by == 0
	case nothing:
		r, err := liar.Ask(NodeOrder{})
		if err != nil {
			return o, err
		}
		if !what.restarts && r.Forged == 0 {
			return o, errors.New("the host has forged nothing")
		}
		leads := o.replace == 0 || what.restarts && liar == leader
		o.caught = leads && o.by == 0 && slices.Equal(were, es.operators())
	}
	for i := range es.all {
		if es.at[i] != liar && o.caught {
			took, err := again(ctx, reports[i], began.Add(lab.Duration(o.replace)), recoverTime)
			if err != nil {
				return o, fmt.Errorf("editor %d: %w", i, err)
			}
			o.accepts = max(o.accepts, took.Seconds()+o.replace)
		}
	}
	stop()
	if o.held, o.lost, _, err = c.look(es.settle(liar), number); err != nil || what.comes != conviction || !o.caught {
		return o, err
	}
	return o, c.explained(liar.Self.ID)
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
