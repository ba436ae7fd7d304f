package group

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Status is what a replica knows of itself and its group.
type Status struct {
	Member bool // of a group, or about to become one
	Gen    Gen
	Term   uint64
	Leads  bool
	Asleep bool
	Leader machine.Peer // zero: unknown
	// Members as of the last applied entry. Only a leader knows which are
	// healthy.
	Members []MemberStatus
	Wanted  []machine.Peer
	Former  []machine.Peer // had a vote and were removed, the last first
	// Restored is the time of the state that the group began with, in the place of one
	// whose hosts were gone; 0: it did not begin so.
	Restored machine.Time
	Basis    []byte // what the owner has said of that state (Origin)
	// Applied is the index of the last entry in the space, Last of the last in
	// the log; the term of the latter is LastTerm.
	Applied, Last, LastTerm uint64
	// Overruled is the index of an entry that is committed here and that the others, who
	// lack it, have replaced; 0: there is none.
	Overruled            uint64
	LogEntries, LogBytes int
	Election             time.Duration // the lease that the leader asks for
	Disk                 error         // why nothing can be written
}

// MemberStatus is a member.
type MemberStatus struct {
	Peer    machine.Peer
	Voter   bool
	Standby bool   // it has no vote, and is to have none: the second of two
	Dead    bool   // was not heard for Config.DeadAfter
	LogLost bool   // has lost its log, or declined
	Behind  uint64 // entries that it has not acknowledged
}

// Status returns the state of the replica and of its group.
func (r *Replica) Status() Status {
	s := Status{Member: r.phase == member, Gen: r.st.Gen, Disk: r.disk.failing()}
	if r.phase != member {
		return s
	}
	now := r.raft.status()
	s.Term, s.Leads, s.Asleep, s.Applied, s.Wanted, s.Former = now.term, r.leadership.leading(), r.hibernation.isAsleep(), r.st.Applied, r.st.Wanted, r.st.Former
	if s.Leads && !r.lease.holds() {
		s.Leads = false // and the next handler will say so
	}
	s.Restored, s.Basis, s.Overruled = r.st.Restored, r.st.Basis, r.overruled.at
	s.Leader = r.Leader()
	s.Last, s.LastTerm, _ = r.raft.lastEntry()
	s.LogEntries, s.LogBytes = int(s.Last-r.st.Base), r.raft.logBytes()
	s.Election = r.lease.request()
	var pr map[uint64]progress
	if now.leader {
		pr = r.raft.progress()
	}
	for _, m := range r.st.Members {
		ms := MemberStatus{Peer: m.Peer, Voter: !m.Learner, Standby: m.Learner && !r.st.wantsVote(m.Peer.ID)}
		if now.leader && m.ID != r.st.Self {
			ms.Dead, ms.LogLost = r.detector.isDead(m.ID), r.membership.isLogLost(m.ID)
			ms.Behind = s.Last - min(s.Last, pr[m.ID].match)
		}
		s.Members = append(s.Members, ms)
	}
	return s
}

// What is asked for often has methods of its own, which allocate nothing.

// Leader is the leader, if it is known; otherwise zero.
func (r *Replica) Leader() (p machine.Peer) {
	if r.phase != member {
		return p
	}
	switch lead := r.raft.status().lead; lead {
	case 0:
	case r.st.Self:
		p = r.cfg.Self
	default:
		p, _ = r.outbox.addressOf(lead)
	}
	return p
}

// Term is the generation and the term; the term is 0 outside a group.
func (r *Replica) Term() (Gen, uint64) {
	if r.phase != member {
		return r.st.Gen, 0
	}
	return r.st.Gen, r.raft.status().term
}

// Hibernates reports whether the group hibernates.
func (r *Replica) Hibernates() bool { return r.phase == member && r.hibernation.isAsleep() }

// WokenBy reports whether the group hibernates and a message may wake it. The owner
// bounds how often a node may do that.
func (r *Replica) WokenBy(m machine.Message) bool {
	x, ok := m.(*Message)
	return ok && r.Hibernates() && r.hibernation.wokenBy(x)
}

// Voters appends the voters as of the last applied entry.
func (r *Replica) Voters(out []machine.Peer) []machine.Peer {
	if r.phase != member {
		return out
	}
	for _, m := range r.st.Members {
		if !m.Learner {
			out = append(out, m.Peer)
		}
	}
	return out
}

// Hosts appends the voters, and of two members the one without a vote.
func (r *Replica) Hosts(out []machine.Peer) []machine.Peer {
	if r.phase != member {
		return out
	}
	for _, m := range r.st.Members {
		if !m.Learner || !r.st.wantsVote(m.Peer.ID) {
			out = append(out, m.Peer)
		}
	}
	return out
}

// Leads reports whether this replica leads at this moment.
func (r *Replica) Leads() bool { return r.leadership.leading() && r.lease.holds() }

// LeadsUntil is until when this replica leads at least, zero if it does not.
func (r *Replica) LeadsUntil() machine.Time { return r.leadership.leadsUntil() }

// CheckLease ends leadership if the lease has expired, as every handler does first.
func (r *Replica) CheckLease() { defer r.begin()() }
