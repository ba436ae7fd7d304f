package group

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A group that has lost its majority for good cannot continue by itself: it looks
// like a minority that was cut off. Recover continues by force, with what one member
// has, as the next generation of the group. Members of the older one that return are
// told (OnNewer). Once their owners have verified it, they move what they have to
// another space and yield (YieldTo).

// Recover makes this replica the first member of the group's next generation; all
// that its log has counts as committed. Choose the one with the highest term and
// last index (Status). The other members are added as new ones.
func (r *Replica) Recover(members []machine.Peer) error {
	defer r.begin()()
	switch {
	case r.phase != member || r.st.NextID == 0:
		return fmt.Errorf("nothing to recover: %w", ErrNotLeader)
	case r.disk.busy():
		return fmt.Errorf("the disk is busy, try again: %w", ErrBusy)
	}
	changes, err := r.raft.unappliedWrites()
	if err != nil {
		return err
	}
	r.leadership.end(ErrSuperseded)
	last, term, err := r.raft.lastEntry()
	if err != nil {
		return err
	}
	r.st.set(r.st.recovered(r.newFork(), last, term, r.cfg.Self, members))
	r.disk.reset(hardState{Term: r.disk.hardState().Term + 1, Commit: last})
	r.disk.restart(append(r.disk.discard(), changes...))
	r.open(nil)
	return nil
}

// rejoin becomes another member: the leader has added this node again. What it had
// is replaced by a snapshot.
func (r *Replica) rejoin(from machine.Peer, m *Message) {
	if r.disk.busy() {
		return // the leader will ask again
	}
	r.leadership.end(ErrRemoved)
	r.disk.restart(nil)
	r.failed = nil
	r.join(from, m)
	r.handleMessage(from, m)
}

// onOtherGeneration takes a message of another generation. A single member's claim
// that there is a newer one does not end this replica: the owner finds out who hosts
// the space.
func (r *Replica) onOtherGeneration(from machine.Peer, m *Message) {
	switch k := r.st.findPeer(from.ID); {
	case m.Gen.Compare(r.st.Gen) < 0:
		if m.Kind == KindRaft {
			r.outbox.sendRemoved(m.From, from)
		}
	case k != nil: // it may lie
		r.events.newer(from, m.Gen)
	case m.Invites() && r.st.NextID == 0: // was just added, and has nothing
		r.rejoin(from, m)
	}
}
