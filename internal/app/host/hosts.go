package host

import (
	"context"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// hostsTime bounds how long the node may take to say who hosts the world.
const hostsTime = 2 * time.Second

// maxMembers is how many members of a region's group clients are told.
const maxMembers = 16

// maxCorners is how many corners of a cell clients are told.
const maxCorners = 64

// hosts is what clients are told of who hosts the world.
func (h *Host) hosts() *wire.Hosts {
	ctx, cancel := context.WithTimeout(context.Background(), hostsTime)
	defer cancel()
	s, err := h.Stats(ctx)
	if err != nil {
		return &wire.Hosts{} // the node is stopping
	}
	trips, err := h.loop.Trips(ctx)
	if err != nil {
		return &wire.Hosts{}
	}
	out := hostsOf(s, trips)
	if h.loop.Call(ctx, func() { _, lands, _ := h.node.Overview(); out.Lands = landsOf(lands) }) != nil {
		return &wire.Hosts{}
	}
	return out
}

// landsOf is the land that clients are told of.
func landsOf(lands []decision.SignedLand) (out []wire.HostLand) {
	eachLand(lands, func(name, owner string, z world.Zone) {
		if len(out) < wire.MaxHostLands {
			out = append(out, wire.HostLand{Name: name, Owner: owner, From: wire.Corner{X: z.Min.X, Z: z.Min.Z}, To: wire.Corner{X: z.Max.X, Z: z.Max.Z}})
		}
	})
	return out
}

// nodeList numbers nodes.
type nodeList struct {
	out   *wire.Hosts
	index map[id.ID]uint32
	trips map[id.ID]time.Duration // to those that there is a link to
}

// number returns a node's place in the list, false if the list is full.
func (l *nodeList) number(p machine.Peer) (uint32, bool) {
	i, ok := l.index[p.ID]
	if !ok && len(l.out.Nodes) < wire.MaxHostNodes {
		i, ok = uint32(len(l.out.Nodes)), true
		l.index[p.ID] = i
		l.out.Nodes = append(l.out.Nodes, wire.HostNode{Node: p.ID, Trip: uint32(l.trips[p.ID].Microseconds())})
	}
	return i, ok
}

// hostsOf lists the node itself, the nodes that it has links to, and the
// regions that it knows the hosts of: those that are awake here, and, in a world
// of several nodes, those that it keeps or that its players use.
func hostsOf(s node.Stats, trips map[id.ID]time.Duration) *wire.Hosts {
	l := nodeList{out: &wire.Hosts{}, index: map[id.ID]uint32{}, trips: trips}
	self, _ := l.number(s.Self)
	for _, p := range s.Linked {
		l.number(p)
	}
	l.cells(s.Place)
	here := map[world.RegionPos]*node.RegionStats{}
	for i := range s.Regions {
		here[s.Regions[i].Pos] = &s.Regions[i]
	}
	told := map[world.RegionPos]bool{}
	add := func(r wire.HostRegion) {
		if len(l.out.Regions) < wire.MaxHostRegions && len(r.Members) > 0 {
			told[r.Region] = true
			l.out.Regions = append(l.out.Regions, r)
			l.out.Nodes[r.Members[0]].Leads++
		}
	}
	for _, p := range s.Shards {
		if p.Shard.Lobby {
			continue
		}
		r := wire.HostRegion{Region: p.Shard.Region, Awake: !p.Asleep && p.Leader != machine.Peer{}}
		if f := here[r.Region]; f != nil {
			r.Players = uint32(f.Figures.Players)
		}
		r.Members = l.members(p)
		add(r)
	}
	for i := range s.Regions {
		if r := &s.Regions[i]; !told[r.Pos] {
			add(wire.HostRegion{Region: r.Pos, Awake: true, Players: uint32(r.Figures.Players), Members: []uint32{self}})
		}
	}
	l.storage(s.Storage)
	l.out.Convicted = s.Convicted[:min(len(s.Convicted), wire.MaxHostConvicted)]
	return l.out
}

// cells adds what is known of the overlay: places and Voronoi cells of the node
// and its neighbours, and who of them are neighbours of each other.
func (l *nodeList) cells(p *verifiedworld.Place) {
	if p == nil {
		return
	}
	show := func(i uint32, cell []world.Pos, at world.Pos) {
		l.out.Nodes[i].Cell, l.out.Nodes[i].Place = corners(cell), wire.Corner{X: at.X, Z: at.Z}
	}
	show(0, p.Cell, p.At)
	for _, n := range p.Neighbours {
		if i, ok := l.number(n.Peer); ok {
			show(i, n.Cell, n.At)
			l.link(0, i)
		}
	}
	for _, n := range p.Neighbours {
		for _, far := range n.Near {
			from, here := l.index[n.Peer.ID]
			if to, known := l.index[far]; here && known && len(l.out.Nodes[to].Cell) > 0 {
				l.link(from, to)
			}
		}
	}
}

// link notes two neighbours, once.
func (l *nodeList) link(a, b uint32) {
	link := wire.HostLink{A: min(a, b), B: max(a, b)}
	if a != b && len(l.out.Links) < wire.MaxHostLinks && !slices.Contains(l.out.Links, link) {
		l.out.Links = append(l.out.Links, link)
	}
}

// corners are those of a cell, if they are not too many for a message.
func corners(cell []world.Pos) (out []wire.Corner) {
	if len(cell) > maxCorners {
		return nil
	}
	for _, c := range cell {
		out = append(out, wire.Corner{X: c.X, Z: c.Z})
	}
	return out
}

// members are the places of a part's hosts, the leader first.
func (l *nodeList) members(p node.ShardStats) (out []uint32) {
	lead := p.Members
	if p.Leader != (machine.Peer{}) {
		lead = append([]machine.Peer{p.Leader}, lead...)
	}
	for i, m := range lead {
		if i > 0 && m.ID == p.Leader.ID || len(out) == maxMembers {
			continue
		}
		if n, ok := l.number(m); ok {
			out = append(out, n)
		}
	}
	return out
}

// storage adds what the node knows of the storage.
func (l *nodeList) storage(s *verifiedworld.StorageStats) {
	if s == nil {
		return
	}
	t := wire.HostStorage{
		Update: s.Of, Begin: int64(s.Begin) / int64(time.Millisecond), Every: uint32(s.Every.Milliseconds()),
		Zone: uint32(s.Zone), Zones: uint32(s.Zones), Votes: uint32(s.Votes), Failed: uint32(s.Failed), ObservedAt: s.ObservedAt,
	}
	for _, p := range s.Cells[:min(len(s.Cells), wire.MaxHostCells)] {
		if i, ok := l.number(p.Peer); ok {
			t.Cells = append(t.Cells, wire.HostCell{Node: i, Zone: uint32(p.Zone), Cell: corners(p.Cell)})
		}
	}
	for _, c := range s.Observed[:min(len(s.Observed), wire.MaxHostObserved)] {
		look := wire.HostObserved{Region: c.Region, Agreed: c.Agreed}
		for _, by := range c.Storers[:min(len(c.Storers), wire.MaxHostStorers)] {
			if i, ok := l.number(by.Peer); ok {
				look.Storers = append(look.Storers, wire.HostStorer{Node: i, Zone: uint32(by.Zone)})
			}
		}
		t.Observed = append(t.Observed, look)
	}
	for _, who := range id.Sorted(s.Accused)[:min(len(s.Accused), wire.MaxHostAccused)] {
		a := s.Accused[who]
		t.Accused = append(t.Accused, wire.HostAccused{
			Node: who, At: int64(a.When) / int64(time.Millisecond), Update: a.Of, Region: a.Region,
			Zones: uint32(a.Zones), Proofs: uint32(a.Proofs), Cut: a.Cut,
		})
	}
	l.out.Storage = append(l.out.Storage, t)
}
