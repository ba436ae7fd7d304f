package group

import (
	"cmp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Gen is a group's generation. A group that is recovered from its survivors gets a
// higher number and a random fork, so that two recoveries of the same group differ.
// The greater of two generations is the group.
type Gen struct{ Number, Fork uint64 }

// Compare orders generations.
func (g Gen) Compare(h Gen) int {
	return cmp.Or(cmp.Compare(g.Number, h.Number), cmp.Compare(g.Fork, h.Fork))
}

// Created is about when a group was made that did not exist before (newFork).
func (g Gen) Created() machine.Time { return machine.Time(^g.Fork &^ 0xffff) }

// Kind is the kind of a Message.
type Kind uint8

// Kinds of messages.
const (
	KindRaft      Kind = iota // carries messages of the library
	KindHibernate             // from the leader: all members have everything, hibernate
	KindWake                  // to the leader: the group is needed
	KindCatchUp               // to the leader: a member must catch up; hibernate again then
	KindRemoved               // to a former member: the group continues without it
	KindLogLost               // from a node that does not have the member's log, lacks entries that it has had, or has others
)

// Message is what members send each other, besides Chunk and ChunkAck.
type Message struct {
	Space string
	Kind  Kind
	Gen   Gen
	// From and To are the members' numbers in the group; 0: none yet.
	From, To uint64
	// Fresh: To was just added and has nothing yet. Only by such a message a node
	// without a replica may become a member.
	Fresh bool
	// Term is the sender's. SentAt is the clock of a leader when it sent this, and
	// Lease (ns) is for how long it asks the receiver to vote for nobody else.
	// AckSentAt and AckLease are of the latest lease that a follower granted.
	Term                uint64
	SentAt, Lease       int64
	AckSentAt, AckLease int64
	// Transferee is the member to which the leader transfers its leadership of Term. The
	// receiver may vote for it in spite of the lease.
	Transferee uint64
	// Index, of KindHibernate: what the receiver must have applied.
	Index uint64
	// Raft are messages of the library (raftpb.Message), each encoded.
	Raft [][]byte
}

// Size is the approximate length of the message on the wire.
func (m *Message) Size() int {
	n := 64 + len(m.Space)
	for _, b := range m.Raft {
		n += len(b) + 4
	}
	return n
}

// Quick implements machine.Quick: heartbeats and short entries.
func (m *Message) Quick() bool { return m.Size() <= machine.MaxQuick }

// maxMember is the highest number that a member can have. Numbers count up from 1, and
// the library reserves the highest ones.
const maxMember = 1 << 48

// Invites reports whether a node without a replica of the space may become one
// by this message.
func (m *Message) Invites() bool {
	return m.Kind == KindRaft && m.Fresh && m.From > 0 && m.From < maxMember && m.To > 0 && m.To < maxMember
}

// Decline is the answer of a node that has no replica of the space and will not make
// one; nil: no answer is needed.
func Decline(m *Message) *Message {
	if m.Kind != KindRaft || m.To == 0 {
		return nil
	}
	return &Message{Space: m.Space, Kind: KindLogLost, Gen: m.Gen, From: m.To, To: m.From}
}

// Chunk is a part of a snapshot of the whole space at one index of the log.
type Chunk struct {
	Space    string
	Gen      Gen
	From, To uint64
	Term     uint64 // of the leader that sends it
	Index    uint64 // of the snapshot
	Seq      uint32 // from 0
	Last     bool
	State    []byte // in the first: the state of the group at Index
	Data     []byte // keys and values
}

// Size is the approximate length of the message on the wire.
func (c *Chunk) Size() int { return 96 + len(c.Space) + len(c.State) + len(c.Data) }

// ChunkAck acknowledges all chunks up to Seq, or says that the transfer must begin
// anew (Refused).
type ChunkAck struct {
	Space    string
	Gen      Gen
	From, To uint64
	Index    uint64
	Seq      uint32
	Refused  bool
}

// Size is the approximate length of the message on the wire.
func (a *ChunkAck) Size() int { return 72 + len(a.Space) }
