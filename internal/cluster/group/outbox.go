package group

import (
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// outbox sends messages to the other members. All messages of the library that one
// handler produces for a member go in one, up to the size that links accept.
type outbox struct {
	component
	raft   *raftNode
	links  *links
	header leaseHeader

	out  []outgoingMessages
	addr map[uint64]machine.Peer // where members last wrote from
}

// leaseHeader adds the lease to messages that carry the library's.
type leaseHeader interface {
	addLease(m *Message, now raftStatus)
}

type outgoingMessages struct {
	to   uint64
	raft [][]byte
	size int
}

// add takes a message of the library; flush sends it.
func (q *outbox) add(m *pb.Message) {
	data, err := proto.Marshal(m)
	if err != nil {
		return // it counts as lost
	}
	i := len(q.out) - 1
	for i >= 0 && q.out[i].to != m.GetTo() {
		i--
	}
	if i < 0 || q.out[i].size+len(data) > maxMessage+maxMessage/2 {
		i = len(q.out)
		q.out = append(q.out, outgoingMessages{to: m.GetTo()})
	}
	q.out[i].raft = append(q.out[i].raft, data)
	q.out[i].size += len(data)
}

// reset forgets what was not sent.
func (q *outbox) reset() { q.out = nil }

// flush sends what was added. If the replica is no member any more, it is
// discarded.
func (q *outbox) flush() {
	out := q.out
	q.reset()
	if len(out) == 0 || !q.raft.active() {
		return
	}
	now := q.raft.status()
	for _, o := range out {
		m := q.message(KindRaft, o.to)
		m.Raft, m.Term = o.raft, now.term
		q.header.addLease(m, now)
		q.send(o.to, m)
	}
}

// message is an empty message to a member.
func (q *outbox) message(kind Kind, to uint64) *Message {
	return &Message{
		Space: q.cfg.Space, Kind: kind, Gen: q.st.Gen, From: q.st.Self, To: to, Term: q.raft.status().term,
	}
}

// send sends a message to a member. If there is no link to it, the library learns
// that.
func (q *outbox) send(to uint64, m machine.Message) {
	if !q.post(to, m) {
		if _, ok := q.addressOf(to); ok {
			q.raft.reportUnreachable(to)
		}
	}
}

// post sends a message to a member, if there is a link to it.
func (q *outbox) post(to uint64, m machine.Message) (sent bool) {
	p, ok := q.addressOf(to)
	return ok && q.postTo(p, m)
}

// postTo sends a message to a peer, if there is a link to it.
func (q *outbox) postTo(p machine.Peer, m machine.Message) (sent bool) {
	if !q.links.open(p) {
		return false
	}
	q.env.Send(p, m)
	return true
}

// sendKind sends a message that has a kind and nothing else.
func (q *outbox) sendKind(kind Kind, to uint64) { q.post(to, q.message(kind, to)) }

// sendRemoved tells a former member, or a peer that claims to be one, that the
// group continues without it.
func (q *outbox) sendRemoved(n uint64, p machine.Peer) { q.postTo(p, q.message(KindRemoved, n)) }

// addressOf is the peer of a member. Anybody may use a number that has not been
// given yet.
func (q *outbox) addressOf(n uint64) (machine.Peer, bool) {
	p, heard := q.addr[n]
	if m := q.st.find(n); m != nil && (!heard || m.Peer.ID != p.ID) {
		return m.Peer, true
	}
	return p, heard
}

// heard notes from where a member wrote; 0 is nobody's number.
func (q *outbox) heard(from machine.Peer, n uint64) {
	if n != 0 {
		q.addr[n] = from
	}
}

// usedByAnother reports whether a number that is not among the members was first
// used by another node. A number is given to one node once.
func (q *outbox) usedByAnother(from machine.Peer, n uint64) bool {
	p, used := q.addr[n]
	return used && p.ID != from.ID
}
