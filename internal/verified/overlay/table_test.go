package overlay_test

import (
	"testing"
	"time"
)

// TestTable: 4.2.4 and 4.5, entries hold nodes of their zones; all that could be
// filled on the top layer are; nearly all hold the node that is nearest to
// their target position, for which there are hints (thesis table 6.10: 88, 90 and
// 97 % of 200 nodes).
func TestTable(t *testing.T) {
	for _, r := range []int{4, 9, 16} {
		b := grown(t, 3, r, 80)
		b.sim.Run(5 * time.Minute)
		var filled, closest, symmetric, top int
		for _, m := range b.all {
			for _, e := range m.node().Table(nil) {
				slot, ok := b.space.SlotOf(m.self.Pos, e.Node.Pos)
				if !ok || slot != e.Slot {
					t.Fatalf("r %d: node %v in entry %+v of %v", r, e.Node.Pos, e.Slot, m.self.Pos)
				}
				filled++
				if e.Slot.Layer == 0 {
					top++
				}
				if b.nearestIn(m, e.Slot).self == e.Node {
					closest++
				}
				for _, back := range b.of(e.Node).node().Table(nil) {
					if back.Node == m.self {
						symmetric++
					}
				}
			}
		}
		t.Logf("r %d: %d filled, %.2f symmetric, %.2f closest", r, filled,
			float64(symmetric)/float64(filled), float64(closest)/float64(filled))
		if want := len(b.all) * (r - 1); top < want*99/100 {
			t.Errorf("r %d: %d of %d entries of the top layer are filled", r, top, want)
		}
		if closest < filled*97/100 {
			t.Errorf("r %d: %d of %d entries hold the nearest node", r, closest, filled)
		}
	}
}
