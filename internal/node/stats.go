package node

import (
	"bytes"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
	"github.com/voxelpopuli/voxelpopuli/internal/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// Counts are totals since the node was made.
type Counts struct {
	Messages uint64 // handled by parts
	Sent     uint64 // to sessions
	Woken    uint64 // regions
	Slept    uint64 // regions
	Dropped  uint64 // messages between nodes that could not be brought anywhere
}

// Stats is what a status page shows. Regions stand in the order of waking.
type Stats struct {
	Counts
	Tick     uint64 // of the world, now
	Sessions int
	Writes   int // on their way to the disk
	Timers   int // of parts, that are set
	Regions  []RegionStats
}

// RegionStats is one region that is awake.
type RegionStats struct {
	Pos     world.RegionPos
	Figures region.Stats     // what it has done since it woke
	Tick    timing.Histogram // how long its ticks took, lately
}

// Stats reads the node's figures; a driver calls it like a handler.
func (n *Node) Stats() Stats {
	s := Stats{
		Counts: n.counts, Tick: region.TickAt(n.env.Now(), n.cfg.Region.Epoch),
		Sessions: len(n.links), Writes: n.writes, Timers: len(n.timers.values) - len(n.timers.free),
	}
	var now time.Duration
	if n.cfg.Clock != nil {
		now = n.cfg.Clock()
	}
	for _, p := range n.awake {
		r := RegionStats{Pos: p.pos, Tick: p.took.Recent(now)}
		if m, ok := p.m.(interface{ Stats() region.Stats }); ok {
			r.Figures = m.Stats()
		}
		s.Regions = append(s.Regions, r)
	}
	return s
}

// sessions are the peers of all sessions, in order.
func (n *Node) sessions() []machine.Peer {
	out := make([]machine.Peer, 0, len(n.links))
	for p := range n.links {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b machine.Peer) int {
		if c := bytes.Compare(a.ID[:], b.ID[:]); c != 0 {
			return c
		}
		return bytes.Compare(a.Addr[:], b.Addr[:])
	})
	return out
}
