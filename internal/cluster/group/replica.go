package group

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

type phase uint8

const (
	reading phase = iota // reads its own space
	blank                // has nothing and is in no group
	member               // of a group: voter, learner, or about to become one
	gone                 // was removed, or cannot go on
)

// Replica is one node's copy of the space. It is a machine.Machine. It dispatches
// what comes to its components, and decides when the replica begins and ends; the
// state is in the components.
type Replica struct {
	cfg    Config
	env    machine.Env
	events *eventQueue
	phase  phase
	failed error // why it is gone
	depth  int   // of handlers within handlers

	st        *state // the group, as of the last applied entry
	raft      *raftNode
	disk      *diskWriter
	applier   *applier
	loading   *loading
	timer     *timer
	links     *links
	outbox    *outbox
	proposals *proposals
	reads     *reads
	sender    *snapshotSender
	receiver  *snapshotReceiver

	election   *election
	floor      *voteFloor
	overruled  *overruled
	lease      *leaderLease
	leadership *leadership
	transfer   *transfer
	filter     *raftFilter

	detector    *failureDetector
	membership  *membership
	hibernation *hibernation
	claims      *removalClaims
}

// Start implements machine.Machine.
func (r *Replica) Start() {
	defer r.begin()()
	r.loading.start()
}

// begin enters a handler; what it returns leaves it. Events may call methods, which
// are handlers within a handler: only the outermost does the work.
func (r *Replica) begin() (end func()) {
	r.depth++
	if r.depth == 1 {
		r.leadership.checkLease()
	}
	return r.end
}

func (r *Replica) end() {
	if r.depth == 1 {
		r.work()
		for events := r.events.take(); len(events) > 0; events = r.events.take() {
			for _, e := range events {
				e()
			}
			r.work()
		}
		r.setTimer()
	}
	r.depth--
}

// work does what has become possible.
func (r *Replica) work() {
	if r.phase == member {
		r.proposals.proposeBarrier()
		r.leadership.propose()
		r.raft.pump()
		r.changeMembers()
		r.transfer.proceed()
		r.hibernation.beginIfIdle()
		r.raft.pump()
	}
	r.disk.flush()
	r.reads.issue()
	r.leadership.update(r.hibernation.active())
	r.outbox.flush()
}

// fail ends the replica: it does nothing more.
func (r *Replica) fail(why error) {
	if r.phase == gone {
		return
	}
	r.leadership.end(why)
	r.phase, r.failed = gone, why
	r.raft.close()
	r.disk.discard()
	r.events.gone(why)
}

// tick is a leader's regular work.
func (r *Replica) tick() {
	r.leadership.ticked()
	r.lease.decay()
	r.raft.tick()
	r.sender.failStalled()
	r.detector.update()
	r.filter.adoptHigherTerm(r.leadership.leading() && !r.transfer.pending() && !r.proposals.inFlight())
}

// OnLink implements machine.Machine.
func (r *Replica) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	defer r.begin()()
	if !r.links.onEvent(peer, ev) || r.phase != member {
		return
	}
	for m := range r.st.others() {
		if q, _ := r.outbox.addressOf(m.ID); q == peer {
			r.raft.reportUnreachable(m.ID)
			r.sender.fail(m.ID)
		}
	}
}

// OnDone implements machine.Machine.
func (r *Replica) OnDone(tag uint64, result any, err error) {
	defer r.begin()()
	switch tag {
	case tagLoad:
		r.onLoaded(result, err)
	case tagWrite:
		if r.disk.onWritten(err) && r.st.Removed && r.phase == member && r.disk.spaceWritten() {
			r.retire()
		}
	case tagIgnored:
	case tagMoved:
		r.onMoved(err)
	default:
		r.reads.onDone(tag, result, err)
	}
}

// OnTimer implements machine.Machine.
func (r *Replica) OnTimer(t machine.Timer) {
	if !r.timer.fired(t) {
		return
	}
	defer r.begin()()
	r.disk.retry()
	if r.phase == reading {
		r.loading.retry()
	}
	if r.phase != member || r.hibernation.isAsleep() {
		return
	}
	if !r.raft.status().leader {
		r.election.campaign()
	} else if r.leadership.mustTick() {
		r.tick()
	}
	r.transfer.leaveTerm()
}

// setTimer sets the timer to when there is something to do.
func (r *Replica) setTimer() {
	retry, write := r.disk.deadlines()
	times := []machine.Time{r.loading.deadline(), retry, write}
	if r.phase == member && !r.hibernation.isAsleep() {
		proceed, leave := r.transfer.deadlines()
		times = append(times, proceed, leave)
		tick := r.leadership.nextTick()
		if tick == 0 {
			tick = r.election.deadline()
		}
		times = append(times, tick, r.leadership.leadsUntil())
	}
	r.timer.set(times...)
}
