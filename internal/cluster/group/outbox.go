package group

import (
	"errors"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// outbox holds messages for the other members. All that one handler produces
// for a member goes in one message, up to the size that links accept.
type outbox struct {
	out  []outgoingMessages
	addr map[uint64]machine.Peer // where members last wrote from
	link map[machine.Peer]*link
}

type outgoingMessages struct {
	to   uint64
	raft [][]byte
	size int
}

// link is what is known of a link. Links belong to the node, which shares them
// among its groups and closes those that nobody needs.
type link struct {
	down bool
	at   machine.Time // when it was opened, or failed
}

// reopen is how long a failed link is left alone.
const reopen = 200 * time.Millisecond

func (q *outbox) init() {
	q.addr, q.link = map[uint64]machine.Peer{}, map[machine.Peer]*link{}
}

func (q *outbox) add(m *pb.Message) {
	data, err := proto.Marshal(m)
	if err != nil {
		return // it is as good as lost
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

// addressOf is the peer of a member. A number that is not given yet anybody may
// use.
func (r *Replica) addressOf(n uint64) (machine.Peer, bool) {
	p, heard := r.outbox.addr[n]
	if m := r.st.find(n); m != nil && (!heard || m.Peer.ID != p.ID) {
		return m.Peer, true
	}
	return p, heard
}

// link opens a link unless there is one, or it failed a moment ago; it reports
// whether sending makes sense.
func (r *Replica) link(p machine.Peer) bool {
	l := r.outbox.link[p]
	if l == nil {
		l = &link{down: true, at: -forever}
		r.outbox.link[p] = l
	}
	if !l.down {
		return true
	}
	if r.env.Now() < l.at.Add(reopen) {
		return false
	}
	l.down, l.at = false, r.env.Now()
	r.env.Open(p)
	return true
}

func (r *Replica) onLink(p machine.Peer, ev machine.LinkEvent) {
	l := r.outbox.link[p]
	if l == nil {
		return // not to a member
	}
	if ev == machine.LinkUp {
		l.down = false
		return
	}
	l.down, l.at = true, r.env.Now()
	if r.phase != member {
		return
	}
	for m := range r.others() {
		if q, _ := r.addressOf(m.ID); q == p {
			r.guard(func() { r.rn.ReportUnreachable(m.ID) })
			r.snaps.fail(r, m.ID)
		}
	}
}

// flushOutbox sends what has gathered.
func (r *Replica) flushOutbox() {
	if len(r.outbox.out) == 0 {
		return
	}
	out := r.outbox.out
	r.outbox.out = nil
	if r.phase != member {
		return
	}
	now := r.raftStatus()
	for _, o := range out {
		m := &Message{
			Space: r.cfg.Space, Gen: r.st.Gen, From: r.st.Self, To: o.to, Raft: o.raft,
			Term: now.term,
		}
		switch {
		case now.leader && r.lead.transferredTerm != now.term:
			m.SentAt, m.Lease = int64(r.env.Now()), int64(r.lead.leaseToRequest(r))
			m.Fresh = r.isFresh(o.to)
		case r.clock.ackTerm == now.term && now.lead == o.to:
			m.AckSentAt, m.AckLease = r.clock.ackSentAt, r.clock.ackLease
		}
		r.send(o.to, m)
	}
}

func (r *Replica) send(to uint64, m machine.Message) {
	if p, ok := r.addressOf(to); ok && r.link(p) {
		r.env.Send(p, m)
	} else if ok && r.phase == member {
		r.guard(func() { r.rn.ReportUnreachable(to) })
	}
}

// sendKind sends a message that has a kind and nothing else.
func (r *Replica) sendKind(kind Kind, to uint64, p machine.Peer) {
	m := &Message{Space: r.cfg.Space, Kind: kind, Gen: r.st.Gen, From: r.st.Self, To: to}
	if r.rn != nil {
		m.Term = r.raftStatus().term
	}
	if r.link(p) {
		r.env.Send(p, m)
	}
}

// isFresh reports whether a member has just been taken in by this leader and
// has said nothing yet. All changes before this leader's first entry are
// applied then, and it promotes only members that have answered, so a fresh
// member has never had a vote.
func (r *Replica) isFresh(n uint64) bool {
	m := r.st.find(n)
	return m != nil && m.Learner && r.lead.ready == r.raftStatus().term && r.progress()[n].match == 0
}

// onMessage takes a message of another member, or of somebody who says so.
func (r *Replica) onMessage(from machine.Peer, m *Message) {
	if from.ID == r.cfg.Self.ID {
		return
	}
	if l := r.outbox.link[from]; l != nil {
		l.down = false
	} else {
		r.outbox.link[from] = &link{}
	}
	switch {
	case r.phase == gone:
		if m.Invites() && errors.Is(r.failed, ErrRemoved) && m.To > r.st.Self {
			r.rejoin(from, m)
		}
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
		r.onLogLost(from, m)
	case m.To != r.st.Self:
		if invited := m.Invites() && m.To > r.st.Self; invited && r.st.NextID == 0 { // there is nothing to lose
			r.rejoin(from, m)
		} else if invited {
			r.onReadded(from)
		} else if r.st.find(m.From) == nil && m.From < r.st.NextID && m.Kind == KindRaft {
			r.sendKind(KindRemoved, m.From, from) // it knows this node, too, as who it was before
		}
	default:
		r.handleMessage(from, m)
	}
}

// maxUnknown bounds how many members are remembered that this replica does not
// know: those that were taken in since are few, and anybody may say to be one.
const maxUnknown = 16

// recordHeard remembers when and from where a member was heard; false: there would be too
// many.
func (r *Replica) recordHeard(from machine.Peer, n uint64) bool {
	if _, known := r.lead.heard[n]; !known && len(r.lead.heard) >= len(r.st.Members)+maxUnknown && r.st.find(n) == nil {
		return false
	}
	if n != 0 {
		r.outbox.addr[n] = from
	}
	r.lead.heard[n] = r.env.Now()
	return true
}

// speaksForAnother reports whether a number that the members of this replica do not
// include was first used by another node. A number is given to one node once.
func (r *Replica) speaksForAnother(from machine.Peer, n uint64) bool {
	p, used := r.outbox.addr[n]
	return used && p.ID != from.ID
}

// handleMessage takes a message of the group to this member.
func (r *Replica) handleMessage(from machine.Peer, m *Message) {
	switch known := r.st.find(m.From); {
	case known != nil && known.Peer.ID != from.ID:
		return // speaks for another
	case known == nil && m.From < r.st.NextID:
		r.sendKind(KindRemoved, m.From, from) // it was removed and does not know
		return
	case known == nil && r.speaksForAnother(from, m.From):
		return
	}
	if !r.recordHeard(from, m.From) {
		return
	}
	switch m.Kind {
	case KindRemoved:
		r.onRemovedClaim(r.st.findPeer(from.ID))
		return
	case KindHibernate:
		r.onHibernate(m)
		return
	case KindWake, KindCatchUp:
		r.requestWake(m.Kind == KindWake)
		return
	}
	r.wakeOnMessage(m)
	r.onTransferNotice(m)
	for _, data := range m.Raft {
		rm := &pb.Message{}
		if proto.Unmarshal(data, rm) != nil || rm.GetFrom() != m.From || rm.GetTo() != r.st.Self || !sentToMembers[rm.GetType()] {
			continue
		}
		if r.phase == member && r.mayStep(rm) {
			r.step(rm)
		}
	}
	if r.phase == member {
		r.onLease(m)
	}
}

// sentToMembers are the library's messages that members send each other. Snapshots
// do not: see Chunk.
var sentToMembers = map[pb.MessageType]bool{
	pb.MsgApp: true, pb.MsgAppResp: true, pb.MsgVote: true, pb.MsgVoteResp: true,
	pb.MsgHeartbeat: true, pb.MsgHeartbeatResp: true, pb.MsgTimeoutNow: true,
	pb.MsgPreVote: true, pb.MsgPreVoteResp: true,
}
