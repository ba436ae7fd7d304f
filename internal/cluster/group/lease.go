package group

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Time in a group. The library counts ticks, and lets followers wait for a
// random number of them that it draws from the system: no run could be repeated.
// So only leaders are ticked, where nothing is random, and followers' time is
// kept here.
//
// Every message of a leader carries the leader's clock (SentAt) and a lease
// (Lease): for that long the receiver is not to vote for another member nor to
// campaign. The follower's answer repeats the SentAt that it agreed to. Once a
// majority has agreed, the leader included, no other member can be elected
// before the earliest of those leases ends. The leader leads until a tenth of
// the lease before that, because clocks may differ by as much.

// drift: clocks may be wrong by a tenth of a lease.
const drift = 10

// electionClock is what a follower knows of its leader's lease, when it
// campaigns, and the replica's timer.
type electionClock struct {
	leaseUntil    machine.Time // until then it votes for no other member
	leaseDuration time.Duration
	durableLease  time.Duration // the longest lease that is on the disk
	ackSentAt     int64         // SentAt of the leader's message that this follower agreed to
	ackLease      int64
	ackTerm       uint64
	transfer      transferNotice // the member that it may elect before the lease ends
	elected       elected        // the leader of a term, once it is known
	electAt       machine.Time
	term          uint64 // in which it last campaigned or voted
	elections     int    // elections since there was a leader

	tickAt   machine.Time
	loadAt   machine.Time
	armed    machine.Time // 0: no timer
	timerGen uint32
}

// leadership is the state of a leader.
type leadership struct {
	leads            bool
	leader           uint64 // as told to the owner
	ready            uint64 // the term in which this replica's first entry is applied
	uncertainTerm    uint64 // the term in which leadership for the owner ended while writes were on their way
	barrier          uint64 // number of the entry behind them, 0: not in the log yet
	transferredTerm  uint64 // the term in which it told another member to campaign
	transferredAt    machine.Time
	transferredTo    uint64 // whom
	transferee       uint64 // takes over once no entry is in flight
	transferDeadline machine.Time

	leaseAcks   map[uint64]leaseAck
	heard       map[uint64]machine.Time
	dead        map[uint64]bool // as told to the owner
	logLost     map[uint64]bool // members that came back without a log, or declined
	higher      higherTerms
	confirmedAt machine.Time  // the latest SentAt that a majority agreed to
	ackDelay    time.Duration // how long that took, at its worst of late
}

// leaseAck is the latest agreement of a follower.
type leaseAck struct{ sentAt, until machine.Time }

func (l *leadership) init() {
	*l = leadership{
		leaseAcks: map[uint64]leaseAck{}, heard: map[uint64]machine.Time{},
		dead: map[uint64]bool{}, logLost: map[uint64]bool{},
	}
}

// grantLease keeps this replica from voting for another member and from
// campaigning for a while.
func (r *Replica) grantLease(d time.Duration) {
	now := r.env.Now()
	r.clock.leaseUntil = max(r.clock.leaseUntil, now.Add(d))
	r.clock.durableLease = max(r.clock.durableLease, r.hs.Lease)
	r.clock.electAt = r.clock.leaseUntil.Add(r.electionDelay())
	if r.isOnlyVoter() {
		r.clock.leaseUntil, r.clock.electAt = now, now
	}
}

// electionDelay is how long after the end of its lease a follower campaigns.
// Members campaign one after the other, so that seldom two campaign at once;
// the first waits a little for the leases of the others to end.
func (r *Replica) electionDelay() time.Duration {
	rank, lead := 0, uint64(0)
	if r.rn != nil {
		lead = r.raftStatus().lead
	}
	for _, m := range r.st.Members {
		if !m.Learner && m.ID < r.st.Self && m.ID != lead {
			rank++
		}
	}
	return r.cfg.Election/25 + time.Duration(rank)*r.cfg.Election/5 + r.jitter(r.cfg.Election/50)
}

func (r *Replica) jitter(d time.Duration) time.Duration {
	return time.Duration(r.env.Rand().Intn(int(d) + 1))
}

// isOnlyVoter reports whether this is the only voter.
func (r *Replica) isOnlyVoter() bool {
	self := r.st.find(r.st.Self)
	return self != nil && !self.Learner && r.st.voters() == 1
}

// longestLease is the longest lease that a restarted replica must assume.
func (r *Replica) longestLease() time.Duration {
	return max(r.clock.leaseDuration, r.clock.leaseUntil.Sub(r.env.Now()), 0)
}

