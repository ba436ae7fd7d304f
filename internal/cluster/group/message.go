package group

import (
	"cmp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Gen is a group's generation. A group that is recovered from what is left
// gets a higher number, and a fork of its own, so that two recoveries of the
// same group differ; the greater of two generations is the group.
type Gen struct{ Number, Fork uint64 }

// Compare orders generations.
func (g Gen) Compare(h Gen) int {
	return cmp.Or(cmp.Compare(g.Number, h.Number), cmp.Compare(g.Fork, h.Fork))
}

// Kind says what a Message is for.
type Kind uint8

// Kinds of messages.
const (
	KindRaft      Kind = iota // carries messages of the library
	KindHibernate             // from the leader: everything is everywhere, sleep
	KindWake                  // to the leader: somebody needs the group
	KindCatchUp               // to the leader: a member must catch up, then sleep on
	KindRemoved               // to a former member: the group goes on without you
	KindLogLost               // from a node that has nothing of a member's log
)

// Message is what members say to each other. It travels over a link, as do
// Chunk and ChunkAck.
type Message struct {
	Space string
	Kind  Kind
	Gen   Gen
	// From and To are the members' numbers in the group, 0: none yet.
	From, To uint64
	// Fresh: To has just been taken in and has nothing yet. Only to such a
	// message a node without a replica may answer by becoming one.
	Fresh bool
	// Term is the sender's. Stamp is the clock of a leader when it sent this, and
	// Promise (ns) for how long the receiver is asked to vote for nobody else.
	// Echo and AckLease say to which time of its leader the sender agreed.
	Term                uint64
	SentAt, Lease       int64
	AckSentAt, AckLease int64
	// Transferee, of a leader: the member that it transfers its leadership of Term to. The
	// receiver may vote for that one in spite of its lease.
	Transferee uint64
	// Index, of KindHibernate: what the receiver must have applied.
	Index uint64
	// Raft are messages of the library (raftpb.Message), each encoded.
	Raft [][]byte
}

// Size is about how long the message is on the wire.
func (m *Message) Size() int {
	n := 64 + len(m.Space)
	for _, b := range m.Raft {
		n += len(b) + 4
	}
	return n
}

// Quick implements machine.Quick: heartbeats, and entries that are short.
func (m *Message) Quick() bool { return m.Size() <= machine.MaxQuick }

// maxMember is the highest number that a member can have: they count up from 1, and
// the library has other uses for the highest ones that there are.
const maxMember = 1 << 48

// Invites reports whether a node without a replica of the space may become one
// by this message.
func (m *Message) Invites() bool {
	return m.Kind == KindRaft && m.Fresh && m.From > 0 && m.From < maxMember && m.To > 0 && m.To < maxMember
}

// Decline is the answer of a node that has no replica of the space and will
// not make one, nil if there is nothing to say.
func Decline(m *Message) *Message {
	if m.Kind != KindRaft || m.To == 0 {
		return nil
	}
	return &Message{Space: m.Space, Kind: KindLogLost, Gen: m.Gen, From: m.To, To: m.From}
}

// Chunk is a part of a snapshot: of the whole space at one index of the log.
type Chunk struct {
	Space    string
	Gen      Gen
	From, To uint64
	Term     uint64 // of the leader that sends it
	Index    uint64 // of the snapshot
	Seq      uint32 // from 0
	Last     bool
	State    []byte // in the first: what the group was at Index
	Data     []byte // keys and values
}

// Size is about how long the message is on the wire.
func (c *Chunk) Size() int { return 96 + len(c.Space) + len(c.State) + len(c.Data) }

// ChunkAck says that all chunks up to Seq have come, or that the transfer must
// begin anew.
type ChunkAck struct {
	Space    string
	Gen      Gen
	From, To uint64
	Index    uint64
	Seq      uint32
	Refused  bool
}

// Size is about how long the message is on the wire.
func (a *ChunkAck) Size() int { return 72 + len(a.Space) }
