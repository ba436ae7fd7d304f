package group

import (
	"time"

	"go.etcd.io/raft/v3"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// election is the time of a follower: until when it has granted its leader a lease,
// and when it campaigns.
//
// The library counts ticks, and its followers draw random timeouts from the system,
// which would make runs unrepeatable. So only leaders are ticked, where nothing is
// random, and followers are timed here. Every message of a leader carries its clock
// (SentAt) and a lease (Lease): for that long after receipt the follower neither
// votes for another member nor campaigns. Its answers repeat the SentAt of the
// latest lease that it granted (AckSentAt).
type election struct {
	component
	raft  *raftNode
	disk  *diskWriter
	floor *voteFloor

	leaseUntil    machine.Time // until then it votes for no other member
	leaseDuration time.Duration
	durableLease  time.Duration // the longest lease that is on the disk
	ack           leaseGrant
	electAt       machine.Time // when it campaigns
	term          uint64       // the latest that enterTerm saw
	elections     int          // since there was a leader
}

// leaseGrant is the latest lease that a follower granted its leader.
type leaseGrant struct {
	sentAt, lease int64
	term          uint64
}

// reset begins anew, with no lease.
func (e *election) reset() {
	*e = election{component: e.component, raft: e.raft, disk: e.disk, floor: e.floor}
}

// grant keeps this replica from voting for another member and from campaigning
// for a while.
func (e *election) grant(d time.Duration) {
	now := e.now()
	e.leaseUntil = max(e.leaseUntil, now.Add(d))
	e.durableLease = max(e.durableLease, e.disk.hardState().Lease)
	e.electAt = e.leaseUntil.Add(e.delay())
	if e.st.isOnlyVoter() {
		e.leaseUntil, e.electAt = now, now
	}
}

// regrant grants the leader another lease, as if it had just been heard.
func (e *election) regrant() { e.grant(max(e.leaseDuration, e.cfg.Election)) }

// extend keeps this replica from voting until a time.
func (e *election) extend(until machine.Time) { e.leaseUntil = max(e.leaseUntil, until) }

// holds reports whether the lease that it granted has not expired.
func (e *election) holds() bool { return e.now() < e.leaseUntil }

// delay is how long after the end of its lease a follower campaigns. Members
// campaign one after the other, so that simultaneous candidates are rare; the
// first waits a little for the leases of the others to end.
func (e *election) delay() time.Duration {
	rank, lead := 0, e.raft.status().lead
	for _, m := range e.st.Members {
		if !m.Learner && m.ID < e.st.Self && m.ID != lead {
			rank++
		}
	}
	return e.cfg.Election/25 + time.Duration(rank)*e.cfg.Election/5 + e.jitter(e.cfg.Election/50)
}

// backoff is how long a candidate waits before it campaigns again.
func (e *election) backoff() time.Duration {
	d := max(e.cfg.Election, e.leaseDuration) << min(e.elections, 3)
	d = min(d, e.cfg.MaxElection)
	return d/5 + e.jitter(d/5)
}

// longestLease is the longest lease that a restarted replica must assume.
func (e *election) longestLease() time.Duration {
	return max(e.leaseDuration, e.leaseUntil.Sub(e.now()), 0)
}

// leaseSynced is called when the longest lease is on the disk.
func (e *election) leaseSynced(d time.Duration) { e.durableLease = d }

// onMessage grants the leader the lease that it asks for. A lease that is longer
// than the one on the disk is written first; the next message is acknowledged then.
func (e *election) onMessage(m *Message, now raftStatus) {
	if now.lead != m.From || m.SentAt == 0 {
		return
	}
	d := time.Duration(min(max(m.Lease, 0), int64(2*e.cfg.MaxElection)))
	e.leaseDuration, e.elections = d, 0
	e.extend(e.now().Add(d))
	e.electAt = max(e.electAt, e.leaseUntil.Add(e.delay()))
	if d > e.durableLease {
		e.disk.writeLease()
		return
	}
	e.ack = leaseGrant{m.SentAt, int64(d), m.Term}
}

// addAck adds the granted lease to a message to the leader.
func (e *election) addAck(m *Message, now raftStatus) {
	if e.ack.term == now.term && now.lead == m.To {
		m.AckSentAt, m.AckLease = e.ack.sentAt, e.ack.lease
	}
}

// enterTerm reports whether the term is another than last time.
func (e *election) enterTerm(now raftStatus) bool {
	if now.term == e.term {
		return false
	}
	e.term = now.term
	if !now.leader { // a candidate campaigns: give it time
		e.electAt = max(e.electAt, e.now().Add(e.backoff()))
	}
	return true
}

// deadline is when this replica campaigns, or notices that there is no leader; 0:
// never.
func (e *election) deadline() machine.Time {
	if self := e.st.find(e.st.Self); self != nil && (!self.Learner || e.raft.status().lead != 0) {
		return e.electAt
	}
	return 0
}

// campaign asks for votes if it is time. A learner, and a replica that lacks what it had,
// only notice that there is no leader.
func (e *election) campaign() {
	if e.now() < e.electAt {
		return
	}
	self := e.st.find(e.st.Self)
	e.electAt = e.now().Add(e.backoff())
	e.elections++
	lacks := e.floor.lacks()
	if self != nil && (self.Learner || lacks) {
		e.raft.forgetLeader()
	}
	if self == nil || self.Learner || lacks || e.disk.failing() != nil {
		return
	}
	e.raft.forgetLeader()
	e.raft.guard(func(rn *raft.RawNode) { _ = rn.Campaign() })
}
