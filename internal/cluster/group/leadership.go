package group

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// leadership is whether this replica leads, as its owner is told. Raft's leader leads
// once its first entry is applied and while it has a lease, unless it hands
// leadership over, hibernates or cannot write.
type leadership struct {
	component
	raft       *raftNode
	disk       *diskWriter
	election   *election
	lease      *leaderLease
	transfer   *transfer
	membership *membership
	detector   *failureDetector
	filter     *raftFilter
	proposals  *proposals
	reads      *reads

	leads  bool
	leader uint64       // as the owner was told
	ready  uint64       // the term in which this replica's first entry is applied
	tickAt machine.Time // the next heartbeat; 0: Raft's leader is another
}

func (l *leadership) reset() { l.leads, l.leader, l.ready, l.tickAt = false, 0, 0, 0 }

// leading reports whether this replica leads, as the owner was told.
func (l *leadership) leading() bool { return l.leads }

// firstEntryApplied is called when the first entry of this leader's term is
// applied, and with it everything that earlier leaders committed.
func (l *leadership) firstEntryApplied(term uint64) { l.ready = term }

// isEstablished reports whether this replica is a leader that has applied everything
// committed before, and that no other member leads, whether the group hibernates or
// not.
func (l *leadership) isEstablished() bool {
	now := l.raft.status()
	return now.leader && l.ready == now.term && !l.transfer.completedIn(now.term) && l.disk.failing() == nil && l.lease.holds()
}

// checkLease ends leadership if the lease has expired.
func (l *leadership) checkLease() {
	if l.leads && !l.lease.holds() {
		l.end(ErrLease)
	}
}

// end ends leadership: proposals and reads in flight fail, and the owner is told
// why.
func (l *leadership) end(why error) {
	if !l.leads {
		return
	}
	l.leads = false
	l.transfer.cancel()
	l.proposals.abort(why)
	l.reads.abort(why)
	l.events.follow(why)
}

// leadsUntil is until when this replica leads at least; 0: it does not.
func (l *leadership) leadsUntil() machine.Time {
	if !l.leads {
		return 0
	}
	return l.lease.end()
}

// update is called when the term, the leader or what leadership depends on may have
// changed. It tells the owner when leadership begins or ends, and when the leader
// changes.
func (l *leadership) update(hibernates bool) {
	if !l.raft.active() {
		return
	}
	now := l.raft.status()
	l.filter.noteLeader(now)
	l.updateOwner(now, hibernates)
	if l.election.enterTerm(now) {
		l.lease.newTerm()
		l.filter.newTerm()
		l.membership.newTerm()
	}
	l.updateTicks(now)
}

func (l *leadership) updateOwner(now raftStatus, hibernates bool) {
	switch {
	case !now.leader:
		l.end(ErrDeposed)
	case l.transfer.completedIn(now.term):
		l.end(ErrTransferred)
	case l.disk.failing() != nil:
		if l.transfer.complete(l.membership.bestTransferee()) {
			l.raft.pump()
		}
		l.end(l.disk.failing())
	case hibernates:
		l.end(ErrHibernating)
	case !l.leads && l.ready == now.term && !l.proposals.uncertain(now.term) && l.lease.holds():
		l.leads = true
		l.events.lead()
	}
	if now.lead != l.leader {
		l.leader = now.lead
		l.events.changed()
	}
}

// updateTicks starts heartbeats when this replica has just been elected, and stops
// them when another leads.
func (l *leadership) updateTicks(now raftStatus) {
	switch {
	case !now.leader:
		l.tickAt = 0
	case l.tickAt == 0:
		l.ticked()
		l.detector.recordAll()
	}
}

// nextTick is the time of the next heartbeat; 0: Raft's leader is another.
func (l *leadership) nextTick() machine.Time { return l.tickAt }

// mustTick reports whether it is time for a heartbeat.
func (l *leadership) mustTick() bool { return l.tickAt > 0 && l.now() >= l.tickAt }

// ticked is called at each heartbeat.
func (l *leadership) ticked() { l.tickAt = l.now().Add(l.cfg.Heartbeat) }

// propose gives waiting writes to Raft, unless leadership is being transferred.
func (l *leadership) propose() {
	for l.leads && !l.transfer.pending() && l.proposals.mayPropose() {
		if l.proposals.propose() {
			l.raft.pump()
		}
	}
}

// addLease adds to a message the lease that the leader asks for, or that this
// follower granted.
func (l *leadership) addLease(m *Message, now raftStatus) {
	if now.leader && !l.transfer.completedIn(now.term) {
		m.SentAt, m.Lease = int64(l.now()), int64(l.lease.request())
		m.Fresh = l.isFresh(m.To)
		return
	}
	l.election.addAck(m, now)
}

// isFresh reports whether this leader has just added a member, which has not
// answered yet. All changes before this leader's first entry are applied then, and
// it promotes only members that have answered, so a fresh member has never had a
// vote.
func (l *leadership) isFresh(n uint64) bool {
	m := l.st.find(n)
	return m != nil && m.Learner && l.ready == l.raft.status().term && l.raft.progress()[n].match == 0
}
