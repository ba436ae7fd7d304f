package storagelab

import (
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/attack"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// The worst mixture of attackers is looked for step by step: all ways alone, and
// together with the thesis' attackers; then ways are added to the worst as long as that
// makes it worse. That is no proof that there is none worse.

// worstAttack is the name of that mixture as a setting.
const worstAttack = "worst"

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

// worstWays looks for the worst mixture of so many malicious nodes. try does the runs
// with some ways.
func worstWays(all []string, try func(ways string) (siegeRow, error)) (worst mixture, tried []mixture, err error) {
	test := func(ways string) error {
		row, err := try(ways)
		m := mixture{ways, row}
		if tried = append(tried, m); err == nil && (worst.ways == "" || m.worseThan(worst)) {
			worst = m
		}
		return err
	}
	first := []string{"thesis"}
	for _, w := range all {
		if !strings.Contains(thesisWays, w) {
			first = append(first, w, "thesis+"+w)
		}
	}
	for _, ways := range first {
		if err := test(ways); err != nil {
			return worst, tried, err
		}
	}
	for before := ""; before != worst.ways; {
		before = worst.ways
		for _, w := range all {
			if !slices.Contains(strings.Split(before, "+"), w) && !strings.Contains(thesisWays, w) {
				if err := test(before + "+" + w); err != nil {
					return worst, tried, err
				}
			}
		}
	}
	return worst, tried, nil
}

// thesisWays are those that are tried together, as the thesis' attackers.
const thesisWays = "claim parts actions stores tables"

// findWorst sets the ways of a run to the worst mixture, and reports what was tried.
func (g siegeRun) findWorst(t *lab.Trial, list []int, most int) (siegeRun, error) {
	m := most
	if len(list) > 0 {
		m = slices.Max(list)
	} else if m == 0 {
		m = g.most()
	}
	worst, tried, err := worstWays(strings.Split(attack.Names(), ", "), func(ways string) (siegeRow, error) {
		o := g
		o.Ways = ways
		return o.row(t, m, false)
	})
	if err != nil {
		return g, err
	}
	slices.SortStableFunc(tried, func(a, b mixture) int { return slices.Compare(b.row.harm(), a.row.harm()) })
	table := lab.Table{
		Name: "mixtures" + g.key(), Title: "Mixtures of attackers, the worst first",
		Columns: []string{"ways", "malicious", "runs", "failed", "objects wrong or unknown", "updates in doubt", "actions without effect", "retrievals that found what is not true"},
	}
	for _, m := range tried {
		h := m.row.harm()
		table.Row(m.ways, m.row.malicious, len(m.row.results), h[0], h[1], h[2], h[3], h[5])
	}
	t.Table(table)
	g.Ways = worst.ways
	return g, nil
}
