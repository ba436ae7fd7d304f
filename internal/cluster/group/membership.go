package group

import (
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// membership moves the members towards the wanted ones (thesis 4). Those are an
// entry of the log, so that every leader works towards them, one change at a time: a
// new member begins as a learner, without a vote; a learner that has caught up
// becomes a voter; when all wanted members are voters the others are removed. A
// leader that is not wanted transfers its leadership first.
//
// Of two wanted members only the first gets a vote, since a group of two voters
// stops when either fails. The other stays a learner, from which the group can be
// recovered.
type membership struct {
	component
	raft     *raftNode
	disk     *diskWriter
	lease    *leaderLease
	detector *failureDetector
	links    *links
	outbox   *outbox
	sender   *snapshotSender

	until    machine.Time            // the deadline of the change in progress; 0: there is none
	logLost  map[uint64]machine.Time // members that returned without a log or with an older one, or declined: when they said so
	declined map[id.ID]machine.Time  // nodes that declined to become members
}

const (
	maxLearnerLag = 16              // entries that a learner may lack to become a voter
	inviteAgain   = 5 * time.Second // after a node declined
)

func (s *membership) reset() {
	s.until, s.logLost, s.declined = 0, map[uint64]machine.Time{}, nil
}

// newTerm is called when the term changes: the leader asks all members anew how far their
// logs go.
func (s *membership) newTerm() { clear(s.logLost) }

// set proposes the wanted members.
func (s *membership) set(wanted []machine.Peer) error {
	if slices.Equal(wanted, s.st.Wanted) {
		return nil
	}
	if s.raft.propose(encodeWanted(wanted)) != nil {
		return ErrBusy
	}
	return nil
}

// changing reports whether a change is in progress.
func (s *membership) changing() bool { return s.now() < s.until }

// applied is called when a change is applied: a member was added, changed or removed.
func (s *membership) applied(m Member, removed bool) {
	s.until = 0
	switch {
	case !removed && m.ID == s.st.Self:
	case !removed:
		s.links.open(m.Peer)
		s.detector.recordChanged(m.ID)
	case m.ID == s.st.Self:
		s.st.remove()
		s.disk.writeState()
	default:
		s.detector.forget(m.ID)
		s.lease.forget(m.ID)
		delete(s.logLost, m.ID)
		s.sender.drop(m.ID)
		s.outbox.sendRemoved(m.ID, m.Peer)
	}
}

func (s *membership) isLogLost(n uint64) bool { return s.logLost[n] != 0 }

// mustChange reports whether the next change is to be made.
func (s *membership) mustChange() bool {
	return s.raft.active() && len(s.st.Wanted) > 0 && !s.changing() && !s.reached()
}

// reached reports whether the members are the wanted ones.
func (s *membership) reached() bool {
	if len(s.st.Members) != len(s.st.Wanted) || len(s.logLost) > 0 {
		return false
	}
	for _, p := range s.st.Wanted {
		if m := s.st.findPeer(p.ID); m == nil || m.Learner == s.st.wantsVote(p.ID) || m.Peer != p {
			return false
		}
	}
	return true
}

// pending reports whether there is a change to make, or in progress.
func (s *membership) pending() bool {
	_, _, more := s.next()
	return more && len(s.st.Wanted) > 0 || s.changing()
}

// advance proposes the next change. If leadership must be transferred first, it
// returns to whom.
func (s *membership) advance() (transferee uint64) {
	how, who, ok := s.next()
	switch {
	case !ok:
	case how == transferFirst:
		return who.ID
	default:
		s.until = s.now().Add(s.cfg.MaxElection)
		cc := &pb.ConfChange{Type: how.Enum(), NodeId: new(who.ID), Context: encodeMember(who)}
		s.raft.guard(func(rn *raft.RawNode) { _ = rn.ProposeConfChange(cc) }) // refused: proposed again
	}
	return 0
}

// transferFirst is no change: the leader itself is to go.
const transferFirst = pb.ConfChangeType(-1)

// next is the next change, if there is one.
func (s *membership) next() (how pb.ConfChangeType, who Member, ok bool) {
	for m := range s.st.others() {
		if since := s.logLost[m.ID]; since != 0 && (m.Learner || s.canDoWithout(m.ID, since)) {
			return pb.ConfChangeRemoveNode, m, true
		}
	}
	how, who, ready := s.nextWanted()
	if who.ID != 0 {
		return how, who, true
	}
	return s.nextUnwanted(ready)
}

// canDoWithout reports whether most of the other voters have answered since a member said
// that it has lost its log: without them its removal could be committed only once it has
// caught up in a later term, and is needed.
func (s *membership) canDoWithout(n uint64, since machine.Time) bool {
	others, answer := 0, 0
	for _, m := range s.st.Members {
		if m.Learner || m.ID == n {
			continue
		}
		others++
		if m.ID == s.st.Self || s.lease.acks[m.ID].sentAt > since {
			answer++
		}
	}
	return 2*answer > others
}

// nextWanted adds, promotes or updates a wanted member; ready: all are as wanted.
func (s *membership) nextWanted() (how pb.ConfChangeType, who Member, ready bool) {
	ready = true
	pr := s.raft.progress()
	last := pr[s.st.Self].match
	for _, p := range s.st.Wanted {
		m := s.st.findPeer(p.ID)
		switch {
		case m == nil:
			ready = false
			if at, said := s.declined[p.ID]; !said || s.now() >= at.Add(inviteAgain) {
				return pb.ConfChangeAddLearnerNode, Member{ID: s.st.NextID, Peer: p}, false
			}
		case m.Learner && s.st.wantsVote(p.ID):
			ready = false
			// It has granted a lease already, so that the leader's does not end when
			// this voter is counted.
			granted := s.lease.grantedUntil(m.ID) > s.now().Add(s.cfg.Heartbeat)
			if to := pr[m.ID]; granted && to.active && to.match > 0 && to.match+maxLearnerLag >= last {
				return pb.ConfChangeAddNode, *m, false
			}
		case m.Peer != p:
			return pb.ConfChangeUpdateNode, Member{ID: m.ID, Peer: p}, false
		}
	}
	return 0, Member{}, ready
}

// nextUnwanted removes a member that is not wanted, or its vote. Voters go when
// the wanted members are ready.
func (s *membership) nextUnwanted(ready bool) (how pb.ConfChangeType, who Member, ok bool) {
	for m := range s.st.others() {
		if !s.st.wants(m) && (m.Learner || ready) {
			return pb.ConfChangeRemoveNode, m, true
		}
	}
	if self := s.st.find(s.st.Self); ready && self != nil && !(s.st.wants(*self) && s.st.wantsVote(self.Peer.ID)) {
		if to := s.bestTransferee(); to != 0 {
			return transferFirst, *s.st.find(to), true
		}
	}
	for m := range s.st.others() { // last: until the others have gone it may be needed for a majority
		if ready && !m.Learner && !s.st.wantsVote(m.Peer.ID) {
			return pb.ConfChangeAddLearnerNode, m, true
		}
	}
	return 0, Member{}, false
}

// bestTransferee is the living voter with the longest log; 0: there is none.
func (s *membership) bestTransferee() (n uint64) {
	pr := s.raft.progress()
	for m := range s.st.others() {
		if m.Learner || s.detector.isDead(m.ID) || s.isLogLost(m.ID) {
			continue
		}
		if n == 0 || pr[m.ID].match > pr[n].match {
			n = m.ID
		}
	}
	return n
}

// onLogLost handles a member that has lost its log or declines to be one. It is
// removed; if it is wanted it may be added again, as another member.
func (s *membership) onLogLost(from machine.Peer, m *Message) {
	k := s.st.find(m.From)
	if !s.raft.status().leader || k == nil || k.Peer.ID != from.ID || s.isLogLost(m.From) {
		return
	}
	s.logLost[m.From] = s.now()
	if s.declined == nil {
		s.declined = map[id.ID]machine.Time{}
	}
	if k.Learner {
		s.declined[from.ID] = s.now()
	}
	s.events.changed()
}
