package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// What components of the network need of the node: Node implements shardRunner and
// localSessions, runner what packages below need.

// runner is the node as parts in other packages see it: its methods are no part of what a
// Node offers to drivers.
type runner struct{ *Node }

// newSeat returns a place for a machine of a part, with a name for its job queues.
func (n *Node) newSeat(name string) part.Seat {
	return seat{submachineEnv{&submachine{node: n, name: name}}}
}

// seat is a submachine that is neither the lobby nor a region.
type seat struct{ submachineEnv }

func (s seat) Put(m machine.Machine) { s.p.m = m }
func (s seat) Leave()                { s.p.released = true }
func (s seat) HasLeft() bool         { return s.p.released }

// Runs reports whether a shard runs here.
func (n runner) Runs(p shards.Shard) bool {
	if p.Lobby {
		return n.lobby != nil
	}
	return n.regions[p.Region] != nil
}

// stop ends a shard that runs here.
func (n *Node) stop(p shards.Shard) {
	if p.Lobby {
		if n.lobby != nil {
			n.lobby.released = true
			n.lobby = nil
		}
		return
	}
	if r := n.regions[p.Region]; r != nil {
		n.release(r)
	}
}

// Area implements areaFinder.
func (n runner) Area(p shards.Shard) *regionlog.Area {
	if r := n.regions[p.Region]; r != nil && !p.Lobby {
		if m, ok := r.m.(interface{ Area() *regionlog.Area }); ok {
			return m.Area()
		}
	}
	return nil
}

// Register returns the lobby's register, if the lobby runs here.
func (n runner) Register() *regionlog.Register {
	if n.lobby != nil {
		if m, ok := n.lobby.m.(interface{ Register() *regionlog.Register }); ok {
			return m.Register()
		}
	}
	return nil
}

// heed lets a region that runs here do what a player has signed.
func (n runner) heed(pos world.RegionPos, of *inputlog.Session, signed []byte, act uint32) {
	if r := n.regions[pos]; r != nil {
		if m, ok := r.m.(interface {
			Heed(*inputlog.Session, []byte, uint32)
		}); ok {
			m.Heed(of, signed, act)
		}
	}
}

// Current implements areaFinder.
func (n runner) Current(pos world.RegionPos, do func(session machine.Peer, columns uint16)) {
	if r := n.regions[pos]; r != nil {
		if m, ok := r.m.(interface {
			Current(func(machine.Peer, uint16))
		}); ok {
			m.Current(do)
		}
	}
}

// WithArea calls f with the area of a region that runs here; false: it does not. A driver
// calls it like a handler.
func (n *Node) WithArea(pos world.RegionPos, f func(*regionlog.Area)) bool {
	a := runner{n}.Area(shards.Shard{Region: pos})
	if a != nil {
		f(a)
	}
	return a != nil
}

// hasSession reports whether a session of this node has not ended.
func (n *Node) hasSession(peer machine.Peer) bool { return n.links[peer] }

// hasSessions reports whether there are any.
func (n *Node) hasSessions() bool { return len(n.links) > 0 }

// FromLobbyElsewhere implements localSessions.
func (n *Node) fromLobbyElsewhere(m machine.Message) machine.Message {
	return n.net.names.FromLobbyElsewhere(n.decisions.fromLobby(m))
}

// listed implements localSessions.
func (n *Node) listed(f *peers.Remote, m *lobby.Players) {
	if h := n.net.hosting.replicas[shards.Lobby]; h != nil {
		h.followed.OnPlayers(f, m)
	}
}

// announceNewHost tells the regions led here that another shard has a new host: they
// say again what the one before knew.
func (n *Node) announceNewHost(p shards.Shard) {
	for _, q := range n.awake {
		if q.isLobby || !p.Lobby && !besides(q.pos.X-p.Region.X, q.pos.Z-p.Region.Z) {
			continue
		}
		n.Push(part.Call{To: q.peer, From: p.Peer(), Msg: &region.NewHost{Region: p.Region}})
	}
}

func besides(dx, dz int32) bool {
	return max(dx, -dx, dz, -dz) == 1
}
