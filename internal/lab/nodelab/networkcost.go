package nodelab

import (
	"cmp"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// nodeCost is what one node of a network took while it was measured, and what it
// had to do for that.
type nodeCost struct {
	cpu         float64 // of a core, with its players
	loop        float64 // of that its loop's handlers, by the clock
	led         int     // parts, the lobby among them
	players     int     // in its regions
	subscribers int     // of its regions: sessions and neighbours
	replicas    int     // of parts that others lead
	packets     float64 // sent a second
}

// costs shares out what the process used: used cores in all, by what the profile
// says of each node. What is nobody's, the collector's above all, goes by the same
// shares. Without a profile (a system that has none, or too short a time) all goes
// by the loops' own time.
func costs(used float64, by map[int]time.Duration, loops []float64) []nodeCost {
	out := make([]nodeCost, len(loops))
	var all time.Duration
	for _, took := range by {
		all += took
	}
	total := 0.0
	for _, l := range loops {
		total += l
	}
	for i, l := range loops {
		out[i].loop = l
		if all > 0 {
			out[i].cpu = used * (by[i].Seconds() / all.Seconds())
		} else {
			out[i].cpu = lab.Finite(used * l / total)
		}
	}
	return out
}

// loopTime is how many seconds a loop's handlers have run between two readings.
func loopTime(before, after *transport.Stats) float64 {
	timer, event := after.Timer.Since(&before.Timer), after.Event.Since(&before.Event)
	return (timer.Sum + event.Sum).Seconds()
}

// does notes what a node has to do.
func (c *nodeCost) does(st *node.Stats) {
	for _, p := range st.Shards {
		switch {
		case p.Leader == st.Self:
			c.led++
		case p.Held:
			c.replicas++
		}
	}
	for _, r := range st.Regions {
		c.players += r.Figures.Players
		c.subscribers += r.Figures.Subscribers
	}
}

// busiestShown is how many nodes are listed.
const busiestShown = 6

// busiestTable shows the nodes that cost most, and for comparison the one in the
// middle.
func busiestTable(all []nodeCost) lab.Table {
	t := lab.Table{
		Name: "network-busiest", Title: "The nodes that take most, and the median",
		Columns: []string{"% of a core", "its loop %", "parts led", "players there", "subscribers", "replicas of others' parts", "packets a second"},
	}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b nodeCost) int { return cmp.Compare(b.cpu, a.cpu) })
	for i, c := range sorted {
		if i < busiestShown || i == len(sorted)/2 {
			t.Row(100*c.cpu, 100*c.loop, c.led, c.players, c.subscribers, c.replicas, c.packets)
		}
	}
	return t
}
