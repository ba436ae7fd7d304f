package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// MisbehaviourScore is the authority's side of false views (thesis 4.8): it counts. A view
// that names an absent node counts against its sender; one that leaves a node
// out is a dispute in which either of the two may lie, and counts against both.
// Who is in more than a node of its age may be is to be excluded: the lifetime
// is considered, so that old honest nodes do not add up to a threshold.
type MisbehaviourScore struct {
	// Valid reports whether a view bears its source's signature.
	Valid func(*NetworkView) bool
	// Free is how many counts a node has to begin with, and one more for each
	// Each of its life. Zero: 20, and an hour.
	Free int
	Each time.Duration

	counts map[id.ID]int
	heard  map[messageKey]bool // a view counts once for each node it wrongs
}

// Add takes evidence and returns who is to be excluded by it. born tells when a
// node's certificate was issued.
func (c *MisbehaviourScore) Add(e Evidence, born func(id.ID) machine.Time) (guilty []id.ID) {
	if e.View == nil || e.View.Source == nil || e.Node == nil || c.Valid != nil && !c.Valid(e.View) {
		return nil
	}
	accused := e.View.Source.ID
	key := messageKey{accused, uint64(e.View.Stamp)}
	if c.heard[key] || e.View.Names(e.Node) != (e.Accusation == Absent) {
		return nil
	}
	if c.counts == nil {
		c.counts, c.heard = map[id.ID]int{}, map[messageKey]bool{}
	}
	c.heard[key] = true
	for _, who := range []id.ID{accused, e.Node.ID} {
		if who == e.Node.ID && e.Accusation == Absent {
			continue
		}
		c.counts[who]++
		if c.counts[who] > c.allowed(e.Seen.Sub(born(who))) {
			guilty = append(guilty, who)
		}
	}
	return guilty
}

func (c *MisbehaviourScore) allowed(age time.Duration) int {
	free, each := c.Free, c.Each
	if free == 0 {
		free = 20
	}
	if each == 0 {
		each = time.Hour
	}
	return free + int(age/each)
}
