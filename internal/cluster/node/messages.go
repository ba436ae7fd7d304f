package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Messages between nodes are pointers to these structs, frozen once sent
// (docs/protocols/nodes.md).
type (
	// ToSessions brings a message of a shard to sessions of the receiving node.
	ToSessions struct {
		Sessions []id.ID
		Msg      machine.Message
	}

	// ToWatchers brings the frame of a tick to sessions of the receiving node that
	// watch the same cells, which are sent once.
	ToWatchers struct {
		Region world.RegionPos
		Tick   uint64
		Cells  []byte
		To     []Watcher
	}

	// SessionEnded: a session of the sending node has ended. It goes to nodes whose
	// shards know the session.
	SessionEnded struct{ Session id.ID }

	// EndSession: a shard has closed a session of the receiving node, which ends it.
	EndSession struct {
		Session id.ID
		Shard   shards.Shard
	}
)

// sessions are those that it is for.
func (m *ToWatchers) sessions() []id.ID {
	list := make([]id.ID, len(m.To))
	for i := range m.To {
		list[i] = m.To[i].Session
	}
	return list
}

// Watcher is a session that receives a frame.
type Watcher struct {
	Session id.ID
	Own     region.Own
}

// Creating groups. These travel as datagrams, since the sender may have no
// link to the receivers; a lost query is repeated.
type (
	// HostQuery asks a node whether it would host a shard; HostReply is the answer.
	// Stored: the node has the shard's data from the time when it was the world's only
	// node. Led is how many shards it leads. Members are the members of the shard's
	// group, if the node is one of them.
	HostQuery struct{ Shard shards.Shard }
	HostReply struct {
		Shard   shards.Shard
		Room    bool
		Stored  bool
		Led     uint32
		Members []machine.Peer
	}

	// CreateGroup tells the first member of a new group to create it, with the
	// members to add.
	CreateGroup struct {
		Shard   shards.Shard
		Members []machine.Peer
	}

	// PlayersAt is where players reach the sender: at Port of its address in the
	// network, and by Names behind a proxy. Local: by Port on its machine only. Port 0: nowhere.
	// Certificate is the SHA-256 of the certificate that browsers find at its UDP port;
	// zero: none do. It comes over a link, so no node can send it for another.
	PlayersAt struct {
		Port        uint16
		Local       bool
		Names       []string
		Certificate [32]byte
	}

	// OwnerPlays is whether the owner of the sender's machine plays at the sender. It
	// holds until the link ends.
	OwnerPlays struct{ Plays bool }

	// Leaving: the sender is about to stop.
	Leaving struct{}
)

// Decisions spreads the log of decisions. Two nodes with a new link exchange a hash of
// their logs; if the hashes differ, each sends the other all statements. A node that
// accepts a new statement forwards it. The Digest of a message with a List is unused.
type Decisions struct {
	Digest [32]byte
	List   [][]byte // statements of package decision in their encoding
}

// MaxDecisions is how many statements one Decisions holds.
const MaxDecisions = 64

// MaxPlayerNames is how many names a PlayersAt has at most.
const MaxPlayerNames = 8

// Datagram says that the message needs no link and may be lost.
func (*CreateGroup) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*HostQuery) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*HostReply) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*Leaving) Datagram() {}

// Size is the approximate size of the cells and their headers, in bytes.
func (m *ToWatchers) Size() int { return 24 + len(m.Cells) + 32*len(m.To) }

// Size implements sim.Sizer.
func (m *ToSessions) Size() int { return 64 + id.Size*len(m.Sessions) }

// Quick implements machine.Quick: frames are small messages of a tick.
func (m *ToWatchers) Quick() bool { return m.Size() <= machine.MaxQuick }

// Quick implements machine.Quick.
func (m *ToSessions) Quick() bool { return len(m.Sessions) <= 16 && machine.IsQuick(m.Msg) }
