package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Messages between nodes are pointers to these structs, frozen once sent
// (docs/protocols/nodes.md).
type (
	// Routed brings a message to a shard that the sender believes to be led by the
	// receiver. It comes from a session of the sending node, or else from a shard
	// that the sending node leads.
	Routed struct {
		To      Shard
		From    Shard // if Session is zero
		Session id.ID
		Gateway machine.Peer // the gateway node of a session that Msg names; may be zero
		Msg     machine.Message
	}

	// ToSessions brings a message of a shard to sessions of the receiving node.
	ToSessions struct {
		Sessions []id.ID
		Msg      machine.Message
	}

	// ToWatchers brings the frame of a tick to sessions of the receiving node
	// that watch the same: the cells travel once.
	ToWatchers struct {
		Region world.RegionPos
		Tick   uint64
		Cells  []byte
		To     []Watcher
	}

	// SessionEnded says that a session of the sending node has gone, to nodes
	// whose shards have heard of it.
	SessionEnded struct{ Session id.ID }

	// EndSession asks for the end of a session of the receiving node: a shard has
	// closed it.
	EndSession struct {
		Session id.ID
		Shard   Shard
	}
)

// Watcher is one of the sessions that a frame goes to.
type Watcher struct {
	Session id.ID
	Own     region.Own
}

// Where a shard is. These travel as datagrams: they go to nodes that there may
// be no link to, several at a time, and are asked again if lost.
type (
	// LeaderQuery asks a member of a shard's group who leads it.
	LeaderQuery struct{ Shard Shard }

	// LeaderReply says who leads a shard, as far as the sender knows: the answer to
	// Who, Generate and to a Routed that came to the wrong node. Of two the one
	// with the higher Term is right. A zero Leader means that there is none at
	// the moment.
	LeaderReply struct {
		Shard   Shard
		Leader  machine.Peer
		Members []machine.Peer
		Term    uint64
	}

	// Generate asks the node nearest to a shard's key to find hosts for it, which
	// has no record yet (dissertation, algorithm 3).
	Generate struct{ Shard Shard }

	// HostQuery asks a node whether it would host a shard, Invited is the answer.
	// Stored: it has the shard from when it was the world's only node. Runs is how
	// many shards it leads. Members are those of the shard's group, if the node is
	// one.
	HostQuery struct{ Shard Shard }
	HostReply struct {
		Shard   Shard
		Room    bool
		Stored  bool
		Led     uint32
		Members []machine.Peer
	}

	// CreateGroup tells the first member of a new group to create it, with the
	// members to add.
	CreateGroup struct {
		Shard   Shard
		Members []machine.Peer
	}

	// PlayersAt says where players reach the sender: at the address that it has in
	// the network, at Port, and by Names behind a proxy. Local: on its machine only.
	// Port 0: nowhere. It comes over a link, so that nobody says it of another node.
	PlayersAt struct {
		Port  uint16
		Local bool
		Names []string
	}

	// OwnerPlays says whether the owner of the sender's machine plays at the sender. It
	// comes over a link; when that ends nobody is believed to play there.
	OwnerPlays struct{ Plays bool }

	// Leaving says that the sender is about to stop for a while.
	Leaving struct{}
)

// AccessList says which version of the founder's list the sender has, with the
// list itself if the receiver's is older.
type AccessList struct {
	Version uint64
	List    []byte // invitation.Access in its encoding; may be empty
}

// Decisions spreads the log of decisions: two nodes that get a link tell each
// other a hash of what they have; if the two differ, each gives the other all.
// A node that accepts a new statement passes it on. A message with a List says
// nothing by its Digest.
type Decisions struct {
	Digest [32]byte
	List   [][]byte // statements of package decision in their encoding
}

// MaxDecisions is how many statements one Decisions holds.
const MaxDecisions = 64

// In a world with an authority.
type (
	// OverlayShare opens (On) or closes the overlay's share of a link, which hosting
	// may need as well. Each is answered by the same, unless the two have crossed.
	OverlayShare struct{ On bool }

	// Revoked says which version of the list of revocations the sender has, with
	// the list itself if the receiver's is older.
	Revoked struct {
		Version uint64
		List    []byte // identity.Revocations in its encoding; may be empty
	}

	// Renewed is the sender's certificate after a new one was issued to it.
	Renewed struct{ Certificate *identity.Certificate }

	// BootstrapQuery asks for nodes to enter the overlay by; Places is the answer: the
	// sender itself and one node of each zone, if it knows one. Both are
	// datagrams.
	BootstrapQuery struct{ Nonce uint64 }
	BootstrapReply struct {
		Nonce uint64
		Self  *overlay.Contact
		Known []*overlay.Contact
	}
)

// MaxPlayerNames is how many names a PlayersAt has at most.
const MaxPlayerNames = 8

// MaxPlaces is how many nodes a Places names beside the sender.
const MaxPlaces = 16

// Datagram says that the message needs no link and may be lost.
func (*BootstrapQuery) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*BootstrapReply) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*LeaderQuery) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*LeaderReply) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*Generate) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*CreateGroup) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*HostQuery) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*HostReply) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*Leaving) Datagram() {}

// Size is about how many bytes of cells and heads the message has.
func (m *ToWatchers) Size() int { return 24 + len(m.Cells) + 32*len(m.To) }

// Size implements sim.Sizer.
func (m *ToSessions) Size() int { return 64 + id.Size*len(m.Sessions) }

// Quick implements machine.Quick: what is said in a tick.
func (m *ToWatchers) Quick() bool { return m.Size() <= machine.MaxQuick }

// Quick implements machine.Quick.
func (m *ToSessions) Quick() bool { return len(m.Sessions) <= 16 && isQuick(m.Msg) }

// Quick implements machine.Quick.
func (m *Routed) Quick() bool { return isQuick(m.Msg) }

func isQuick(m machine.Message) bool {
	q, ok := m.(machine.Quick)
	return ok && q.Quick()
}
