package shardgroup

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// GroupStatus is what a node knows of the group of a shard. It serves two purposes: a
// replica whose group has lost its majority for good asks the survivors whether any of
// them leads before it continues with its own data; and a leader asks from time to time
// whether there is another group for its shard, of which the lesser gives way.
type GroupStatus struct {
	Shard  shards.Shard
	Reply  bool // the receiver is to say the same
	Member bool // the sender has a replica
	Led    bool // which leads, or knows who does
	Gen    group.Gen
	// The end of the replica's log: of two logs the one with the later end has
	// more. Without a replica, Gen, Term and Last are of the newest copy.
	Term, Last uint64
	Members    []machine.Peer
	// Heard: in an answer, that the sender hears one of the Members that it was asked
	// about, other than the one who asked.
	Heard bool
	// Refused: in an answer, that the machines of all Members that it was asked about say that
	// these nodes have ended.
	Refused bool
	// Compared: what the sender, a member, got of a shard that was restored is what its
	// hosts had signed.
	Compared bool
	// Proof is a host's signature over a copy (copyProof); none: this node was a host.
	Proof []byte
}

// Datagram says that the message needs no link and may be lost.
func (*GroupStatus) Datagram() {}

// End is the end of the sender's log, or of its copy.
func (m *GroupStatus) End() hostpolicy.Log {
	return hostpolicy.Log{Gen: m.Gen, Term: m.Term, Last: m.Last}
}
