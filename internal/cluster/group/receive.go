package group

import (
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// OnMessage implements machine.Machine.
func (r *Replica) OnMessage(from machine.Peer, m machine.Message) {
	defer r.begin()()
	if r.phase == reading {
		r.loading.hold(from, m)
		return
	}
	switch m := m.(type) {
	case *Message:
		if m.Space == r.cfg.Space && from.ID != r.cfg.Self.ID {
			r.onMessage(from, m)
		}
	case *Chunk:
		if m.Space == r.cfg.Space {
			r.receiver.onChunk(from, m)
		}
	case *ChunkAck:
		if m.Space == r.cfg.Space {
			r.sender.onAck(m)
		}
	}
}

// onMessage takes a message of a member, or of a peer that claims to be one.
func (r *Replica) onMessage(from machine.Peer, m *Message) {
	r.links.heard(from)
	switch {
	case r.phase == gone: // until what it had is moved
	case r.phase == blank:
		if m.Invites() {
			r.join(from, m)
			r.handleMessage(from, m)
		} else if d := Decline(m); d != nil {
			r.env.Send(from, d)
		}
	case m.Gen != r.st.Gen:
		r.onOtherGeneration(from, m)
	case m.Kind == KindLogLost:
		r.membership.onLogLost(from, m)
	case m.To != r.st.Self:
		r.onOtherNumber(from, m)
	default:
		r.handleMessage(from, m)
	}
}

// onOtherNumber takes a message to another number than this member's. It may be an
// invitation: a peer claims that the group has removed this node and added it again.
// If that were a lie, a replica that has something would lose it. So a voter's
// invitation counts as one claim that the group continues without this member; and
// the replica wakes and asks the others, who answer the same if it is true.
func (r *Replica) onOtherNumber(from machine.Peer, m *Message) {
	invited := m.Invites() && m.To > r.st.Self
	switch {
	case invited && r.st.NextID == 0: // there is nothing to lose
		r.rejoin(from, m)
	case invited:
		if !r.raft.status().leader {
			r.claims.add(r.st.findPeer(from.ID))
		}
		r.hibernation.rouse(m.From, KindCatchUp)
		r.claims.askOthers()
	case r.st.find(m.From) == nil && m.From < r.st.NextID && m.Kind == KindRaft:
		r.outbox.sendRemoved(m.From, from) // it knows this node, too, by its previous number
	}
}

// handleMessage takes a message of the group to this member.
func (r *Replica) handleMessage(from machine.Peer, m *Message) {
	switch known := r.st.find(m.From); {
	case known != nil && known.Peer.ID != from.ID:
		return // pretends to be another
	case known == nil && m.From < r.st.NextID:
		r.outbox.sendRemoved(m.From, from) // it was removed and does not know
		return
	case known == nil && r.outbox.usedByAnother(from, m.From):
		return
	}
	if !r.detector.record(m.From) {
		return
	}
	r.outbox.heard(from, m.From)
	switch m.Kind {
	case KindRemoved:
		r.claims.add(r.st.findPeer(from.ID))
	case KindHibernate:
		r.hibernation.onHibernate(m)
	case KindWake, KindCatchUp:
		r.hibernation.onWake(m)
	default:
		r.handleRaft(m)
	}
}

// handleRaft takes the lease and the library's messages.
func (r *Replica) handleRaft(m *Message) {
	r.hibernation.onMessage(m)
	r.filter.onTransferNotice(m)
	for _, data := range m.Raft {
		rm := &pb.Message{}
		if proto.Unmarshal(data, rm) != nil || rm.GetFrom() != m.From || rm.GetTo() != r.st.Self || !sentToMembers[rm.GetType()] {
			continue
		}
		switch {
		case r.phase != member || !r.filter.mayStep(rm):
		case r.overruled.by(rm) || rm.GetType() == pb.MsgHeartbeat && rm.GetCommit() > r.disk.lastIndex():
			// The leader knows that this member has had entries that it has no more: its disk
			// was put back. They are not sent again while the leader counts them as here. Or
			// the leader lacks what is committed here, as another's disk was put back. So
			// this member is removed, and added again. Without the others that takes, the
			// leader gets no lease from here, and starts over in another term.
			r.outbox.sendKind(KindLogLost, m.From)
			return
		default:
			r.raft.step(rm)
		}
	}
	if now := r.raft.status(); r.phase != member || m.Term != now.term {
		return
	} else if now.leader {
		r.lease.onAck(m)
	} else {
		r.election.onMessage(m, now)
	}
}
