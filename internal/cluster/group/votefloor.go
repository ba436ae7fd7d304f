package group

import (
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// voteFloor keeps a replica from electing who lacks what was committed. Raft assumes that
// a disk keeps what it has synced. If one is put back to an older state, the replica has
// acknowledged entries that it does not have, and its vote could elect a leader without
// them. So a replica that was read from the disk neither votes nor campaigns until its
// owner has found out how far its log went (Replica.Vouch), and after that only for logs
// that go as far.
type voteFloor struct {
	component
	raft *raftNode

	waits bool      // for the owner
	had   candidacy // an entry that was committed, and that this replica has had
}

// candidacy is the end of a log, as candidates are compared.
type candidacy struct{ term, index uint64 }

func (c candidacy) less(o candidacy) bool {
	return c.term < o.term || c.term == o.term && c.index < o.index
}

// reset forgets the floor: another log begins.
func (f *voteFloor) reset() { f.waits, f.had = false, candidacy{} }

// lacks reports whether this replica's log is known to be, or may be, shorter than it was.
func (f *voteFloor) lacks() bool {
	if f.waits {
		return true
	}
	if f.had == (candidacy{}) {
		return false
	}
	index, term, err := f.raft.lastEntry()
	return err != nil || candidacy{term, index}.less(f.had)
}

// forbids reports whether a member's message may not be stepped: a vote for whose log is
// too short, or the request to campaign with such a log.
func (f *voteFloor) forbids(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote:
		return f.waits || candidacy{m.GetLogTerm(), m.GetIndex()}.less(f.had)
	case pb.MsgTimeoutNow:
		return f.lacks()
	}
	return false
}

// Vouch lets a replica vote that waits for it (Config.Vouched). had is the last entry that
// it is known to have had, 0: none is known. It can be called again with a later one.
func (r *Replica) Vouch(term, index uint64) {
	defer r.begin()()
	if r.phase != member {
		return
	}
	if had := (candidacy{term, index}); r.floor.had.less(had) {
		r.floor.had = had
	}
	r.letVote()
}

// Forgo lets a replica vote although its log is shorter than it was: nobody has more.
func (r *Replica) Forgo() {
	defer r.begin()()
	if r.phase == member {
		r.floor.had = candidacy{}
		r.letVote()
	}
}

// letVote ends the wait for the owner.
func (r *Replica) letVote() {
	if r.floor.waits {
		r.floor.waits = false
		r.election.grant(0)
	}
}

// CatchUp continues with a later state of the space than the log leads to, of the same
// generation: what was committed up to it. Nothing happens, false, while the disk is busy
// or somebody leads, or if the state is not later.
func (r *Replica) CatchUp(s State) bool {
	defer r.begin()()
	if r.phase != member || s.Gen != r.st.Gen || r.raft.status().lead != 0 || r.disk.busy() || r.hibernation.isAsleep() {
		return false
	}
	index, term, err := r.raft.lastEntry()
	if err != nil || index >= s.Index || s.Term < term {
		return false
	}
	next, hard := r.st.shared.clone(), r.disk.hardState()
	next.Applied, next.AppliedTerm = s.Index, s.Term
	next.NextID += unknownChanges
	if hard.Term < s.Term {
		hard.Term, hard.Vote = s.Term, r.st.Self // it may have voted in that term
	}
	hard.Commit = s.Index
	r.disk.discard()
	r.st.install(next)
	r.disk.reset(hard)
	r.disk.restart([]machine.DiskWrite{{Space: r.cfg.Space, DeletePrefix: [][]byte{{}}, Put: s.Content}})
	if r.open(nil); r.phase == member {
		r.applier.snapshot(s.Index, s.Term)
	}
	return r.phase == member
}

// unknownChanges is how many members may have been added in what a replica has lost: their
// numbers are not given again.
const unknownChanges = 16
