package host

import (
	"context"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/node"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

// hostsTime bounds how long the node may take to say who hosts the world.
const hostsTime = 2 * time.Second

// hosts is what clients are told of who hosts the world.
func (h *Host) hosts() *wire.Hosts {
	ctx, cancel := context.WithTimeout(context.Background(), hostsTime)
	defer cancel()
	s, err := h.Stats(ctx)
	if err != nil {
		return &wire.Hosts{} // the node is stopping
	}
	return hostsOf(s)
}

// hostsOf lists the node itself and the regions that are awake on it.
func hostsOf(s node.Stats) *wire.Hosts {
	out := &wire.Hosts{Nodes: []wire.HostNode{{Leads: uint32(len(s.Regions))}}}
	for i := range s.Regions[:min(len(s.Regions), wire.MaxHostRegions)] {
		r := &s.Regions[i]
		out.Regions = append(out.Regions, wire.HostRegion{
			Region: r.Pos, Awake: true, Players: uint32(r.Figures.Players), Members: []uint32{0},
		})
	}
	return out
}
