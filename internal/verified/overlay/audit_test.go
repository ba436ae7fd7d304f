package overlay_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay/attack"
)

// besieged is a network whose last nodes answer every request for an entry
// (6.3.4).
func besieged(t *testing.T, seed uint64, honest, greedy int, wary bool) (b *bed, attackers map[id.ID]bool) {
	b = newBed(t, seed, 4)
	grow(b, honest)
	attackers = map[id.ID]bool{}
	b.wrap = func(m *Node) machine.Machine { return attack.Greedy{Node: m, Wary: wary, Space: b.space} }
	for range greedy {
		attackers[b.add().self.ID] = true
		b.sim.Run(time.Second)
	}
	b.wrap = nil
	for range honest {
		b.add()
		b.sim.Run(5 * time.Second)
	}
	b.sim.Run(5 * time.Minute)
	return b, attackers
}

// inTables is the share of attackers in the tables of all others, and how many
// nodes are kept out of them wrongly.
func (b *bed) inTables(attackers map[id.ID]bool) (share float64, wrongly int) {
	var all, bad int
	for _, m := range b.live() {
		if attackers[m.self.ID] {
			continue
		}
		for _, e := range m.node().Table(nil) {
			all++
			if attackers[e.Node.ID] {
				bad++
			}
		}
		for _, other := range b.all {
			if !attackers[other.self.ID] && m.node().Distrusts(other.self) {
				wrongly++
			}
		}
	}
	return float64(bad) / float64(all), wrongly
}

// TestAudit: 6.3.4, who answers every request for an entry is found out and is
// in hardly a table; who answers only where it fits has no more than its share.
func TestAudit(t *testing.T) {
	for seed := range min(seeds(t), 2) {
		for _, wary := range []bool{false, true} {
			b, attackers := besieged(t, seed, 40, 10, wary)
			share, wrongly := b.inTables(attackers)
			fair := float64(len(attackers)) / float64(len(b.all))
			t.Logf("seed %d, wary %v: %.3f of tables, %.3f of the network", seed, wary, share, fair)
			limit := fair / 4
			if wary {
				limit = fair * 2
			}
			if share > limit || wrongly > 0 {
				t.Errorf("seed %d, wary %v: attackers have %.3f of tables, more than %.3f; %d honest nodes are kept out", seed, wary, share, limit, wrongly)
			}
			if wrong := b.wrong(); wrong > 0 {
				t.Errorf("seed %d: %d wrong neighbourhoods", seed, wrong)
			}
		}
	}
}

// TestAuditSpares: nobody honest is kept out of a table, however many come, leave
// and fail.
func TestAuditSpares(t *testing.T) {
	for seed := range min(seeds(t), 2) {
		b := newBed(t, seed, 4)
		grow(b, 40)
		for range 80 {
			live := b.live()
			if gone := live[b.rand.Intn(len(live))]; b.rand.OneIn(3) {
				b.crash(gone)
			} else {
				b.stop(gone)
			}
			b.add()
			b.sim.Run(4 * time.Second)
		}
		if _, wrongly := b.inTables(nil); wrongly > 0 {
			t.Errorf("seed %d: %d honest nodes are kept out of tables", seed, wrongly)
		}
	}
}
