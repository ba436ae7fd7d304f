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
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
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
		t.Reject("lies", fmt.Sprintf("a part of one of %q", LieNames()))
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
		err = withMasons(t, first, editors, func(c *cluster, es *masons) (err error) {
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

// begin lets players edit until a region has had the same leader and three hosts for a
// while, and so many of these replay its log, and then lets a host lie.
func (c *cluster) begin(es *masons, what lie, load time.Duration, follow int, allowed func(leader *NodeProcess) error) (leader, liar *NodeProcess, began time.Time, err error) {
	region := c.spawn.Region()
	if leader, err = c.steady(region, load); err == nil {
		err = allowed(leader)
	}
	if err == nil {
		err = c.replayed(region, leader, follow)
	}
	if liar = leader; err == nil && what.follows {
		liar, err = c.follower(region, leader)
	}
	var built world.Pos
	if err == nil {
		built, err = es.builtIn(region)
	}
	if err != nil {
		return nil, nil, began, err
	}
	o := NodeOrder{Region: &region, Lie: what.name, Place: &built}
	for _, who := range es.who {
		o.Players = append(o.Players, who.Player())
	}
	if began = time.Now(); !what.restarts {
		_, err = liar.Ask(o)
	}
	return leader, liar, began, err
}

// replayed waits until so many hosts of a region besides its leader replay logs.
func (c *cluster) replayed(region world.RegionPos, leader *NodeProcess, follow int) error {
	hosts, err := c.hosts(region)
	if err != nil {
		return err
	}
	delete(hosts, leader)
	first := map[*NodeProcess]uint64{}
	for end := time.Now().Add(SettleTime); time.Now().Before(end); {
		more := 0
		for p := range hosts {
			r, err := p.Ask(NodeOrder{})
			if err != nil {
				return err
			}
			if n, ok := first[p]; !ok {
				first[p] = r.Replayed
			} else if r.Replayed > n {
				more++
			}
		}
		if more >= follow {
			return nil
		}
		if err := lab.Sleep(c.ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("less than %d hosts of the region %v have replayed its log within %v", follow, region, SettleTime)
}

// follower is a host of a region that does not lead it.
func (c *cluster) follower(region world.RegionPos, leader *NodeProcess) (*NodeProcess, error) {
	hosts, err := c.hosts(region)
	if err != nil {
		return nil, err
	}
	for _, p := range c.nodes {
		if _, is := hosts[p]; is && p != leader {
			return p, nil
		}
	}
	return nil, errOtherHosts
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
		if err = c.putBackDisk(liar, load); err != nil {
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

// leadsNoLobby refuses a leader of a region that hosts the lobby too, for lies about the
// lobby: what a host of the lobby says is believed in part (README, limits).
func (c *cluster) leadsNoLobby(what lie, leader *NodeProcess) error {
	r, err := leader.Ask(NodeOrder{Lobby: true})
	if err == nil && what.lobby && r.Holds {
		err = errOtherHosts
	}
	return err
}

// operators are the players that take themselves for operators.
func (es *masons) operators() (list []bool) {
	for _, e := range es.all {
		list = append(list, e.Self().Operator)
	}
	return list
}

// putBackDisk lets a node play on for a while, kills it, and starts it again with its disk as
// it was before.
func (c *cluster) putBackDisk(p *NodeProcess, load time.Duration) error {
	disk, old := filepath.Join(p.Data, "worlds"), p.Data+".old"
	err := p.whileStopped(func() error { return os.CopyFS(old, os.DirFS(disk)) })
	if err == nil {
		err = lab.Sleep(c.ctx, load)
	}
	if err == nil {
		err = errors.Join(c.kill(p), os.RemoveAll(disk), os.Rename(old, disk))
	}
	if err == nil {
		err = c.revive(p)
	}
	return err
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

// wait waits until something is done, at most for some time: it notes when two nodes have
// convicted the liar, when another than the leader leads, and how many convictions there are of
// others.
func (c *cluster) wait(leader *NodeProcess, liar id.ID, region world.RegionPos, began time.Time, most time.Duration, o *lieOutcome, done func() bool) error {
	for end := time.Now().Add(most); time.Now().Before(end) && !done(); {
		o.by, o.honest = 0, 0
		for _, p := range c.nodes {
			if p.dead {
				continue
			}
			r, err := p.Ask(NodeOrder{Region: &region})
			if err != nil {
				return err
			}
			for _, who := range r.Convicted {
				if who == liar {
					o.by++
				} else {
					o.honest++
				}
			}
			if r.Leader == p.Self && p != leader && o.replace == 0 {
				o.replace = time.Since(began).Seconds()
			}
		}
		if o.by >= 2 && !o.caught {
			o.caught, o.convict = true, time.Since(began).Seconds()
		}
		if err := lab.Sleep(c.ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
