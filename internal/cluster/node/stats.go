package node

import (
	"bytes"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/timing"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Stats is what a status page shows. Regions stand in the order of waking.
type Stats struct {
	part.Counts
	Tick     uint64 // of the world, now
	Sessions int
	Writes   int // on their way to the disk
	Timers   int // of shards, that are set
	Regions  []RegionStats

	// Of a node of several:
	Self      machine.Peer
	Linked    []machine.Peer // nodes that there is a link to
	Convicted []id.ID        // nodes, by replay
	Shards    []ShardStats
	Place     *verifiedworld.Place        // in the overlay; nil: it has none
	Storage   *verifiedworld.StorageStats // of the storage; nil: it has none
}

// ShardStats is what the node knows of where a shard of the world is hosted.
type ShardStats struct {
	Shard   shards.Shard
	Leader  machine.Peer // zero: not known, or asleep
	Members []machine.Peer
	Held    bool // this node has a replica; what follows is what that one knows
	Asleep  bool
	Leads   bool   // and its lease is good at this moment
	Term    uint64 // of the leader; generations of the group come first
	Fork    uint64 // tells apart groups of one generation that were begun apart
	Applied uint64 // entries of the log
	// Restored is the time of the copy that it began with, when it had lost its hosts; 0:
	// it did not.
	Restored machine.Time
}

// shardStats lists what this node hosts or knows the hosts of, in order.
func (w *network) shardStats() (out []ShardStats) {
	for _, h := range w.hosting.all() {
		g, st := h.group, h.group.Raft.Status()
		out = append(out, ShardStats{
			Shard: g.Shard, Leader: g.Leader(), Members: g.Members(), Held: true, Asleep: st.Asleep,
			Leads: g.Leading && st.Leads, Term: shardgroup.TermOf(st.Gen, st.Term), Fork: st.Gen.Fork, Applied: st.Applied, Restored: st.Restored,
		})
	}
	for _, r := range w.routes.All() {
		if w.hosting.LoadedGroup(r.Shard) == nil && len(r.Members) > 0 {
			out = append(out, ShardStats{Shard: r.Shard, Leader: r.Leader, Members: r.Members})
		}
	}
	return out
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
		s.Regions = append(s.Regions, RegionStats{Pos: p.pos, Figures: figuresOf(p), Tick: p.took.Recent(now)})
	}
	if w := n.net; w != nil {
		s.Convicted = w.convicted.All()
		s.Self, s.Shards, s.Place, s.Storage = w.cfg.Self, w.shardStats(), w.verified.Place(), w.verified.StorageStats()
		for _, f := range w.links.Up() {
			s.Linked = append(s.Linked, f.Peer)
		}
	}
	return s
}

func figuresOf(p *submachine) (s region.Stats) {
	if m, ok := p.m.(interface{ Stats() region.Stats }); ok {
		s = m.Stats()
	}
	return s
}

// players is how many players are at home in regions that run here.
func (n *Node) players() (count int) {
	for _, p := range n.awake {
		count += figuresOf(p).Players
	}
	return count
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
