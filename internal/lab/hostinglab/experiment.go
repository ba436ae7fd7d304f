package hostinglab

import (
	"math/rand/v2"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Experiment = lab.Experiment{
	Name:          "sybil-hosting",
	Shows:         "for which share of the time attackers have most of the hosts of parts of an open world, if they choose their keys, come at once and stay",
	Source:        "hosts drawn at random, two of three: 0.03, 0.73, 2.8 and 10.4 % at 1, 5, 10 and 20 % of the ids",
	Deterministic: true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "1000", Text: "honest nodes that are there at a time; as many are away"},
		{Name: "online", Default: "4", Unit: "h", Text: "mean length of a session of an honest node, and of an absence"},
		{Name: "parts", Default: "300", Text: "of the world, with three hosts each"},
		{Name: "attackers", Default: "1,5,10,20", Unit: "%", Text: "of the ids that are there"},
		{Name: "before", Default: "336", Unit: "h", Text: "that the world has run when they come"},
		{Name: "days", Default: "1,7", Text: "that they stay"},
		{Name: "seize", Default: "no", Text: "yes: attackers that lead a part give its places to attackers; no: they go by the rules"},
	},
	Run: run,
}

func run(t *lab.Trial) error {
	nodes, parts := t.Int("nodes", 10), t.Int("parts", 1)
	online, before := t.Float("online", 0.1), t.Float("before", 0)
	shares, days, seize := t.Floats("attackers", 0), t.Floats("days", 0.01), t.Flag("seize")
	if err := t.Settings(); err != nil {
		return err
	}
	table := lab.Table{Name: "sybil-hosting", Title: "Share of the time with a majority of attackers",
		Columns: []string{"attackers, %", "days", "of all parts, %", "of the parts that they chose, %", "drawn at random, %"}}
	hours := func(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }
	for _, share := range shares {
		m := &model{rand: rand.New(rand.NewPCG(t.Seed, 26)), byID: map[id.ID]*host{}, online: hours(online), seize: seize}
		m.populate(nodes, parts)
		m.run(hours(before))
		m.arrive(int(share / (100 - share) * float64(nodes)))
		for _, d := range days {
			m.run(hours(before + 24*d))
			all, chosen := m.shares(hours(24 * d))
			x := share / 100
			table.Row(share, d, 100*all, 100*chosen, 100*(3*x*x*(1-x)+x*x*x))
			if share == 10 && d == days[len(days)-1] {
				t.Metric("captured_share", all, "")
				t.Metric("captured_chosen", chosen, "")
			}
		}
	}
	t.Table(table)
	return nil
}