// onLease takes a lease from the leader, or, as the leader, a follower's
// agreement.
func (r *Replica) onLease(m *Message) {
	now := r.raftStatus()
	if m.Term != now.term {
		return
	}
	switch {
	case now.leader:
		if m.AckSentAt <= 0 || machine.Time(m.AckSentAt) > r.env.Now() {
			return // it is no time of this leader's
		}
		p := time.Duration(min(max(m.AckLease, 0), int64(2*r.cfg.MaxElection)))
		a := leaseAck{machine.Time(m.AckSentAt), machine.Time(m.AckSentAt).Add(p - p/drift)}
		old := r.lead.leaseAcks[m.From]
		r.lead.leaseAcks[m.From] = leaseAck{max(old.sentAt, a.sentAt), max(old.until, a.until)}
		r.measureAckDelay()
	case now.lead == m.From && m.SentAt != 0:
		p := time.Duration(min(max(m.Lease, 0), int64(2*r.cfg.MaxElection)))
		r.clock.leaseDuration, r.clock.elections = p, 0
		r.clock.leaseUntil = max(r.clock.leaseUntil, r.env.Now().Add(p))
		r.clock.electAt = max(r.clock.electAt, r.clock.leaseUntil.Add(r.electionDelay()))
		if p > r.clock.durableLease {
			r.batch.hard, r.batch.urgent = true, true // and agree to the next
			return
		}
		r.clock.ackSentAt, r.clock.ackLease, r.clock.ackTerm = m.SentAt, int64(p), m.Term
	}
}

// forgetLeader lets the library vote: as long as it knows a leader it does not.
func (r *Replica) forgetLeader() {
	if s := r.raftStatus(); s.lead != 0 && !s.leader {
		r.guard(func() { _ = r.rn.ForgetLeader() })
	}
}

// leaseEnd is when the leader's lease ends.
func (r *Replica) leaseEnd() machine.Time {
	return r.majorityTime(func(a leaseAck) machine.Time { return a.until })
}

// majorityTime is the latest time that a majority of the voters has reached.
func (r *Replica) majorityTime(of func(leaseAck) machine.Time) machine.Time {
	var times []machine.Time
	for _, m := range r.st.Members {
		switch {
		case m.Learner:
		case m.ID == r.st.Self:
			times = append(times, forever)
		default:
			times = append(times, of(r.lead.leaseAcks[m.ID]))
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)/2]
}

// leaseToRequest is the lease that the leader asks for: the shortest where
// answers are quick, up to MaxElection in steps of two where they are slow.
func (l *leadership) leaseToRequest(r *Replica) time.Duration {
	p := r.cfg.Election
	for p < r.cfg.MaxElection && p < 5*l.ackDelay/2+r.cfg.Heartbeat {
		p *= 2
	}
	return min(p, r.cfg.MaxElection)
}

// measureAckDelay measures how long the agreement of a majority takes.
func (r *Replica) measureAckDelay() {
	if at := r.majorityTime(func(a leaseAck) machine.Time { return a.sentAt }); at > r.lead.confirmedAt && at != forever {
		r.lead.confirmedAt = at
		r.lead.ackDelay = max(r.lead.ackDelay, min(r.env.Now().Sub(at), r.cfg.MaxElection))
	}
}

// checkLease ends leadership when the lease has expired. Every handler calls it
// first.
func (r *Replica) checkLease() {
	if r.lead.leads && r.env.Now() >= r.leaseEnd() {
		r.endLeadership(ErrLease)
	}
}

// endLeadership ends leadership: proposals and reads in flight fail, and the
// owner hears why.
func (r *Replica) endLeadership(why error) {
	if !r.lead.leads {
		return
	}
	r.lead.leads, r.lead.transferee, r.lead.transferDeadline = false, 0, 0
	if len(r.props.inflight) > 0 {
		r.lead.uncertainTerm, r.lead.barrier = r.props.inflight[0].term, 0
	}
	r.props.abort(r, why)
	r.reads.abort(why)
	r.emit(func() { r.ev.OnFollow(why) })
}

