package group

import (
	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// applier applies committed entries to the space and to the state of the group.
// They are in the log of a majority, so their proposals end before the changes are
// on this disk.
type applier struct {
	component
	raft       *raftNode
	disk       *diskWriter
	proposals  *proposals
	leadership *leadership
	membership *membership
	owner      failer

	partial partialWrite                          // of a large proposal
	onApply func(index, term uint64, data []byte) // for tests; data nil: a snapshot
}

// reset forgets the entries of an incomplete proposal: the log begins anew.
func (a *applier) reset() { a.partial = nil }

// snapshot is called when a snapshot replaces all entries up to its index.
func (a *applier) snapshot(index, term uint64) {
	a.partial = nil
	if a.cfg.Applied != nil {
		a.cfg.Applied(term, index, nil)
	}
	if a.onApply != nil {
		a.onApply(index, term, nil)
	}
}

// apply takes a message to raft.LocalApplyThread.
func (a *applier) apply(m *pb.Message) {
	now := a.raft.status()
	for _, e := range m.GetEntries() {
		if err := a.applyEntry(e, now); err != nil {
			a.owner.fail(err)
			return
		}
	}
	a.raft.deliver(m.GetResponses())
}

func (a *applier) applyEntry(e *pb.Entry, now raftStatus) error {
	if a.onApply != nil {
		a.onApply(e.GetIndex(), e.GetTerm(), append([]byte{}, e.GetData()...))
	}
	data := a.partial.join(e.GetType(), e.GetData())
	if data == nil {
		return nil // applied together with the last of them
	}
	a.disk.scheduleState()
	a.st.advance(e.GetIndex(), e.GetTerm())
	switch {
	case e.GetType() == pb.EntryConfChange:
		return a.applyChange(e)
	case len(data) == 0: // a leader's first, or a change of members that was refused
		if now.leader && now.term == e.GetTerm() {
			a.leadership.firstEntryApplied(now.term)
		}
		return nil
	case data[0] == entryWanted:
		peers, err := decodeWanted(data)
		a.st.want(peers)
		a.events.changed()
		return err
	}
	seq, ws, err := decodeWrites(a.cfg.Space, data)
	if err != nil {
		return err
	}
	a.disk.change(ws, len(data))
	if a.cfg.Applied != nil && len(ws) > 0 {
		a.cfg.Applied(e.GetTerm(), e.GetIndex(), ws)
	}
	a.proposals.applied(e.GetTerm(), seq)
	return nil
}

func (a *applier) applyChange(e *pb.Entry) error {
	cc := &pb.ConfChange{}
	if err := proto.Unmarshal(e.GetData(), cc); err != nil {
		return ErrCorrupt
	}
	a.raft.guard(func(rn *raft.RawNode) { rn.ApplyConfChange(cc) })
	m, err := a.st.change(cc)
	if err != nil {
		return err
	}
	a.membership.applied(m, cc.GetType() == pb.ConfChangeRemoveNode)
	a.events.changed()
	return nil
}

// partialWrite is the part of one proposal whose entries have been committed so
// far. A leader appends them to its log without others in between; if it could not
// append all, the next leader's first entry follows. Until the last one is
// committed, the applied index stays before the first, so that a restart sees all
// of them again.
type partialWrite []byte

// join returns what is to be applied; nil while entries are missing.
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
