package routing

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Messages between nodes are pointers to these structs, frozen once sent
// (docs/protocols/nodes.md). Queries travel as datagrams, since the sender may have no
// link to the receivers; a lost one is repeated.
type (
	// Routed brings a message to a shard that the sender believes to be led by the
	// receiver. It comes from a session of the sending node, or else from a shard
	// that the sending node leads.
	Routed struct {
		To      shards.Shard
		From    shards.Shard // if Session is zero
		Session id.ID
		Gateway machine.Peer // the gateway node of a session that Msg names; may be zero
		Msg     machine.Message
	}

	// LeaderQuery asks a member of a shard's group who leads it.
	LeaderQuery struct{ Shard shards.Shard }

	// LeaderReply names a shard's leader as far as the sender knows. It answers
	// LeaderQuery, Generate, and a Routed that came to the wrong node. Of two replies
	// the one with the higher Term counts. A zero Leader: there is none at present.
	LeaderReply struct {
		Shard   shards.Shard
		Leader  machine.Peer
		Members []machine.Peer
		Term    uint64
	}

	// Generate asks the node nearest to the key of a shard without a record to find
	// hosts for it (dissertation, algorithm 3).
	Generate struct{ Shard shards.Shard }
)

// Datagram says that the message needs no link and may be lost.
func (*LeaderQuery) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*LeaderReply) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*Generate) Datagram() {}

// Quick implements machine.Quick.
func (m *Routed) Quick() bool { return machine.IsQuick(m.Msg) }
