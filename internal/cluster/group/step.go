package group

import (
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

// Raft believes every member: a message with a higher term deposes the leader,
// and no lease holds up a vote with the context of a transfer or an append of a
// higher term. A lying member could take the leadership that way. So the
// library's messages are checked here before they are stepped:
//
//   - while a lease to a leader holds, nothing of a higher term is heard. The
//     exception is the member to whom that leader transfers its leadership, which
//     the leader itself tells all members (Message.Transferee);
//   - a leader hears nothing of a higher term while its lease holds: the majority
//     that agreed to the lease has elected nobody;
//   - a term has one leader: appends and heartbeats of the current term count only
//     from it, and so do the chunks of a snapshot (snapshot.go);
//   - MsgTimeoutNow counts only if it is of the leader;
//   - nobody has acknowledged entries that the leader does not have.
//
// What a lying member can still do: stand when there is no leader, and win. The
// members with a vote are trusted with that (docs/security.md).

// transferNotice is a leader's statement that another member may be elected
// next.
type transferNotice struct{ term, transferee uint64 }

// elected is the leader of a term.
type elected struct{ term, leader uint64 }

// higherTerms is what a leader whose lease holds has received of higher terms.
// A member can have got there honestly: it stood, and the others agreed to the
// leader's lease before they voted. It takes part again only in a higher term,
// so the leader goes there, but seldom: a liar must not make it do so all the
// time.
type higherTerms struct {
	highest uint64
	since   int64 // when the first was heard; 0: none
	renewed int64 // when the leader last went to a higher term for that
}

const (
	// adoptTermAfter is how long members must have been ahead until the leader goes to a
	// higher term, adoptTermEvery how often it does at most.
	adoptTermAfter = 10 * time.Second
	adoptTermEvery = time.Minute
)

// mayStep reports whether a message of the library may be stepped.
func (r *Replica) mayStep(m *pb.Message) bool {
	now := r.raftStatus()
	higher := m.GetTerm() > now.term
	switch t := m.GetType(); {
	case t == pb.MsgTimeoutNow:
		return m.GetTerm() == now.term && now.lead == m.GetFrom()
	case (t == pb.MsgApp || t == pb.MsgHeartbeat) && !r.mayLead(m.GetFrom(), m.GetTerm()):
		return false
	case t == pb.MsgAppResp && now.leader && !m.GetReject() && m.GetIndex() > r.lastIndex():
		return false // the library would believe it, and fail when it looks for them
	case now.leader && !higher:
		return true
	case now.leader:
		return r.leaderMayStep(m, now)
	case r.clock.transfer == transferNotice{now.term, m.GetFrom()}:
		return true
	case t == pb.MsgVote || t == pb.MsgPreVote:
		if r.env.Now() < r.clock.leaseUntil {
			return false
		}
		r.forgetLeader()
		return true
	default:
		return !higher || r.env.Now() >= r.clock.leaseUntil
	}
}

// mayLead reports whether a member may be the leader of a term: no other is.
func (r *Replica) mayLead(n, term uint64) bool {
	now, was := r.raftStatus(), r.clock.elected
	if now.term == term && now.lead != 0 {
		return now.lead == n
	}
	return was.term != term || was.leader == n
}

// lastIndex is the index of the log's last entry, which may not be on the disk yet.
func (r *Replica) lastIndex() uint64 {
	waiting := r.batch.entries
	if len(waiting) == 0 && r.inflight != nil && r.inflight.of == r.rn {
		waiting = r.inflight.entries
	}
	if len(waiting) > 0 {
		return waiting[len(waiting)-1].GetIndex()
	}
	last, _ := r.log.LastIndex()
	return last
}

// leaderMayStep reports whether a leader hears something of a higher term: from the
// member that it has transferred to, or when its lease does not hold.
func (r *Replica) leaderMayStep(m *pb.Message, now raftStatus) bool {
	if r.lead.transferredTerm == now.term {
		return m.GetFrom() == r.lead.transferredTo || r.env.Now() >= max(r.clock.leaseUntil, r.leaseEnd())
	}
	if r.env.Now() >= r.leaseEnd() {
		return true
	}
	a, at := &r.lead.higher, int64(r.env.Now())
	if t := m.GetType(); t == pb.MsgVote || t == pb.MsgPreVote {
		return false // its candidate asks for nothing that it could get
	}
	if m.GetTerm() <= now.term+maxTermsAhead {
		a.highest = max(a.highest, m.GetTerm())
		if a.since == 0 {
			a.since = at
		}
	}
	return false
}

// adoptHigherTerm goes to a higher term if a member has been there for long. The leader
// stands in it itself, and is the one whom the others may elect.
func (r *Replica) adoptHigherTerm(now raftStatus) {
	a, at := &r.lead.higher, int64(r.env.Now())
	switch {
	case a.since == 0 || time.Duration(at-a.since) < adoptTermAfter:
		return
	case a.renewed != 0 && time.Duration(at-a.renewed) < adoptTermEvery:
		return
	case a.highest <= now.term || !r.lead.leads || r.lead.transferee != 0 || len(r.props.inflight) > 0:
		*a = higherTerms{renewed: a.renewed}
		return
	}
	term := a.highest
	*a = higherTerms{renewed: at}
	r.announceTransfer(r.st.Self)
	for m := range r.others() {
		r.step(&pb.Message{Type: pb.MsgAppResp.Enum(), From: new(m.ID), To: new(r.st.Self), Term: new(term)})
		r.step(&pb.Message{Type: pb.MsgTimeoutNow.Enum(), From: new(m.ID), To: new(r.st.Self), Term: new(term)})
		return
	}
}

// maxTermsAhead is how far a leader follows a member: an honest one is a few terms
// ahead, and terms must not run out.
const maxTermsAhead = 1 << 16

// announceTransfer lets the other members vote for one in spite of their leases. It
// must come before the candidate's request.
func (r *Replica) announceTransfer(transferee uint64) {
	for m := range r.others() {
		if m.ID != transferee {
			r.send(m.ID, &Message{
				Space: r.cfg.Space, Gen: r.st.Gen, From: r.st.Self, To: m.ID, Term: r.raftStatus().term, Transferee: transferee,
			})
		}
	}
}

// onTransferNotice notes whom the leader transfers its leadership to.
func (r *Replica) onTransferNotice(m *Message) {
	if now := r.raftStatus(); m.Transferee != 0 && !now.leader && now.lead == m.From && now.term == m.Term {
		r.clock.transfer = transferNotice{m.Term, m.Transferee}
	}
}

// onRemovedClaim counts the voters that say that the group goes on without this member.
// One alone may lie, so the replica is given up when most of the voters that it knows
// say so. Voters are counted by node: a node may have another number in the group by
// now. If too few of them are left, the directory names the hosts of the part.
func (r *Replica) onRemovedClaim(by *Member) {
	if by == nil || by.Learner {
		return
	}
	if r.removedClaims == nil {
		r.removedClaims = map[uint64]bool{}
	}
	r.removedClaims[by.ID] = true
	said := 0
	for _, m := range r.st.Members {
		if !m.Learner && r.removedClaims[m.ID] {
			said++
		}
	}
	if said > r.st.voters()/2 {
		r.st.Removed = true
		r.batch.state, r.batch.urgent = true, true
	}
}
