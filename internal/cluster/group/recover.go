package group

import (
	"errors"
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
	r.st.set(r.st.recovered(r.env.Rand().Uint64(), last, term, r.cfg.Self, members))
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

// SupersededSpace is the space in which a replica that yielded keeps what it had.
func SupersededSpace(space string, g Gen) string {
	return fmt.Sprintf("old.%s.%d.%016x", space, g.Number, g.Fork)
}

// YieldTo ends this replica if its group is the lesser of two that exist for the
// space: what it had is moved to SupersededSpace, and OnGone(ErrSuperseded) follows.
// While the disk is busy nothing happens; call it again then.
func (r *Replica) YieldTo(to Gen) {
	defer r.begin()()
	if r.phase == member && r.st.Gen.Compare(to) < 0 && !r.disk.busy() {
		r.supersede()
	}
}

// supersede yields to a newer generation: everything that this replica had, with what
// was only in its log, is moved. If that is interrupted, the replica hears of the
// newer generation again.
func (r *Replica) supersede() {
	changes, err := r.raft.unappliedWrites()
	if err != nil {
		r.fail(err)
		return
	}
	r.leadership.end(ErrSuperseded)
	r.phase, r.failed = gone, ErrSuperseded
	r.raft.close()
	changes = append(r.disk.discard(), changes...)
	r.disk.setFailing(nil)
	r.reads.discard()
	if len(changes) > 0 {
		r.env.Do(r.cfg.own(), tagIgnored, machine.DiskWrite{Space: r.cfg.Space, Then: changes})
	}
	aside := SupersededSpace(r.cfg.Space, r.st.Gen)
	r.reads.add(read{then: func(kvs []machine.KV, err error) {
		if err != nil {
			r.supersedeFailed(err)
			return
		}
		r.env.Do(r.cfg.own(), tagErase, machine.DiskWrite{Space: aside, Put: kvs, Then: r.cfg.erase(true)})
	}})
}

func (r *Replica) supersedeFailed(err error) {
	r.failed = fmt.Errorf("%w; what it had could not be moved: %w", ErrSuperseded, err)
	r.events.gone(r.failed)
}

// erase are the writes that delete what a replica knew of its group and, if asked,
// the space.
func (c *Config) erase(space bool) []machine.DiskWrite {
	all := [][]byte{{}}
	ws := []machine.DiskWrite{{Space: c.own(), DeletePrefix: all}}
	if space {
		ws = append(ws, machine.DiskWrite{Space: c.Space, DeletePrefix: all})
	}
	return ws
}

// Erase deletes what a replica that is gone knew of its group and, unless it is to
// be kept, the space. Afterwards it may be added again.
func (r *Replica) Erase(keep bool) {
	defer r.begin()()
	if r.phase == gone {
		r.env.Do(r.cfg.own(), tagErase, machine.DiskWrite{Space: r.cfg.own(), Then: r.cfg.erase(!keep)})
	}
}

func (r *Replica) onErased(err error) {
	superseded := errors.Is(r.failed, ErrSuperseded)
	switch {
	case r.phase != gone:
	case err != nil && superseded:
		r.supersedeFailed(err)
	case err == nil:
		why := r.failed
		r.phase, r.failed = blank, nil
		r.st.set(state{})
		r.disk.forget()
		if superseded {
			r.events.gone(why)
		}
	}
}
