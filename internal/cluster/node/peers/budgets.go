package peers

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// Budgets bound what each other node may ask of a part.
type Budgets struct {
	part            part.Part
	of              Own[*limit.Budget]
	perSecond, most float64
}

// NewBudgets gives each node so much a second in the long run, and so much at once.
func NewBudgets(c part.Part, l *Links, perSecond, most float64) *Budgets {
	return &Budgets{c, NewOwn[*limit.Budget](l), perSecond, most}
}

// Take takes from a node's budget. What it has no room for is counted as dropped.
func (b *Budgets) Take(f *Remote, n int) bool {
	budget := b.of.Of(f)
	if *budget == nil {
		full := limit.NewBudget(b.perSecond, b.most)
		*budget = &full
	}
	if (*budget).Take(float64(n), time.Unix(0, int64(b.part.Env.Now()))) {
		return true
	}
	b.part.Counts.Dropped++
	return false
}
