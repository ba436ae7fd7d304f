package host

import (
	"net"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
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
	// Sends reports whether the node sends a message to another; nil: it sends all.
	Sends func(machine.Message) bool
	// Hears reports whether the node takes a message of another; nil: it takes all.
	Hears func(machine.Message) bool
	// Came hears when the node's witness in the storage comes.
	Came func(p state.Player, of int64, at geom.Point)
}

// deafNode is a node that does not take everything.
type deafNode struct {
	*node.Node
	hears func(machine.Message) bool
}

// OnMessage implements machine.Machine.
func (d deafNode) OnMessage(from machine.Peer, m machine.Message) {
	if d.hears(m) {
		d.Node.OnMessage(from, m)
	}
}

// lyingEnv is the environment of a node that does not send everything.
type lyingEnv struct {
	machine.Env
	sends func(machine.Message) bool
}

func (e lyingEnv) Send(to machine.Peer, m machine.Message) {
	if e.sends(m) {
		e.Env.Send(to, m)
	}
}

// Backlog implements machine.Backlogger.
func (e lyingEnv) Backlog(to machine.Peer) (waiting, limit int) { return machine.Backlog(e.Env, to) }

// Relayed implements machine.Relayer.
func (e lyingEnv) Relayed(p machine.Peer) bool { return machine.Relayed(e.Env, p) }

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
