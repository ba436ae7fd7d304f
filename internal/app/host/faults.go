package host

import (
	"net"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/clock"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// FaultInjection replaces parts of the environment of a host for experiments
// and tests: the network, the disk, the clock, the storage's behaviour. The
// zero value is the machine itself. No flag sets it.
type FaultInjection struct {
	Packets func(net.PacketConn) net.PacketConn // goes around the UDP port for other nodes
	Holes   time.Duration                       // after how long an allocation looks for a hole first (traversal.Config)
	Disk    vfs.FS
	Store   func(transport.Disk) transport.Disk // goes around the disk port of the node
	Clock   *clock.Clock
	Storage storage.Behaviour // of a node that cheats in the replicated storage
	Probe   storage.Probe     // of the storage
	// Protocol is what the storage runs instead of the hardened one; all nodes of a
	// world have to.
	Protocol *storage.Protocol
	// Unchecked: no region's log is kept, followed or compared, so that what that takes can
	// be measured; all nodes of a world have to.
	Unchecked bool
	// Node makes the node, by create, and may go around it and its environment; nil: create
	// does.
	Node func(env machine.Env, create func(machine.Env) *node.Node) machine.Machine
	// RegionEnv goes around what the regions that run here see of the node.
	RegionEnv func(world.RegionPos, machine.Env) machine.Env
	// Came hears when the node's witness in the storage comes.
	Came func(p state.Player, of int64, at geom.Point)
}

// store is the disk port of the node.
func (u FaultInjection) store(of *disk.Store) transport.Disk {
	if u.Store == nil {
		return of
	}
	return u.Store(of)
}

// socket opens the UDP port for other nodes.
func (u FaultInjection) socket(addr string) (*socket.Socket, error) {
	if u.Packets == nil {
		return socket.Listen(addr)
	}
	c, err := net.ListenPacket("udp", addr)
	if err != nil {
		return nil, err
	}
	return socket.New(u.Packets(c)), nil
}

// clock is the node's.
func (u FaultInjection) clock() *clock.Clock {
	if u.Clock != nil {
		return u.Clock
	}
	return clock.New()
}
