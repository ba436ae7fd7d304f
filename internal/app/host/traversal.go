package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// askPort is a port to ask other nodes from: not the node's own, which must not
// have been used when it is dialled back.
func (c Config) askPort() (net.PacketConn, error) {
	if c.Network == nil {
		return net.ListenUDP("udp", nil)
	}
	name, _, err := net.SplitHostPort(c.Nodes)
	if err != nil {
		return nil, fmt.Errorf("%w: the UDP address %q: %w", ErrUsage, c.Nodes, err)
	}
	return c.Network.ListenPacket("udp4", net.JoinHostPort(name, "0"))
}

// nodePort opens the port for other nodes.
func (c Config) nodePort() (*socket.Socket, error) {
	if c.Network == nil {
		return c.Faults.socket(c.Nodes)
	}
	conn, err := c.Network.ListenPacket("udp4", c.Nodes)
	if err != nil {
		return nil, err
	}
	return socket.New(conn), nil
}

// startTraversal runs a node of several, and waits until its reachability is detected.
func (h *Host) startTraversal(links *transport.NetConfig, net *node.Net, makeNode func(machine.Env) machine.Machine) error {
	p, cfg := h.peers, h.cfg
	h.paths = nat.NewPaths(p.socket, cfg.Network, 0)
	h.circuits = nat.NewCircuits(p.socket, h.hiddenNode)
	ready := make(chan struct{})
	h.mapped = h.router.openForNodes(p.socket.Addr().Port())
	rc := traversal.Config{
		ID: p.id(), Local: machine.AddrFrom(p.local()), Known: p.known, Own: ownAddress, PortMapping: h.mapped,
		Relays: !cfg.NoRelay, PunchAfter: cfg.Faults.Holes, Paths: h.paths, Browsers: h.circuits,
		Make: func(self machine.Peer, env machine.Env) machine.Machine {
			net.Self = self
			if !traversal.IsRelayed(self.Addr) {
				p.at = self.Addr.AddrPort()
			}
			close(ready)
			return makeNode(env)
		},
	}
	if h.sync != nil {
		rc.Clock = func(who id.ID, ahead, trip time.Duration) { h.sync.Neighbour(who, ahead, trip) }
	}
	h.loop = transport.Start(transport.Config{
		Disk: h.cfg.Faults.store(h.world.Store), Log: cfg.Log, Clock: h.clock.Now, Net: links,
		Machine: func(env machine.Env) machine.Machine {
			h.traversal = traversal.New(rc, env)
			return h.traversal
		},
	})
	select {
	case <-ready:
	case <-h.loop.Done():
		return errors.Join(h.loop.Err(), h.closePaths())
	}
	h.paths.Serve(h.traversal, func(fn func()) error { return h.loop.Call(context.Background(), fn) })
	h.beside.Go(h.carryBrowsers)
	if !p.at.IsValid() {
		cfg.Log.Info("this node cannot be reached from outside: it reaches others by hole punching or over a relay")
	}
	return nil
}

// carryBrowsers passes on what browsers and hidden nodes send each other.
func (h *Host) carryBrowsers() {
	ctx, cancel := h.running()
	defer cancel()
	h.circuits.Serve(ctx, h.traversal, func(fn func()) error { return h.loop.Call(ctx, fn) })
}

func (h *Host) closePaths() error {
	if h.paths == nil {
		return nil
	}
	return h.paths.Close()
}

// ownAddress reports whether an address is one of this machine's.
func ownAddress(ip netip.Addr) bool {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if own, ok := netip.AddrFromSlice(n.IP); ok && limit.Canonical(own) == ip {
				return true
			}
		}
	}
	return false
}

// Traversal returns the counters of NAT traversal; zero if this node is the only one.
func (h *Host) Traversal(ctx context.Context) (s traversal.Stats, err error) {
	if h.traversal == nil {
		return s, nil
	}
	err = h.loop.Call(ctx, func() { s = h.traversal.Stats() })
	return s, err
}
