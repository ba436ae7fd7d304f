package group

import (
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Membership. What is wanted is an entry of the log, so that every leader works
// towards it, one change at a time: a new member begins as a learner, without a
// vote; a learner that has caught up becomes a voter; when all wanted members
// are voters the others are removed. A leader that is not wanted transfers its
// leadership first.
//
// Of two wanted members only the first gets a vote, since a group of two voters
// stops when either fails. The other stays a learner, from which the group can
// be recovered.

// membershipChange is the configuration change in progress.
type membershipChange struct {
	until    machine.Time           // its deadline; 0: none is in progress
	declined map[id.ID]machine.Time // nodes that had no log, or declined
}

const (
	maxLearnerLag = 16              // entries that a learner may lack to become a voter
	askAgain      = 5 * time.Second // after a node declined
)

// SetMembers sets the wanted members. Only the leader can; it returns
// ErrNotLeader or ErrBusy, and then nothing has changed.
func (r *Replica) SetMembers(wanted []machine.Peer) error {
	defer r.begin()()
	if !r.lead.leads && !(r.phase == member && r.isEstablishedLeader()) {
		return ErrNotLeader
	}
	if slices.Equal(wanted, r.st.Wanted) {
		return nil
	}
	var err error
	r.guard(func() { err = r.rn.Propose(encodeWanted(wanted)) })
	if err != nil {
		return ErrBusy
	}
	return nil
}

// isEstablishedLeader reports whether this replica is a leader that knows all that was
// committed before it and that nobody else leads, asleep or not.
func (r *Replica) isEstablishedLeader() bool {
	now := r.raftStatus()
	return now.leader && r.lead.ready == now.term && r.lead.transferredTerm != now.term && r.disk.err == nil && r.env.Now() < r.leaseEnd()
}

// stepMembership makes the next step towards the wanted members.
func (r *Replica) stepMembership() {
	if r.phase != member || len(r.st.Wanted) == 0 || r.lead.transferee != 0 || r.hibernation.asleep ||
		r.env.Now() < r.membership.until || r.membershipReached() || !r.isEstablishedLeader() {
		return
	}
	how, who, ok := r.nextChange()
	if !ok {
		return
	}
	if how == transferFirst {
		r.beginTransfer(who.ID)
		return
	}
	r.membership.until = r.env.Now().Add(r.cfg.MaxElection)
	cc := &pb.ConfChange{Type: how.Enum(), NodeId: new(who.ID), Context: encodeMember(who)}
	r.guard(func() { _ = r.rn.ProposeConfChange(cc) }) // refused: asked again
}

// membershipReached reports whether nothing is to be done.
func (r *Replica) membershipReached() bool {
	if len(r.st.Members) != len(r.st.Wanted) || len(r.lead.logLost) > 0 {
		return false
	}
	for _, p := range r.st.Wanted {
		if m := r.st.findPeer(p.ID); m == nil || m.Learner == r.st.wantsVote(p.ID) || m.Peer != p {
			return false
		}
	}
	return true
}

// transferFirst is no change: the leader itself is to go.
const transferFirst = pb.ConfChangeType(-1)

// nextChange is the next step, if there is one.
func (r *Replica) nextChange() (how pb.ConfChangeType, who Member, ok bool) {
	pr := r.progress()
	last := pr[r.st.Self].match
	for m := range r.others() {
		if r.lead.logLost[m.ID] {
			return pb.ConfChangeRemoveNode, m, true
		}
	}
	ready := true // all who are wanted are voters
	for _, p := range r.st.Wanted {
		m := r.st.findPeer(p.ID)
		switch {
		case m == nil:
			ready = false
			if at, said := r.membership.declined[p.ID]; !said || r.env.Now() >= at.Add(askAgain) {
				return pb.ConfChangeAddLearnerNode, Member{ID: r.st.NextID, Peer: p}, true
			}
		case m.Learner && r.st.wantsVote(p.ID):
			ready = false
			// Its agreement is there already, so that the lease does not end when
			// it is counted.
			agreed := r.lead.leaseAcks[m.ID].until > r.env.Now().Add(r.cfg.Heartbeat)
			if s := pr[m.ID]; agreed && s.active && s.match > 0 && s.match+maxLearnerLag >= last {
				return pb.ConfChangeAddNode, *m, true
			}
		case m.Peer != p:
			return pb.ConfChangeUpdateNode, Member{ID: m.ID, Peer: p}, true
		}
	}
	for m := range r.others() {
		if !r.wants(m) && (m.Learner || ready) {
			return pb.ConfChangeRemoveNode, m, true
		}
	}
	if self := r.st.find(r.st.Self); ready && self != nil && !(r.wants(*self) && r.st.wantsVote(self.Peer.ID)) {
		if transferee := r.bestTransferee(); transferee != 0 {
			return transferFirst, *r.st.find(transferee), true
		}
	}
	for m := range r.others() { // last: until the others have gone it may be needed for a majority
		if ready && !m.Learner && !r.st.wantsVote(m.Peer.ID) {
			return pb.ConfChangeAddLearnerNode, m, true
		}
	}
	return 0, Member{}, false
}

func (r *Replica) wants(m Member) bool {
	return slices.ContainsFunc(r.st.Wanted, func(p machine.Peer) bool { return p.ID == m.Peer.ID })
}

// bestTransferee is the voter with the longest log; 0: there is none.
func (r *Replica) bestTransferee() (n uint64) {
	pr := r.progress()
	for m := range r.others() {
		if m.Learner || r.isDead(m.ID) || r.lead.logLost[m.ID] {
			continue
		}
		if n == 0 || pr[m.ID].match > pr[n].match {
			n = m.ID
		}
	}
	return n
}

// Transfer hands leadership over, to the member with this id, or to the best
// (zero). It is given up if that one does not catch up in time.
func (r *Replica) Transfer(to id.ID) {
	defer r.begin()()
	if !r.lead.leads || r.lead.transferee != 0 {
		return
	}
	if to == (id.ID{}) {
		r.beginTransfer(r.bestTransferee())
	} else if m := r.st.findPeer(to); m != nil && !m.Learner && m.ID != r.st.Self {
		r.beginTransfer(m.ID)
	}
}

// beginTransfer holds proposals back until the transferee has every entry in
// flight.
func (r *Replica) beginTransfer(to uint64) {
	if to != 0 && r.lead.leads {
		r.lead.transferee, r.lead.transferDeadline = to, r.env.Now().Add(4*r.cfg.Election)
	}
}

// transferWhenIdle transfers leadership once no entry is in flight. From then
// on this replica claims nothing in this term: the transferee needs no lease to
// be elected.
func (r *Replica) transferWhenIdle() {
	l := &r.lead
	switch {
	case l.transferee == 0 || r.phase != member:
	case r.env.Now() >= l.transferDeadline || r.st.find(l.transferee) == nil:
		l.transferee, l.transferDeadline = 0, 0
	case len(r.props.inflight) == 0:
		if pr := r.progress(); pr[l.transferee].match >= pr[r.st.Self].match && r.st.Applied >= pr[r.st.Self].match {
			r.completeTransfer(l.transferee)
		}
	}
}

func (r *Replica) completeTransfer(to uint64) {
	l := &r.lead
	l.transferee, l.transferDeadline = 0, 0
	l.transferredTerm = r.raftStatus().term
	l.transferredAt, l.transferredTo = r.env.Now().Add(l.leaseToRequest(r)), to
	r.clock.leaseUntil = max(r.clock.leaseUntil, l.transferredAt) // nobody but the transferee gets this vote
	r.announceTransfer(to)
	r.guard(func() { r.rn.TransferLeader(to) })
}

// transferOnDiskFailure transfers leadership because the leader's disk fails.
func (r *Replica) transferOnDiskFailure(now raftStatus) {
	if r.lead.transferredTerm == now.term {
		return
	}
	if to := r.bestTransferee(); to != 0 {
		r.completeTransfer(to)
		r.pump()
	}
}

// leaveTransferredTerm leaves a term in which another member was told to
// campaign, if that one was not elected. Raft allows a server to go to a higher
// term at any time; the library does when it hears of one.
func (r *Replica) leaveTransferredTerm() {
	now := r.raftStatus()
	if !now.leader || r.lead.transferredTerm != now.term {
		return
	}
	for m := range r.others() {
		r.step(&pb.Message{Type: pb.MsgAppResp.Enum(), From: new(m.ID), To: new(r.st.Self), Term: new(now.term + 1)})
		return
	}
}

// detectFailures updates which members count as dead.
func (r *Replica) detectFailures(machine.Time) {
	for m := range r.others() {
		if dead := r.isDead(m.ID); dead != r.lead.dead[m.ID] {
			r.lead.dead[m.ID] = dead
			r.emit(r.ev.OnChange)
		}
	}
}

func (r *Replica) isDead(n uint64) bool {
	return r.env.Now().Sub(r.lead.heard[n]) > r.cfg.DeadAfter
}

// onLogLost handles a member that has lost its log or declines to be one. It is
// removed; if it is wanted it may come again, as another.
func (r *Replica) onLogLost(from machine.Peer, m *Message) {
	k := r.st.find(m.From)
	if !r.raftStatus().leader || k == nil || k.Peer.ID != from.ID || r.lead.logLost[m.From] {
		return
	}
	r.lead.logLost[m.From] = true
	if r.membership.declined == nil {
		r.membership.declined = map[id.ID]machine.Time{}
	}
	if k.Learner {
		r.membership.declined[from.ID] = r.env.Now()
	}
	r.emit(r.ev.OnChange)
}
