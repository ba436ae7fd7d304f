package storagelab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The worst mixture of attackers is looked for in rounds: all ways alone, and together
// with the thesis' attackers; then each way is added to the worst, as long as that makes
// it worse and there may be one more. That is no proof that there is none worse. The runs
// of a round do not depend on each other: cores and machines share them.

// worstAttack is the name of that mixture as a setting.
const worstAttack = "worst"

// thesisWays are those that are tried together, as the thesis' attackers.
const thesisWays = "claim parts actions stores tables"

// worstSearch bounds the search.
type worstSearch struct {
	among []string // ways that are mixed, besides the thesis' together
	seeds int      // of each mixture
	most  int      // how many ways are added to the worst of the first round
}

// mixture is a set of ways, and what the runs with it have shown.
type mixture struct {
	ways string
	row  siegeRow
}

// worseThan compares by what a run fails for, and then by what comes before that.
func (m mixture) worseThan(o mixture) bool { return slices.Compare(m.row.harm(), o.row.harm()) > 0 }

// harm is what attackers have achieved, the gravest first.
func (r siegeRow) harm() []int {
	var h [6]int
	for _, v := range r.results {
		h[1] = max(h[1], v.Stuck, v.Objects)
		h[2] += v.Doubtful
		h[3] += v.Ineffective
		h[4] += v.Nodes + v.Lost + v.Unsure
		h[5] += v.Tampered[messages.ForActions] + v.Tampered[messages.ForUpdate]
	}
	h[0] = r.fallen()
	return h[:]
}

// allWays are those that a search can mix.
func allWays() []string {
	all := strings.Split(attack.Names(), ", ")
	return slices.DeleteFunc(all, func(w string) bool { return slices.Contains(strings.Fields(thesisWays), w) })
}

// find looks for the worst mixture of so many malicious nodes. try does the runs of the
// mixtures of a round.
func (w worstSearch) find(try func(round []string) ([]siegeRow, error)) (worst mixture, tried []mixture, err error) {
	round := []string{"thesis"}
	for _, way := range w.among {
		round = append(round, way, "thesis+"+way)
	}
	for added := 0; ; added++ {
		rows, err := try(round)
		if err != nil {
			return worst, tried, err
		}
		before := worst.ways
		for i, row := range rows {
			m := mixture{round[i], row}
			if tried = append(tried, m); worst.ways == "" || m.worseThan(worst) {
				worst = m
			}
		}
		if round = w.after(worst.ways, tried); worst.ways == before || added == w.most || len(round) == 0 {
			return worst, tried, nil
		}
	}
}

// after lists mixtures of one way more that have not been tried, in whatever order their
// ways are.
func (w worstSearch) after(worst string, tried []mixture) (round []string) {
	set := func(ways string) string { return strings.Join(slices.Sorted(strings.SplitSeq(ways, "+")), "+") }
	for _, way := range w.among {
		next := worst + "+" + way
		known := slices.ContainsFunc(tried, func(m mixture) bool { return set(m.ways) == set(next) })
		if !known && !slices.Contains(strings.Split(worst, "+"), way) {
			round = append(round, next)
		}
	}
	return round
}

// findWorst sets the ways of a run to the worst mixture, and reports what was tried.
func (g siegeRun) findWorst(t *lab.Trial, w worstSearch, list []int, most int) (siegeRun, error) {
	m := most
	if len(list) > 0 {
		m = slices.Max(list)
	} else if m == 0 {
		m = g.most()
	}
	worst, tried, err := w.find(func(round []string) ([]siegeRow, error) {
		var runs []siegeRun
		for _, ways := range round {
			o := g
			o.Ways = ways
			for k := range w.seeds {
				runs = append(runs, o.with(t, m, k))
			}
		}
		results, err := lab.DoAll(t, runs)
		if err != nil {
			return nil, err
		}
		rows := make([]siegeRow, len(round))
		for i := range rows {
			rows[i] = siegeRow{m, results[i*w.seeds : (i+1)*w.seeds]}
		}
		return rows, nil
	})
	if err != nil {
		return g, err
	}
	slices.SortStableFunc(tried, func(a, b mixture) int { return slices.Compare(b.row.harm(), a.row.harm()) })
	table := lab.Table{
		Name: "mixtures" + g.key(), Title: fmt.Sprintf("Mixtures of %d attackers, the worst first, seeds %d to %d", m, t.Seed, t.Seed+uint64(w.seeds)-1),
		Columns: []string{"ways", "runs", "failed", "objects wrong or unknown", "updates in doubt", "actions without effect", "nodes with something tampered or unsure, objects unknown", "retrievals that found what is not true"},
	}
	for _, m := range tried {
		h := m.row.harm()
		table.Row(m.ways, len(m.row.results), h[0], h[1], h[2], h[3], h[4], h[5])
	}
	t.Table(table)
	g.Ways = worst.ways
	return g, nil
}
