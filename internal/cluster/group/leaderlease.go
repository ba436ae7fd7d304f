package group

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// leaderLease is the lease that the followers granted a leader (thesis 6.4.1). Once
// a majority has granted one, the leader included, no other member can be elected
// before the earliest of these ends. The leader's ends a tenth of the lease before
// that, because clocks may differ by as much.
type leaderLease struct {
	component

	acks        map[uint64]leaseAck
	confirmedAt machine.Time  // the latest SentAt that a majority acknowledged
	ackDelay    time.Duration // how long that took, at its worst of late
}

// drift: clocks may be wrong by a tenth of a lease.
const drift = 10

// leaseAck is a follower's latest acknowledgement: of the leader's message of a time,
// and until when the lease holds.
type leaseAck struct{ sentAt, until machine.Time }

func (l *leaderLease) reset() {
	*l = leaderLease{component: l.component, acks: map[uint64]leaseAck{}}
}

// newTerm ends the lease.
func (l *leaderLease) newTerm() { l.acks = map[uint64]leaseAck{} }

func (l *leaderLease) forget(member uint64) { delete(l.acks, member) }

// onAck takes a follower's acknowledgement.
func (l *leaderLease) onAck(m *Message) {
	if m.AckSentAt <= 0 || machine.Time(m.AckSentAt) > l.now() {
		return // it is no time of this leader's
	}
	d := time.Duration(min(max(m.AckLease, 0), int64(2*l.cfg.MaxElection)))
	sentAt := machine.Time(m.AckSentAt)
	old := l.acks[m.From]
	l.acks[m.From] = leaseAck{max(old.sentAt, sentAt), max(old.until, sentAt.Add(d-d/drift))}
	l.measureAckDelay()
}

// end is when the lease ends.
func (l *leaderLease) end() machine.Time {
	return l.majority(func(a leaseAck) machine.Time { return a.until })
}

func (l *leaderLease) holds() bool { return l.now() < l.end() }

// grantedUntil is until when one follower granted the lease.
func (l *leaderLease) grantedUntil(member uint64) machine.Time { return l.acks[member].until }

// majority is the latest time that a majority of the voters has reached.
func (l *leaderLease) majority(of func(leaseAck) machine.Time) machine.Time {
	var times []machine.Time
	for _, m := range l.st.Members {
		switch {
		case m.Learner:
		case m.ID == l.st.Self:
			times = append(times, forever)
		default:
			times = append(times, of(l.acks[m.ID]))
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)/2]
}

// request is the lease that the leader asks for: Config.Election where answers are
// quick; doubled, up to MaxElection, where they are slow.
func (l *leaderLease) request() time.Duration {
	d := l.cfg.Election
	for d < l.cfg.MaxElection && d < 5*l.ackDelay/2+l.cfg.Heartbeat {
		d *= 2
	}
	return min(d, l.cfg.MaxElection)
}

// measureAckDelay measures how long the acknowledgement of a majority takes.
func (l *leaderLease) measureAckDelay() {
	if at := l.majority(func(a leaseAck) machine.Time { return a.sentAt }); at > l.confirmedAt && at != forever {
		l.confirmedAt = at
		l.ackDelay = max(l.ackDelay, min(l.now().Sub(at), l.cfg.MaxElection))
	}
}

// decay lets slow acknowledgements be forgotten: half in 18 s of heartbeats every
// 100 ms.
func (l *leaderLease) decay() { l.ackDelay -= l.ackDelay / 256 }
