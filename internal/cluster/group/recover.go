package group

import (
	"errors"
	"fmt"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A group that has lost its majority for good cannot go on by itself: nobody
// could tell it from a minority that was cut off. Recover goes on by force, with
// what one member has, as a new generation of the group. Members of the older
// one who come back are told (OnNewer). Once their owners have verified it, they
// put what they have aside and give way (YieldTo).

// Recover makes this replica the first member of the group's next generation;
// all that its log has counts as committed. Choose the one with the highest
// term and last index (Status). The other members come in as newcomers.
func (r *Replica) Recover(members []machine.Peer) error {
	defer r.begin()()
	switch {
	case r.phase != member || r.st.NextID == 0:
		return fmt.Errorf("nothing to recover: %w", ErrNotLeader)
	case r.inflight != nil:
		return fmt.Errorf("the disk is busy, try again: %w", ErrBusy)
	}
	changes, err := r.unappliedWrites()
	if err != nil {
		return err
	}
	r.endLeadership(ErrSuperseded)
	last, _ := r.log.LastIndex()
	term, err := r.log.Term(last)
	if err != nil {
		return err
	}
	s := &r.st
	s.Gen = Gen{s.Gen.Number + 1, r.env.Rand().Uint64()}
	s.Self = s.NextID
	s.Base, s.BaseTerm, s.Applied, s.AppliedTerm = last, term, last, term
	s.NextID++
	s.Members = []Member{{ID: s.Self, Peer: r.cfg.Self}}
	s.Wanted = members
	r.hs = hardState{Term: r.hs.Term + 1, Commit: last}
	r.restartLog(append(r.batch.changes, changes...))
	r.open(nil)
	return nil
}

// unappliedWrites is what the log has beyond what is applied.
func (r *Replica) unappliedWrites() (changes []machine.DiskWrite, err error) {
	var whole partialWrite
	last, _ := r.log.LastIndex()
	for i := r.st.Applied + 1; i <= last; i++ {
		es, err := r.log.Entries(i, i+1, 1)
		if err != nil {
			return nil, err
		}
		if d := whole.join(es[0].GetType(), es[0].GetData()); len(d) > 0 && d[0] == entryWrites && es[0].GetType() == pb.EntryNormal {
			_, ws, err := decodeWrites(r.cfg.Space, d)
			if err != nil {
				return nil, err
			}
			changes = append(changes, ws...)
		}
	}
	return changes, nil
}

// restartLog begins with another log.
func (r *Replica) restartLog(changes []machine.DiskWrite) {
	r.batch = batch{wipe: true, state: true, urgent: true, changes: changes, since: r.env.Now()}
	r.outbox.out, r.removedClaims = nil, nil
	r.disk = diskState{}
}

// rejoin becomes another member: the leader took this node in anew. What it had
// is replaced by a snapshot.
func (r *Replica) rejoin(from machine.Peer, m *Message) {
	if r.inflight != nil {
		return // it will ask again
	}
	r.endLeadership(ErrRemoved)
	r.restartLog(nil)
	r.failed = nil
	r.join(from, m)
	r.handleMessage(from, m)
}

// onReadded is when somebody says that the group has removed this node and taken
// it in again, as another member. A replica that has something would lose that by a
// lie, so a voter's word counts as that of one voter who says that the group goes on
// without this member; and the replica speaks up, so that the others answer the same
// if it is so.
func (r *Replica) onReadded(from machine.Peer) {
	if !r.raftStatus().leader {
		r.onRemovedClaim(r.st.findPeer(from.ID))
	}
	if r.hibernation.asleep {
		r.wakeUp()
	}
}

// onOtherGeneration is a message of another generation. A single member's word that there is a
// newer one does not end this replica: the owner asks who hosts the space.
func (r *Replica) onOtherGeneration(from machine.Peer, m *Message) {
	switch k := r.st.findPeer(from.ID); {
	case m.Gen.Compare(r.st.Gen) < 0:
		if m.Kind == KindRaft {
			r.sendKind(KindRemoved, m.From, from)
		}
	case k != nil: // it may lie
		r.emit(func() { r.ev.OnNewer(from, m.Gen) })
	case m.Invites() && r.st.NextID == 0: // had just come in, and has nothing
		r.rejoin(from, m)
	}
}

// SupersededSpace is the space in which a replica that gave way keeps what it had.
func SupersededSpace(space string, g Gen) string {
	return fmt.Sprintf("old.%s.%d.%016x", space, g.Number, g.Fork)
}

// YieldTo ends this replica if its group is the lesser of two that have arisen
// for the space: what it had is put aside, and OnGone(ErrSuperseded) follows.
// While the disk is busy nothing happens; call it again then.
func (r *Replica) YieldTo(to Gen) {
	defer r.begin()()
	if r.phase == member && r.st.Gen.Compare(to) < 0 {
		r.supersede()
	}
}

// supersede gives way to a newer generation: everything that this replica had,
// what was only in its log included, is put aside. If it is interrupted, it
// hears of the newer generation again.
func (r *Replica) supersede() {
	if r.inflight != nil || r.phase != member {
		return // it will be told again
	}
	changes, err := r.unappliedWrites()
	if err != nil {
		r.fail(err)
		return
	}
	r.endLeadership(ErrSuperseded)
	r.phase, r.rn, r.failed = gone, nil, ErrSuperseded
	changes = append(r.batch.changes, changes...)
	r.batch = batch{}
	r.reads.queued = nil
	r.disk = diskState{}
	aside := SupersededSpace(r.cfg.Space, r.st.Gen)
	if len(changes) > 0 {
		r.env.Do(r.queue(), tagIgnored, machine.DiskWrite{Space: r.cfg.Space, Then: changes})
	}
	r.reads.queued = append(r.reads.queued, read{then: func(kvs []machine.KV, err error) {
		if err != nil {
			r.supersedeFailed(err)
			return
		}
		r.env.Do(r.queue(), tagErase, machine.DiskWrite{Space: aside, Put: kvs, Then: r.eraseWrites(true)})
	}})
}

func (r *Replica) supersedeFailed(err error) {
	r.failed = fmt.Errorf("%w; putting it aside failed: %w", ErrSuperseded, err)
	r.emit(func() { r.ev.OnGone(r.failed) })
}

func (r *Replica) eraseWrites(space bool) []machine.DiskWrite {
	all := [][]byte{{}}
	ws := []machine.DiskWrite{{Space: r.own(), DeletePrefix: all}}
	if space {
		ws = append(ws, machine.DiskWrite{Space: r.cfg.Space, DeletePrefix: all})
	}
	return ws
}

// Erase deletes what a replica that is gone knew of its group and, unless it is
// to be kept, the space. Afterwards it may come in again.
func (r *Replica) Erase(keep bool) {
	defer r.begin()()
	if r.phase == gone {
		r.env.Do(r.queue(), tagErase, machine.DiskWrite{Space: r.own(), Then: r.eraseWrites(!keep)})
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
		r.phase, r.failed, r.st, r.hs = blank, nil, state{}, hardState{}
		r.batch, r.inflight = batch{}, nil
		if superseded {
			r.emit(func() { r.ev.OnGone(why) })
		}
	}
}