// updateLeadership reports to the owner when this replica begins or ceases to
// lead.
func (r *Replica) updateLeadership() {
	if r.phase != member {
		return
	}
	now := r.raftStatus()
	if now.lead != 0 {
		r.clock.elected = elected{now.term, now.lead}
	}
	l := &r.lead
	switch {
	case !now.leader:
		r.endLeadership(ErrDeposed)
	case l.transferredTerm == now.term:
		r.endLeadership(ErrTransferred)
	case r.disk.err != nil:
		r.transferOnDiskFailure(now)
		r.endLeadership(r.disk.err)
	case r.hibernation.wanted || r.hibernation.asleep:
		r.endLeadership(ErrHibernating)
	case !l.leads && l.ready == now.term && l.uncertainTerm != now.term && r.env.Now() < r.leaseEnd():
		l.leads = true
		r.emit(r.ev.OnLead)
	}
	if now.lead != l.leader {
		l.leader = now.lead
		r.emit(r.ev.OnChange)
	}
	if now.term != r.clock.term {
		r.clock.term = now.term
		l.leaseAcks = map[uint64]leaseAck{}
		l.higher = higherTerms{renewed: l.higher.renewed}
		if !now.leader { // a candidate campaigns: give it time
			r.clock.electAt = max(r.clock.electAt, r.env.Now().Add(r.electionBackoff()))
		}
	}
	switch {
	case !now.leader:
		r.clock.tickAt = 0
	case r.clock.tickAt == 0: // it has just been elected
		r.clock.tickAt = r.env.Now().Add(r.cfg.Heartbeat)
		for m := range r.others() {
			l.heard[m.ID] = r.env.Now()
		}
	}
}

// electionBackoff is how long a candidate waits before it campaigns again.
func (r *Replica) electionBackoff() time.Duration {
	d := max(r.cfg.Election, r.clock.leaseDuration) << min(r.clock.elections, 3)
	d = min(d, r.cfg.MaxElection)
	return d/5 + r.jitter(d/5)
}

// campaign asks for votes. A learner may only notice that there is no leader.
func (r *Replica) campaign() {
	self := r.st.find(r.st.Self)
	r.clock.electAt = r.env.Now().Add(r.electionBackoff())
	r.clock.elections++
	if self != nil && self.Learner {
		r.forgetLeader()
	}
	if self == nil || self.Learner || r.disk.err != nil {
		return
	}
	r.forgetLeader()
	r.guard(func() { _ = r.rn.Campaign() })
}

// tick is a leader's regular work.
func (r *Replica) tick(now machine.Time) {
	r.clock.tickAt = now.Add(r.cfg.Heartbeat)
	r.lead.ackDelay -= r.lead.ackDelay / 256 // half in 18 s of heartbeats every 100 ms
	r.guard(r.rn.Tick)
	r.snaps.check(r, now)
	r.detectFailures(now)
	r.adoptHigherTerm(r.raftStatus())
}

// OnTimer implements machine.Machine.
func (r *Replica) OnTimer(t machine.Timer) {
	if t.Gen != r.clock.timerGen {
		return
	}
	r.clock.armed = 0
	defer r.begin()()
	now := r.env.Now()
	r.retry(now)
	if r.phase == loading && r.clock.loadAt > 0 && now >= r.clock.loadAt {
		r.clock.loadAt = 0
		r.env.Do(r.queue(), tagLoad, machine.DiskRead{Space: r.own()})
	}
	if r.phase != member || r.hibernation.asleep {
		return
	}
	switch s := r.raftStatus(); {
	case s.leader && r.clock.tickAt > 0 && now >= r.clock.tickAt:
		r.tick(now)
	case !s.leader && now >= r.clock.electAt:
		r.campaign()
	}
	if r.lead.transferredAt > 0 && now >= r.lead.transferredAt {
		r.lead.transferredAt = 0
		r.leaveTransferredTerm()
	}
}

// setTimer sets the timer to when there is something to do.
func (r *Replica) setTimer() {
	next := forever
	at := func(t machine.Time) {
		if t > 0 {
			next = min(next, t)
		}
	}
	at(r.clock.loadAt)
	at(r.disk.retryAt)
	if r.batch.dirty() && r.inflight == nil {
		at(r.batch.since.Add(r.cfg.ApplyDelay))
	}
	if r.phase == member && !r.hibernation.asleep {
		at(r.lead.transferredAt)
		at(r.lead.transferDeadline)
		if r.clock.tickAt > 0 {
			at(r.clock.tickAt)
		} else if self := r.st.find(r.st.Self); self != nil && (!self.Learner || r.raftStatus().lead != 0) {
			at(r.clock.electAt)
		}
		if r.lead.leads {
			at(r.leaseEnd())
		}
	}
	if next == forever {
		return
	}
	next = max(next, r.env.Now().Add(time.Millisecond)) // clocks may stand still for a moment
	if r.clock.armed != 0 && r.clock.armed <= next {
		return
	}
	r.clock.armed = next
	r.clock.timerGen++
	r.env.SetTimer(next, machine.Timer{Gen: r.clock.timerGen})
}
