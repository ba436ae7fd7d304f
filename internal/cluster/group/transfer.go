package group

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// transfer is the transfer of leadership (thesis 3.10). Proposals wait until the
// transferee has every entry in flight; then it is told to campaign. It needs no
// lease to be elected, so from then on this replica claims no lease in that term; if
// another was not elected when the lease ends, it leaves the term.
type transfer struct {
	component
	raft      *raftNode
	outbox    *outbox
	election  *election
	lease     *leaderLease
	proposals *proposals

	transferee uint64       // takes over once no entry is in flight; 0: none
	deadline   machine.Time // when the transfer is given up

	term    uint64       // in which this replica last told a member to campaign
	to      uint64       // that member
	leaveAt machine.Time // when it leaves the term; 0: never
}

func (t *transfer) reset() {
	t.cancel()
	t.term, t.to, t.leaveAt = 0, 0, 0
}

// pending reports whether a transfer waits for the transferee.
func (t *transfer) pending() bool { return t.transferee != 0 }

// completedIn reports whether a member was told to campaign in a term.
func (t *transfer) completedIn(term uint64) bool { return t.term == term }

// completedTo reports whether a member is the one that was told last.
func (t *transfer) completedTo(n uint64) bool { return t.to == n }

// begin begins a transfer to a member. It is given up if that one does not catch up
// in time.
func (t *transfer) begin(to uint64) {
	if to != 0 {
		t.transferee, t.deadline = to, t.now().Add(4*t.cfg.Election)
	}
}

func (t *transfer) cancel() { t.transferee, t.deadline = 0, 0 }

// proceed completes a transfer once the transferee has every entry.
func (t *transfer) proceed() {
	switch {
	case !t.pending() || !t.raft.active():
	case t.now() >= t.deadline || t.st.find(t.transferee) == nil:
		t.cancel()
	case !t.proposals.inFlight():
		pr := t.raft.progress()
		if last := pr[t.st.Self].match; pr[t.transferee].match >= last && t.st.Applied >= last {
			t.complete(t.transferee)
		}
	}
}

// complete tells a member to campaign. It reports whether it did; 0 is no member.
func (t *transfer) complete(to uint64) bool {
	if to == 0 {
		return false
	}
	t.cancel()
	t.term, t.to = t.raft.status().term, to
	t.leaveAt = t.now().Add(t.lease.request())
	t.election.extend(t.leaveAt) // nobody but the transferee gets this vote
	t.announce(to)
	t.raft.guard(func(rn *raft.RawNode) { rn.TransferLeader(to) })
	return true
}

// announce lets the other members vote for a candidate in spite of their leases. It
// must be sent before the candidate's request.
func (t *transfer) announce(candidate uint64) {
	for m := range t.st.others() {
		if m.ID != candidate {
			msg := t.outbox.message(KindRaft, m.ID)
			msg.Transferee = candidate
			t.outbox.send(m.ID, msg)
		}
	}
}

// deadlines are when proceed and leaveTerm have something to do; 0: never.
func (t *transfer) deadlines() (proceed, leave machine.Time) { return t.deadline, t.leaveAt }

// leaveTerm leaves a term in which another member was told to campaign and was not
// elected. Raft allows a server to enter a higher term at any time; the library does
// when it hears of one.
func (t *transfer) leaveTerm() {
	if t.leaveAt == 0 || t.now() < t.leaveAt {
		return
	}
	t.leaveAt = 0
	now := t.raft.status()
	if !now.leader || !t.completedIn(now.term) {
		return
	}
	for m := range t.st.others() {
		t.raft.step(&pb.Message{Type: pb.MsgAppResp.Enum(), From: new(m.ID), To: new(t.st.Self), Term: new(now.term + 1)})
		return
	}
}
