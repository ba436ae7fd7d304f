package group

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Time in a group. The library counts ticks, and lets followers wait for a
// random number of them that it draws from the system: no run could be repeated.
// So only leaders are ticked, where nothing is random, and followers' time is
// kept here.
//
// Every message of a leader carries its clock (Stamp) and asks the receiver to
// vote for nobody else, and not to stand itself, for a while (Promise). The
// answer says to which stamp the follower agreed. A leader that has the
// agreement of a majority, itself included, knows that nobody else can be
// elected until the earliest of those promises ends, and leads until a tenth
// of the promise before that: clocks may differ by that much.

// drift is the part of a promise by which clocks may be wrong.
const drift = 10

// clock is a follower's time, and the timer.
type clock struct {
	promised    machine.Time // until when it votes for nobody else
	asked       time.Duration
	durable     time.Duration // the promise that is on the disk
	echo        int64         // the stamp that was agreed to
	echoPromise int64
	echoTerm    uint64
	released    release // from the promise, for one candidate
	elected     elected // the leader of a term, once it is known
	electAt     machine.Time
	term        uint64 // in which it last stood or voted
	tries       int    // elections since there was a leader

	tickAt machine.Time
	loadAt machine.Time
	armed  machine.Time // 0: no timer
	gen    uint32
}

// leadership is what a leader knows.
type leadership struct {
	leads   bool
	leader  uint64 // as told to the owner
	ready   uint64 // the term in which this replica's first entry is applied
	loose   uint64 // the term in which leadership for the owner ended while writes were on their way
	barrier uint64 // number of the entry behind them, 0: not in the log yet
	yielded uint64 // the term in which it told another to stand
	yieldAt machine.Time
	yieldTo uint64 // whom
	heir    uint64 // who takes over once nothing is on its way
	heirBy  machine.Time

	agreed map[uint64]agreement
	heard  map[uint64]machine.Time
	dead   map[uint64]bool // as told to the owner
	lost   map[uint64]bool // who came back without a log, or declined
	ahead  terms
	stamp  machine.Time  // the latest that a majority agreed to
	worst  time.Duration // how old it was when they had, at its worst of late
}

// agreement is a follower's latest.
type agreement struct{ stamp, until machine.Time }

func (l *leadership) init() {
	*l = leadership{
		agreed: map[uint64]agreement{}, heard: map[uint64]machine.Time{},
		dead: map[uint64]bool{}, lost: map[uint64]bool{},
	}
}

// promise keeps from voting and standing for a while.
func (r *Replica) promise(d time.Duration) {
	now := r.env.Now()
	r.clock.promised = max(r.clock.promised, now.Add(d))
	r.clock.durable = max(r.clock.durable, r.hs.Promise)
	r.clock.electAt = r.clock.promised.Add(r.turn())
	if r.alone() {
		r.clock.promised, r.clock.electAt = now, now
	}
}

