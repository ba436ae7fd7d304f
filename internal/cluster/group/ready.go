package group

import (
	"iter"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
	"google.golang.org/protobuf/proto"
)

// pump does what the library has ready until nothing is.
func (r *Replica) pump() {
	for r.phase == member && r.rn.HasReady() {
		var rd raft.Ready
		r.guard(func() { rd = r.rn.Ready() })
		for _, m := range rd.Messages {
			switch {
			case r.phase != member:
				return
			case m.GetTo() == raft.LocalAppendThread:
				r.append(m)
			case m.GetTo() == raft.LocalApplyThread:
				r.apply(m)
			case m.GetType() == pb.MsgSnap:
				r.snaps.start(r, m.GetTo())
			default:
				r.outbox.add(m)
			}
		}
	}
}

// raftStatus is the library's view of things.
type raftStatus struct {
	term, lead uint64
	leader     bool
}

func (r *Replica) raftStatus() raftStatus {
	if r.rn == nil {
		return raftStatus{} // it has failed in this handler
	}
	s := r.rn.BasicStatus()
	return raftStatus{s.GetTerm(), s.Lead, s.RaftState == raft.StateLeader}
}

// apply applies committed entries. They are in the log of a majority, so
// whoever proposed them may be told before the changes are in the space.
func (r *Replica) apply(m *pb.Message) {
	now := r.raftStatus()
	for _, e := range m.GetEntries() {
		if err := r.applyEntry(e, now); err != nil {
			r.fail(err)
			return
		}
	}
	r.deliver(m.GetResponses())
}

func (r *Replica) applyEntry(e *pb.Entry, now raftStatus) error {
	if r.onApply != nil {
		r.onApply(e.GetIndex(), e.GetTerm(), append([]byte{}, e.GetData()...))
	}
	data := e.GetData()
	if data = r.partialWrite.join(e.GetType(), data); data == nil {
		return nil // applied together with the last of them
	}
	r.scheduleWrite()
	r.st.Applied, r.st.AppliedTerm = e.GetIndex(), e.GetTerm()
	switch {
	case e.GetType() == pb.EntryConfChange:
		return r.applyChange(e)
	case len(data) == 0: // a leader's first, or a change of members that was refused
		if now.leader && now.term == e.GetTerm() {
			r.lead.ready = now.term
		}
		return nil
	case data[0] == entryWanted:
		peers, err := decodeWanted(data)
		r.st.Wanted = peers
		r.emit(r.ev.OnChange)
		return err
	}
	seq, ws, err := decodeWrites(r.cfg.Space, data)
	if err != nil {
		return err
	}
	r.batch.changes = append(r.batch.changes, ws...)
	r.batch.bytes += len(data)
	r.props.done(r, e.GetTerm(), seq)
	r.lead.onBarrierApplied(e.GetTerm(), seq)
	return nil
}

// partialWrite are the entries of one proposal that came so far. A leader puts them
// into its log one behind the other; if it could not put in all, the next
// leader's first entry follows. Until the last has come the index in the state
// stays before the first, so that a restart sees all of them again.
type partialWrite []byte

// join returns what is to be applied: nil, while parts are missing.
func (p *partialWrite) join(t pb.EntryType, data []byte) []byte {
	before := *p
	*p = nil
	switch {
	case t != pb.EntryNormal || len(data) == 0:
	case data[0] == entryFragment:
		*p = append(before, data[1:]...)
		return nil
	case data[0] == entryEnd && len(before) > 0:
		return append(before, data[1:]...)
	}
	if data == nil {
		return []byte{}
	}
	return data
}

// applyChange applies a change of the members.
func (r *Replica) applyChange(e *pb.Entry) error {
	cc := &pb.ConfChange{}
	if err := proto.Unmarshal(e.GetData(), cc); err != nil {
		return ErrCorrupt
	}
	r.guard(func() { r.rn.ApplyConfChange(cc) })
	if err := r.st.change(cc); err != nil {
		return err
	}
	r.membership.until = 0
	if m, err := decodeMember(cc.Context); err == nil {
		r.changed(m, cc.GetType() == pb.ConfChangeRemoveNode)
	}
	r.emit(r.ev.OnChange)
	return nil
}

// changed is when a member came, went or got another role.
func (r *Replica) changed(m Member, removed bool) {
	switch {
	case !removed:
		if m.ID != r.st.Self {
			r.link(m.Peer)
			r.lead.heard[m.ID] = r.env.Now()
		}
	case m.ID == r.st.Self:
		r.st.Removed = true
		r.batch.urgent = true
	default:
		delete(r.lead.heard, m.ID)
		delete(r.lead.leaseAcks, m.ID)
		delete(r.lead.logLost, m.ID)
		r.snaps.drop(m.ID)
		r.sendKind(KindRemoved, m.ID, m.Peer)
	}
}

// progress is how far the members' logs are, as the leader knows it.
type progress struct {
	match  uint64
	active bool // follows the log entry by entry
}

func (r *Replica) progress() map[uint64]progress {
	out := map[uint64]progress{}
	if r.rn == nil {
		return out
	}
	r.rn.WithProgress(func(n uint64, _ raft.ProgressType, pr tracker.Progress) {
		out[n] = progress{pr.Match, pr.State == tracker.StateReplicate}
	})
	return out
}

// others are the members besides this one, in order.
func (r *Replica) others() iter.Seq[Member] {
	members, self := r.st.Members, r.st.Self // changes make another list
	return func(yield func(Member) bool) {
		for _, m := range members {
			if m.ID != self && !yield(m) {
				return
			}
		}
	}
}
