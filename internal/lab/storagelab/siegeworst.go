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
func (m mixture) worseThan(o mixture) bool { return m.row.harm().compare(o.row.harm()) > 0 }

// harm is what attackers have achieved, the gravest first. A run ends when it has failed,
// so that who is done early is worse than who has tampered with more in the end.
type harm struct {
	fallen, early, objects, doubts, ineffective, traces, retrievals int
}

func (h harm) compare(o harm) int {
	list := func(h harm) []int {
		return []int{h.fallen, h.early, h.objects, h.doubts, h.ineffective, h.traces, h.retrievals}
	}
	return slices.Compare(list(h), list(o))
}

// never is later than any update of such a run.
const never = 1 << 20

func (r siegeRow) harm() (h harm) {
	h.fallen = r.fallen()
	for _, v := range r.results {
		if v.harmed() {
			h.early += never - int(v.Updates)
		}
		h.objects = max(h.objects, v.Stuck, v.Objects)
		h.doubts += v.Doubtful
		h.ineffective += v.Ineffective
		h.traces += v.Nodes + v.Lost + v.Unsure
		h.retrievals += v.Tampered[messages.ForActions] + v.Tampered[messages.ForUpdate]
	}
	return h
}

// allWays are those that a search can mix.
func allWays() []string {
	all := strings.Split(attack.Names(), ", ")
	return slices.DeleteFunc(all, func(w string) bool { return slices.Contains(strings.Fields(thesisWays), w) })
}

// waysAmong reads the ways that a search mixes.
func waysAmong(t *lab.Trial) []string {
	all, text := allWays(), t.Text("among")
	if text == "all" {
		return all
	}
	names, without := strings.CutPrefix(text, "-")
	some := strings.Split(names, "+")
	for _, w := range some {
		if !slices.Contains(all, w) {
			t.Reject("among", "all, or some of "+strings.Join(all, ", ")+" with + between them, or - and some that are left out")
		}
	}
	if without {
		return slices.DeleteFunc(all, func(w string) bool { return slices.Contains(some, w) })
	}
	return some
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
	slices.SortStableFunc(tried, func(a, b mixture) int { return b.row.harm().compare(a.row.harm()) })
	table := lab.Table{
		Name: "mixtures" + g.key(), Title: fmt.Sprintf("Mixtures of %d attackers, the worst first, seeds %d to %d", m, t.Seed, t.Seed+uint64(w.seeds)-1),
		Columns: []string{"ways", "runs", "failed", "updates until then, least", "objects wrong or unknown", "updates in doubt", "actions without effect", "nodes with something tampered or unsure, objects unknown", "retrievals that found what is not true"},
	}
	for _, m := range tried {
		h, first := m.row.harm(), int64(0)
		for _, v := range m.row.results {
			if v.harmed() && (first == 0 || v.Updates < first) {
				first = v.Updates
			}
		}
		table.Row(m.ways, len(m.row.results), h.fallen, first, h.objects, h.doubts, h.ineffective, h.traces, h.retrievals)
	}
	t.Table(table)
	g.Ways = worst.ways
	return g, nil
}