// turn is how long after the end of its promise a follower stands: each has its
// turn, so that they seldom stand at once, and the first waits a little for the
// promises of the others to end.
func (r *Replica) turn() time.Duration {
	rank, lead := 0, uint64(0)
	if r.rn != nil {
		lead = r.now().lead
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

// alone reports whether this is the only voter.
func (r *Replica) alone() bool {
	self := r.st.find(r.st.Self)
	return self != nil && !self.Learner && r.st.voters() == 1
}

// outstanding is the longest promise that a restart must assume.
func (r *Replica) outstanding() time.Duration {
	return max(r.clock.asked, r.clock.promised.Sub(r.env.Now()), 0)
}

// agree answers to a leader's stamp, or notes an answer.
func (r *Replica) agree(m *Message) {
	now := r.now()
	if m.Term != now.term {
		return
	}
	switch {
	case now.leader:
		if m.Echo <= 0 || machine.Time(m.Echo) > r.env.Now() {
			return // it is no stamp of this leader's
		}
		p := time.Duration(min(max(m.EchoPromise, 0), int64(2*r.cfg.MaxElection)))
		a := agreement{machine.Time(m.Echo), machine.Time(m.Echo).Add(p - p/drift)}
		old := r.lead.agreed[m.From]
		r.lead.agreed[m.From] = agreement{max(old.stamp, a.stamp), max(old.until, a.until)}
		r.measure()
	case now.lead == m.From && m.Stamp != 0:
		p := time.Duration(min(max(m.Promise, 0), int64(2*r.cfg.MaxElection)))
		r.clock.asked, r.clock.tries = p, 0
		r.clock.promised = max(r.clock.promised, r.env.Now().Add(p))
		r.clock.electAt = max(r.clock.electAt, r.clock.promised.Add(r.turn()))
		if p > r.clock.durable {
			r.batch.hard, r.batch.urgent = true, true // and agree to the next
			return
		}
		r.clock.echo, r.clock.echoPromise, r.clock.echoTerm = m.Stamp, int64(p), m.Term
	}
}

// forget lets the library vote: as long as it knows a leader it does not.
func (r *Replica) forget() {
	if s := r.now(); s.lead != 0 && !s.leader {
		r.guard(func() { _ = r.rn.ForgetLeader() })
	}
}

// lease is until when this leader leads.
func (r *Replica) lease() machine.Time {
	return r.majority(func(a agreement) machine.Time { return a.until })
}

// majority is the latest time that a majority of the voters has reached.
func (r *Replica) majority(of func(agreement) machine.Time) machine.Time {
	var times []machine.Time
	for _, m := range r.st.Members {
		switch {
		case m.Learner:
		case m.ID == r.st.Self:
			times = append(times, forever)
		default:
			times = append(times, of(r.lead.agreed[m.ID]))
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)/2]
}

// ask is the promise that the leader asks for: the least one where answers are
// quick, and in steps more where they are not.
func (l *leadership) ask(r *Replica) time.Duration {
	p := r.cfg.Election
	for p < r.cfg.MaxElection && p < 5*l.worst/2+r.cfg.Heartbeat {
		p *= 2
	}
	return min(p, r.cfg.MaxElection)
}

// measure notes how old the majority's agreement is when it comes.
func (r *Replica) measure() {
	if at := r.majority(func(a agreement) machine.Time { return a.stamp }); at > r.lead.stamp && at != forever {
		r.lead.stamp = at
		r.lead.worst = max(r.lead.worst, min(r.env.Now().Sub(at), r.cfg.MaxElection))
	}
}

// checkLease ends leadership in time. It comes first in every handler.
func (r *Replica) checkLease() {
	if r.lead.leads && r.env.Now() >= r.lease() {
		r.follow(ErrLease)
	}
}

// follow ends leadership for the owner.
func (r *Replica) follow(why error) {
	if !r.lead.leads {
		return
	}
	r.lead.leads, r.lead.heir, r.lead.heirBy = false, 0, 0
	if len(r.props.flying) > 0 {
		r.lead.loose, r.lead.barrier = r.props.flying[0].term, 0
	}
	r.props.abort(r, why)
	r.reads.abort(why)
	r.emit(func() { r.ev.OnFollow(why) })
}

// judge looks whether this replica leads, and tells.
func (r *Replica) judge() {
	if r.phase != member {
		return
	}
	now := r.now()
	if now.lead != 0 {
		r.clock.elected = elected{now.term, now.lead}
	}
	l := &r.lead
	switch {
	case !now.leader:
		r.follow(ErrDeposed)
	case l.yielded == now.term:
		r.follow(ErrTransferred)
	case r.disk.err != nil:
		r.abdicate(now)
		r.follow(r.disk.err)
	case r.sleep.wanted || r.sleep.asleep:
		r.follow(ErrAsleep)
	case !l.leads && l.ready == now.term && l.loose != now.term && r.env.Now() < r.lease():
		l.leads = true
		r.emit(r.ev.OnLead)
	}
	if now.lead != l.leader {
		l.leader = now.lead
		r.emit(r.ev.OnChange)
	}
	if now.term != r.clock.term {
		r.clock.term = now.term
		l.agreed = map[uint64]agreement{}
		l.ahead = terms{renewed: l.ahead.renewed}
		if !now.leader { // somebody stands: give it time
			r.clock.electAt = max(r.clock.electAt, r.env.Now().Add(r.pause()))
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

// pause is how long a candidate waits before it stands again.
func (r *Replica) pause() time.Duration {
	d := max(r.cfg.Election, r.clock.asked) << min(r.clock.tries, 3)
	d = min(d, r.cfg.MaxElection)
	return d/5 + r.jitter(d/5)
}

// stand asks for votes. A learner may only notice that there is no leader.
func (r *Replica) stand() {
	self := r.st.find(r.st.Self)
	r.clock.electAt = r.env.Now().Add(r.pause())
	r.clock.tries++
	if self != nil && self.Learner {
		r.forget()
	}
	if self == nil || self.Learner || r.disk.err != nil {
		return
	}
	r.forget()
	r.guard(func() { _ = r.rn.Campaign() })
}

// tick is a leader's regular work.
func (r *Replica) tick(now machine.Time) {
	r.clock.tickAt = now.Add(r.cfg.Heartbeat)
	r.lead.worst -= r.lead.worst / 256 // half in 18 s of heartbeats every 100 ms
	r.guard(r.rn.Tick)
	r.snaps.check(r, now)
	r.look(now)
	r.followUp(r.now())
}

// OnTimer implements machine.Machine.
func (r *Replica) OnTimer(t machine.Timer) {
	if t.Gen != r.clock.gen {
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
	if r.phase != member || r.sleep.asleep {
		return
	}
	switch s := r.now(); {
	case s.leader && r.clock.tickAt > 0 && now >= r.clock.tickAt:
		r.tick(now)
	case !s.leader && now >= r.clock.electAt:
		r.stand()
	}
	if r.lead.yieldAt > 0 && now >= r.lead.yieldAt {
		r.lead.yieldAt = 0
		r.stepDown()
	}
}

// arm sets the timer to when there is something to do.
func (r *Replica) arm() {
	next := forever
	at := func(t machine.Time) {
		if t > 0 {
			next = min(next, t)
		}
	}
	at(r.clock.loadAt)
	at(r.disk.retryAt)
	if r.batch.dirty() && r.flight == nil {
		at(r.batch.since.Add(r.cfg.ApplyDelay))
	}
	if r.phase == member && !r.sleep.asleep {
		at(r.lead.yieldAt)
		at(r.lead.heirBy)
		if r.clock.tickAt > 0 {
			at(r.clock.tickAt)
		} else if self := r.st.find(r.st.Self); self != nil && (!self.Learner || r.now().lead != 0) {
			at(r.clock.electAt)
		}
		if r.lead.leads {
			at(r.lease())
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
	r.clock.gen++
	r.env.SetTimer(next, machine.Timer{Gen: r.clock.gen})
}
