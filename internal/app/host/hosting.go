package host

import (
	"context"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

// hosting is the node's share of the world, for /status.
func (h *Host) hosting(ctx context.Context, s *node.Stats) (out gateway.Hosting, err error) {
	if s.Self == (machine.Peer{}) {
		return out, nil
	}
	trips, err := h.loop.Trips(ctx)
	if err != nil {
		return out, err
	}
	out.Node, out.Address, out.Links = s.Self.ID.String(), h.NodeAddr().String(), len(s.Linked)
	for _, p := range s.Linked {
		out.Peers = append(out.Peers, gateway.PeerNode{
			Node: p.ID.String(), Address: p.Addr.AddrPort().String(), Trip: float64(trips[p.ID]) / float64(time.Millisecond),
		})
	}
	for i := range s.Shards {
		part := share(&s.Shards[i], s.Self)
		if part.Role == "leads" {
			out.Leads++
		}
		if part.Role != "none" {
			out.Replicas++
		}
		out.Shards = append(out.Shards, part)
	}
	out.Compared = s.ColumnsCompared
	for _, who := range s.Convicted {
		out.Convicted = append(out.Convicted, who.String())
	}
	players := 0
	for i := range s.Regions {
		players += s.Regions[i].Figures.Players
	}
	out.Capacity = h.load.capacity(out.Replicas, players)
	out.Overlay, out.Storage = placeOf(s.Place), storageOf(s.Storage)
	net, err := h.loop.NetStats(ctx)
	for i := range net.Socket.In {
		out.NetIn += net.Socket.In[i].Bytes
		out.NetOut += net.Socket.Out[i].Bytes
	}
	out.Net = net
	out.NetDrops = net.Socket.Dropped + net.Socket.Kernel
	return out, err
}

// storageOf is a node's part of the storage.
func storageOf(s *verifiedworld.StorageStats) *gateway.Storage {
	if s == nil {
		return nil
	}
	out := &gateway.Storage{
		Begin: time.Unix(0, int64(s.Begin)).UTC(), Every: s.Every.Seconds(), Update: s.Of, Zone: s.Zone, Zones: s.Zones, Votes: s.Votes,
		Objects: s.Objects, Unknown: s.Unknown, Updates: s.Updates, Failed: s.Failed, False: s.False, ObservedAt: s.ObservedAt,
	}
	if w := s.Witness; w != nil {
		out.Audit = &gateway.Audit{
			Update: w.Of, Present: w.Present, Waiting: w.Waiting, Taken: w.Taken, Refused: w.Refused,
			Compared: w.Compared, Differing: w.Differing, Accusations: w.Accusations,
		}
	}
	for i := range s.LeaderAccusations {
		c := &s.LeaderAccusations[i]
		out.Accusations = append(out.Accusations, gateway.Accusation{
			Time: time.Unix(0, int64(c.When)).UTC(), Leader: c.Leader.ID.String(), Region: [2]int32{c.Region.X, c.Region.Z}, What: c.What(),
		})
	}
	for _, who := range id.Sorted(s.Accused) {
		a := s.Accused[who]
		out.Accused = append(out.Accused, gateway.Accused{
			Node: who.String(), Time: time.Unix(0, int64(a.When)).UTC(), Update: a.Of, Region: [2]int32{a.Region.X, a.Region.Z},
			Zones: a.Zones, Proofs: a.Proofs, Cut: a.Cut,
		})
	}
	for _, p := range s.Cells {
		out.Cells = append(out.Cells, gateway.StoredCell{Node: p.Peer.ID.String(), Zone: p.Zone, Cell: cornersOf(p.Cell)})
	}
	for _, l := range s.Observed {
		look := gateway.ObservedRegion{Region: [2]int32{l.Region.X, l.Region.Z}, Agreed: l.Agreed}
		for _, by := range l.Storers {
			look.Storers = append(look.Storers, gateway.Storer{Node: by.Peer.ID.String(), Zone: by.Zone})
		}
		out.Observed = append(out.Observed, look)
	}
	return out
}

// placeOf is a node's place in the overlay.
func placeOf(p *verifiedworld.Place) *gateway.Overlay {
	if p == nil {
		return nil
	}
	out := &gateway.Overlay{
		Place: [2]int32{p.Pos.X, p.Pos.Y}, Stable: p.Stable, Links: p.Links, Cell: cornersOf(p.Cell),
		Evidence: p.Reports, Revocations: p.Revoked,
	}
	for _, n := range p.Neighbours {
		out.Neighbours = append(out.Neighbours, gateway.Neighbour{
			Node: n.Peer.ID.String(), Place: [2]int32{n.Pos.X, n.Pos.Y}, Cell: cornersOf(n.Cell),
		})
	}
	return out
}

func cornersOf(cell []world.Pos) (out [][2]int32) {
	for _, c := range cell {
		out = append(out, [2]int32{c.X, c.Z})
	}
	return out
}

// share says what a node has to do with a part of the world.
func share(v *node.ShardStats, self machine.Peer) gateway.Shard {
	s := gateway.Shard{Shard: "lobby", Role: "none", Awake: !v.Asleep && v.Leader != machine.Peer{}}
	if !v.Shard.Lobby {
		s.Shard = fmt.Sprintf("%d,%d", v.Shard.Region.X, v.Shard.Region.Z)
	}
	switch {
	case v.Leader == self:
		s.Role = "leads"
	case v.Held:
		s.Role = "copy"
	}
	if v.Leader != (machine.Peer{}) {
		s.Leader = v.Leader.ID.Short()
	}
	for _, p := range v.Members {
		s.Members = append(s.Members, p.ID.Short())
	}
	if v.Restored != 0 {
		s.Restored = time.Unix(0, int64(v.Restored)).UTC().Format(time.RFC3339)
	}
	return s
}

// diskFigures are what the store has written.
func diskFigures(d disk.Stats) gateway.Disk {
	return gateway.Disk{
		Writes: d.Writes, Syncs: d.Syncs, Bytes: d.Bytes, Refused: d.Refused,
		MaxSyncMs: float64(d.MaxSync) / float64(time.Millisecond),
	}
}
