package hostinglab

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Lifetime = lab.Experiment{
	Name:          "lie-lifetime",
	Shows:         "how long lies of hosts live where many hosts lie together, and how many are never noticed",
	Source:        "nobody",
	Deterministic: true,
	Settings: []lab.Setting{
		{Name: "nodes", Default: "500", Text: "of the world"},
		{Name: "regions", Default: "20000", Text: "with three hosts each, drawn at random; where one lies, it leads"},
		{Name: "liars", Default: "10,20,30", Unit: "%", Text: "of the nodes, which lie together"},
		{Name: "visitors", Default: "2", Text: "nodes with players in a region"},
		{Name: "every", Default: "10", Unit: "s", Text: "between two lies"},
		{Name: "minutes", Default: "10", Text: "that a lie is watched"},
	},
	Run: lieLifetime,
}

// Of the nodes that the model stands for: packages regionlog and node.
const (
	checkpoint  = time.Second            // between two that are signed
	checking    = 300 * time.Millisecond // links, replay, and the proof once more
	election    = 500 * time.Millisecond // until another leads whom both followers want
	drawFirst   = 15 * time.Second       // an auditor is drawn then at first,
	drawSpread  = 30 * time.Second       // and so much later at most
	auditTakes  = 2 * time.Second
	pieceAtMost = 9 * time.Second // that an audit sees, before the checkpoint; half of it on average
	nearNodes   = 5               // that are asked whether a replica may go on
)

// lifetimes are what became of the regions with a leader that lies.
type lifetimes struct {
	rand     *rand.Rand
	share    float64 // of nodes that lie
	visitors int
	every    time.Duration
	horizon  time.Duration

	noticed, replaced []time.Duration
	lying, never      int
}

func lieLifetime(t *lab.Trial) error {
	nodes, regions, visitors := t.Int("nodes", 10), t.Int("regions", 1), t.Int("visitors", 1)
	every, minutes := t.Float("every", 0.1), t.Float("minutes", 0.1)
	shares := t.Floats("liars", 0)
	if err := t.Settings(); err != nil {
		return err
	}
	table := lab.Table{Name: "lie-lifetime", Title: "Regions whose leader lies",
		Columns: []string{"liars, %", "accomplices among its followers", "regions", "noticed, s, p50", "p99", "not noticed, %", "replaced, %", "replaced, s, p99"}}
	for _, percent := range shares {
		var all lifetimes
		for accomplices := range 3 {
			x := &lifetimes{
				rand: rand.New(rand.NewPCG(t.Seed, uint64(percent*100)+uint64(accomplices))), share: percent / 100, visitors: visitors,
				every: time.Duration(every * float64(time.Second)), horizon: time.Duration(minutes * float64(time.Minute)),
			}
			evil := int(math.Round(percent / 100 * float64(nodes)))
			for range regions {
				if x.drawHosts(nodes, evil) == accomplices+1 {
					x.region(accomplices)
				}
			}
			all.take(x)
			if x.lying > 0 {
				x.row(&table, percent, accomplices)
			}
		}
		all.row(&table, percent, "any")
		if percent == shares[len(shares)-1] {
			t.Metric("lie_life_p99_s", seconds(quantile(all.noticed, 0.99)), "s")
			t.Metric("unnoticed_share", float64(all.never)/float64(max(1, all.lying)), "")
		}
	}
	t.Table(table)
	return nil
}

// drawHosts draws three hosts, and returns how many of them lie.
func (x *lifetimes) drawHosts(nodes, evil int) (liars int) {
	for i := range 3 {
		if x.rand.IntN(nodes-i) < evil-liars {
			liars++
		}
	}
	return liars
}

// region is what becomes of a region whose leader has so many accomplices among its two
// followers.
func (x *lifetimes) region(accomplices int) {
	x.lying++
	if accomplices < 2 { // an honest follower replays all
		at := x.upTo(checkpoint) + checking
		x.noticed = append(x.noticed, at)
		if accomplices == 0 {
			x.replaced = append(x.replaced, at+election)
		} else if after, ok := x.continues(); ok {
			x.replaced = append(x.replaced, at+after)
		}
		return
	}
	if at, ok := x.audited(); ok {
		x.noticed = append(x.noticed, at)
	} else {
		x.never++
	}
}

// continues is when the honest one of three goes on without the others. The accomplice
// says nothing, which is waited for longest; nodes near the key that lie do not answer.
func (x *lifetimes) continues() (time.Duration, bool) {
	r := hostpolicy.Replacement{Others: 1, Near: 1 + nearNodes, Answered: 1}
	for range nearNodes {
		if x.rand.Float64() >= x.share {
			r.Answered++
		}
	}
	for ; r.Leaderless <= x.horizon; r.Leaderless += time.Second {
		if r.MayReplace() {
			return r.Leaderless, true
		}
	}
	return 0, false
}

// audited is when an auditor convicts a leader whom no follower checks. Visitors' nodes
// that lie draw nobody, and auditors that lie say nothing.
func (x *lifetimes) audited() (time.Duration, bool) {
	best := x.horizon
	offset := x.upTo(x.every) // of the lies against the audits
	for range x.visitors {
		if x.rand.Float64() < x.share {
			continue
		}
		for at := x.upTo(drawFirst + drawSpread); at < best; at += drawFirst + x.upTo(drawSpread) {
			sinceLie := (at + offset) % x.every
			if x.rand.Float64() >= x.share && sinceLie < x.upTo(pieceAtMost) && sinceLie <= at {
				best = at + auditTakes
			}
		}
	}
	return best, best < x.horizon
}

func (x *lifetimes) upTo(d time.Duration) time.Duration {
	return time.Duration(x.rand.Float64() * float64(d))
}

// take adds what another has counted.
func (x *lifetimes) take(o *lifetimes) {
	x.noticed, x.replaced = append(x.noticed, o.noticed...), append(x.replaced, o.replaced...)
	x.lying, x.never = x.lying+o.lying, x.never+o.never
}

func (x *lifetimes) row(t *lab.Table, percent float64, accomplices any) {
	part := func(n int) float64 { return 100 * float64(n) / float64(max(1, x.lying)) }
	t.Row(percent, accomplices, x.lying, seconds(quantile(x.noticed, 0.5)), seconds(quantile(x.noticed, 0.99)), part(x.never), part(len(x.replaced)), seconds(quantile(x.replaced, 0.99)))
}

func seconds(d time.Duration) float64 { return d.Seconds() }

// quantile is that of a list; 0 of an empty one.
func quantile(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(len(list)-1, int(q*float64(len(list))))]
}
