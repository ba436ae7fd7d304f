package group

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A replica that is no member any more erases nothing: it moves what it has to another
// space, together with what the owner wants to write about it, in one atomic write. So a
// group that removes its members, or a node that tells them so, takes no data away.

// Copy is what a replica had when it stopped being a member: an older state of the space.
type Copy struct {
	Space       string // where it is
	Gen         Gen
	Term, Index uint64 // of the last entry that is in it
	Retired     bool   // it was removed; otherwise it has yielded to a greater group
	Bytes       int    // keys and values
}

// RetiredSpace is the space in which a replica that was removed keeps what it had. An
// older state that is there is replaced.
func RetiredSpace(space string) string { return "old." + space }

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

// Resign ends a replica whose group has lost its majority, perhaps for good: what it has
// applied is moved to RetiredSpace, and OnGone(ErrResigned) follows. The owner continues
// from there with another group. It gets what was only in the log, which the others may
// have or not. While the disk is busy, or somebody leads, nothing happens: false.
func (r *Replica) Resign() (log []machine.DiskWrite, ok bool) {
	defer r.begin()()
	lead := r.raft.status().lead
	if r.phase != member || r.st.NextID == 0 || lead != 0 && lead != r.st.Self || r.Leads() || r.disk.busy() || !r.disk.spaceWritten() {
		return nil, false
	}
	log, err := r.raft.unappliedWrites()
	if err != nil {
		r.fail(err)
		return nil, false
	}
	r.retireFor(ErrResigned)
	return log, true
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
	last, term, err := r.raft.lastEntry()
	if err != nil {
		r.fail(err)
		return
	}
	r.leadership.end(ErrSuperseded)
	r.raft.close()
	changes = append(r.disk.discard(), changes...)
	if len(changes) > 0 {
		r.env.Do(r.cfg.own(), tagIgnored, machine.DiskWrite{Space: r.cfg.Space, Then: changes})
	}
	r.putAside(ErrSuperseded, Copy{Space: SupersededSpace(r.cfg.Space, r.st.Gen), Gen: r.st.Gen, Term: term, Index: last})
}

// retire ends a replica that was removed; all that it has applied is on the disk. What
// it had is moved to RetiredSpace, and OnGone(ErrRemoved) follows.
func (r *Replica) retire() { r.retireFor(ErrRemoved) }

func (r *Replica) retireFor(why error) {
	r.leadership.end(why)
	r.raft.close()
	r.disk.discard()
	r.putAside(why, Copy{
		Space: RetiredSpace(r.cfg.Space), Gen: r.st.Gen, Term: r.st.AppliedTerm, Index: r.st.Applied, Retired: true,
	})
}

// putAside moves the space. A replica that has no state of it yet has nothing to move.
func (r *Replica) putAside(why error, c Copy) {
	r.phase, r.failed = gone, why
	r.disk.setFailing(nil)
	r.reads.discard()
	r.reads.add(read{then: func(kvs []machine.KV, err error) {
		if err != nil {
			r.putAsideFailed(err)
			return
		}
		for _, kv := range kvs {
			c.Bytes += len(kv.Key) + len(kv.Value)
		}
		w := machine.DiskWrite{Space: r.cfg.own(), Then: r.cfg.erase()}
		if r.st.NextID > 0 {
			w.Then = append(w.Then, machine.DiskWrite{Space: c.Space, DeletePrefix: [][]byte{{}}, Put: kvs})
			if r.cfg.SetAside != nil {
				w.Then = append(w.Then, r.cfg.SetAside(c)...)
			}
		}
		r.env.Do(r.cfg.own(), tagMoved, w)
	}})
}

func (r *Replica) putAsideFailed(err error) {
	r.failed = fmt.Errorf("%w; what it had could not be moved: %w", r.failed, err)
	r.events.gone(r.failed)
}

// erase are the writes that delete the space, and what a replica knew of its group.
func (c *Config) erase() []machine.DiskWrite {
	all := [][]byte{{}}
	return []machine.DiskWrite{{Space: c.own(), DeletePrefix: all}, {Space: c.Space, DeletePrefix: all}}
}

// onMoved is when the space was moved: the replica may be added again.
func (r *Replica) onMoved(err error) {
	if r.phase != gone {
		return
	}
	if err != nil {
		r.putAsideFailed(err)
		return
	}
	why := r.failed
	r.phase, r.failed = blank, nil
	r.st.set(state{})
	r.disk.forget()
	r.events.gone(why)
}
