package group

import pb "go.etcd.io/raft/v3/raftpb"

// overruled finds out that the others have gone on without an entry that this replica knows
// to be committed: a disk was put back of which nobody knew how far it had gone (voteFloor).
// The library assumes that this cannot be. It answers such a leader that it has everything
// up to there, and the replica would have another state than the others for good.
type overruled struct {
	component
	raft *raftNode
	disk *diskWriter

	at uint64 // the index of such an entry; 0: there is none
}

func (o *overruled) reset() { o.at = 0 }

// by reports whether entries that a leader sends, or that it sends them after, differ from
// what is committed here.
func (o *overruled) by(m *pb.Message) bool {
	if m.GetType() != pb.MsgApp || m.GetTerm() < o.raft.status().term { // an earlier leader's may differ
		return false
	}
	committed := max(o.st.Applied, o.disk.hardState().Commit)
	differs := func(index, term uint64) bool {
		if index > committed {
			return false
		}
		own, err := o.raft.log.Term(index)
		return err == nil && own != term
	}
	if differs(m.GetIndex(), m.GetLogTerm()) {
		o.at = m.GetIndex()
		return true
	}
	for _, e := range m.GetEntries() {
		if differs(e.GetIndex(), e.GetTerm()) {
			o.at = e.GetIndex()
			return true
		}
	}
	return false
}
