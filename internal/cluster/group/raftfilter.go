package group

import (
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

// raftFilter checks the messages that members send before the library steps them.
// Raft trusts every member: a message with a higher term deposes the leader, and no
// lease delays a vote in a transfer or an append of a higher term. A lying member
// could take the leadership that way. So:
//
//   - while its lease to a leader holds, a follower ignores higher terms, except from
//     the member to which that leader transfers leadership and which it has named to
//     all members (Message.Transferee);
//   - while its lease holds, a leader ignores higher terms: the majority that granted
//     it has elected nobody;
//   - a term has one leader: appends and heartbeats of the current term count only
//     from it, and so do the chunks of a snapshot (snapshotreceiver.go);
//   - MsgTimeoutNow counts only from the leader;
//   - a leader ignores acknowledgements of entries that it does not have;
//   - nobody gets a vote whose log is shorter than this replica's is known to have been
//     (voteFloor).
//
// What a lying member can still do: campaign when there is no leader, and win.
// Voters are trusted with that (docs/security.md).
type raftFilter struct {
	component
	raft     *raftNode
	disk     *diskWriter
	lease    *leaderLease
	election *election
	transfer *transfer
	floor    *voteFloor

	announced candidate // whom its leader named
	elected   elected   // the latest leader that it knew
	higher    higherTerms
}

// candidate is a member that a leader allows to be elected in spite of the leases to
// this leader.
type candidate struct{ term, member uint64 }

// elected is the leader of a term.
type elected struct{ term, leader uint64 }

// higherTerms is what a leader whose lease holds has received of higher terms. A
// member may be there honestly: it campaigned, and the others granted the leader's
// lease before they voted. It takes part again only in a higher term, so the leader
// goes there, but seldom, since a liar must not make it do so all the time.
type higherTerms struct {
	highest uint64
	since   int64 // when the first was received; 0: none
	adopted int64 // when the leader last went to a higher term for that
}

const (
	// adoptTermAfter is how long members must have been ahead until the leader
	// goes to a higher term, adoptTermEvery how often it does at most.
	adoptTermAfter = 10 * time.Second
	adoptTermEvery = time.Minute
	// maxTermsAhead is how far a leader follows a member: an honest one is a few
	// terms ahead, and terms must not run out.
	maxTermsAhead = 1 << 16
)

// sentToMembers are the library's messages that members send each other. Snapshots
// are not: see Chunk.
var sentToMembers = map[pb.MessageType]bool{
	pb.MsgApp: true, pb.MsgAppResp: true, pb.MsgVote: true, pb.MsgVoteResp: true,
	pb.MsgHeartbeat: true, pb.MsgHeartbeatResp: true, pb.MsgTimeoutNow: true,
	pb.MsgPreVote: true, pb.MsgPreVoteResp: true,
}

func (f *raftFilter) reset() {
	f.announced, f.elected, f.higher = candidate{}, elected{}, higherTerms{}
}

// newTerm is called when the term changes.
func (f *raftFilter) newTerm() { f.higher = higherTerms{adopted: f.higher.adopted} }

// noteLeader notes the leader of the current term.
func (f *raftFilter) noteLeader(now raftStatus) {
	if now.lead != 0 {
		f.elected = elected{now.term, now.lead}
	}
}

// onTransferNotice notes to whom the leader transfers its leadership.
func (f *raftFilter) onTransferNotice(m *Message) {
	if now := f.raft.status(); m.Transferee != 0 && !now.leader && now.lead == m.From && now.term == m.Term {
		f.announced = candidate{m.Term, m.Transferee}
	}
}

// mayStep reports whether the library may step a message.
func (f *raftFilter) mayStep(m *pb.Message) bool {
	now := f.raft.status()
	higher := m.GetTerm() > now.term
	switch t := m.GetType(); {
	case f.floor.forbids(m):
		return false
	case t == pb.MsgTimeoutNow:
		return m.GetTerm() == now.term && now.lead == m.GetFrom()
	case (t == pb.MsgApp || t == pb.MsgHeartbeat) && !f.mayLead(m.GetFrom(), m.GetTerm()):
		return false
	case t == pb.MsgAppResp && now.leader && !m.GetReject() && m.GetIndex() > f.disk.lastIndex():
		return false // the library would believe it, and panic when it reads them
	case now.leader && !higher:
		return true
	case now.leader:
		return f.leaderMayStep(m, now)
	case f.announced == candidate{now.term, m.GetFrom()}:
		return true
	case t == pb.MsgVote || t == pb.MsgPreVote:
		if f.election.holds() {
			return false
		}
		f.raft.forgetLeader()
		return true
	default:
		return !higher || !f.election.holds()
	}
}

// mayLead reports whether a member may be the leader of a term: no other is.
func (f *raftFilter) mayLead(n, term uint64) bool {
	now := f.raft.status()
	if now.term == term && now.lead != 0 {
		return now.lead == n
	}
	return f.elected.term != term || f.elected.leader == n
}

// leaderMayStep reports whether a leader accepts a message of a higher term: from
// its transferee, or when its lease does not hold.
func (f *raftFilter) leaderMayStep(m *pb.Message, now raftStatus) bool {
	if f.transfer.completedIn(now.term) {
		return f.transfer.completedTo(m.GetFrom()) || !f.election.holds() && !f.lease.holds()
	}
	if !f.lease.holds() {
		return true
	}
	if t := m.GetType(); t == pb.MsgVote || t == pb.MsgPreVote {
		return false // no candidate could be elected now
	}
	if m.GetTerm() <= now.term+maxTermsAhead {
		f.higher.highest = max(f.higher.highest, m.GetTerm())
		if f.higher.since == 0 {
			f.higher.since = int64(f.now())
		}
	}
	return false
}

// adoptHigherTerm takes a leader to a higher term if a member has been there for
// long, and the leader may leave its own. The leader campaigns itself, and is the
// candidate that the others may elect.
func (f *raftFilter) adoptHigherTerm(may bool) {
	a, at := &f.higher, int64(f.now())
	switch {
	case a.since == 0 || time.Duration(at-a.since) < adoptTermAfter:
		return
	case a.adopted != 0 && time.Duration(at-a.adopted) < adoptTermEvery:
		return
	case a.highest <= f.raft.status().term || !may:
		*a = higherTerms{adopted: a.adopted}
		return
	}
	term := a.highest
	*a = higherTerms{adopted: at}
	self := f.st.Self
	f.transfer.announce(self)
	for m := range f.st.others() {
		f.raft.step(&pb.Message{Type: pb.MsgAppResp.Enum(), From: new(m.ID), To: new(self), Term: new(term)})
		f.raft.step(&pb.Message{Type: pb.MsgTimeoutNow.Enum(), From: new(m.ID), To: new(self), Term: new(term)})
		return
	}
}
