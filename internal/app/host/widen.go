package host

import (
	"net"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// widen lets other machines reach this node if they host the world already: a world
// that was shared, or joined, could not be played without them.
func (s *sharer) widen(p *peers) error {
	if !s.cfg.Widen {
		return nil
	}
	elsewhere := p.record.FounderID() != p.id()
	if !elsewhere {
		known, err := s.knownNodes()
		if err != nil {
			return err
		}
		for _, k := range known {
			elsewhere = elsewhere || !k.Addr.AddrPort().Addr().IsLoopback()
		}
	}
	_, port, err := net.SplitHostPort(s.cfg.Nodes)
	if err != nil || !elsewhere {
		return err
	}
	s.cfg.Nodes, s.cfg.MapPort = net.JoinHostPort("", port), !s.cfg.NoPortMapping
	return nil
}

// knownNodes are those that this node knew the last time it ran the world.
func (s *sharer) knownNodes() ([]machine.Peer, error) {
	kvs, err := s.world.Store.Read(machine.DiskRead{Space: part.NodeSpace})
	if err != nil {
		return nil, err
	}
	return node.KnownNodes(kvs), nil
}

// Listens reports whether other machines can reach this node: its port for players,
// and that for nodes.
func (h *Host) Listens() (players, nodes bool) {
	nodes = h.peers != nil && !h.peers.socket.Addr().Addr().IsLoopback()
	return h.listeners.https != nil || !h.listeners.addr.Addr().Unmap().IsLoopback(), nodes
}
