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
	// begun is the latest term that had begun when the replica was read from the disk: it
	// may have voted in it, or led.
	begun uint64
}

// candidacy is the end of a log, as candidates are compared.
type candidacy struct{ term, index uint64 }

func (c candidacy) less(o candidacy) bool {
	return c.term < o.term || c.term == o.term && c.index < o.index
}

// reset forgets the floor: another log begins.
func (f *voteFloor) reset() { f.waits, f.had, f.begun = false, candidacy{}, 0 }

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
// too short, or in a term that had begun, or the request to campaign with such a log.
func (f *voteFloor) forbids(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote:
		return f.waits || m.GetTerm() <= f.begun || candidacy{m.GetLogTerm(), m.GetIndex()}.less(f.had)
	case pb.MsgTimeoutNow:
		return f.lacks()
	}
	return false
}

// Vouch lets a replica vote that waits for it (Config.Vouched). had is the last entry that
// it is known to have had, 0: none is known. begun is the latest term that others say has
// begun. It can be called again with later ones.
func (r *Replica) Vouch(term, index, begun uint64) {
	defer r.begin()()
	if r.phase != member {
		return
	}
	if had := (candidacy{term, index}); r.floor.had.less(had) {
		r.floor.had = had
	}
	r.floor.enter(max(term, begun))
	r.letVote()
}

// enter goes to a term in which this replica may have voted before its disk was put back,
// also away from the leader of an earlier one, who would lead again by its lease. A liar
// may name a term that has not begun, so it is followed only so far.
func (f *voteFloor) enter(begun uint64) {
	now := f.raft.status()
	if begun <= now.term || begun > now.term+maxTermsAhead {
		return
	}
	f.begun = begun
	for m := range f.st.others() { // any message of that term will do
		f.raft.step(&pb.Message{Type: pb.MsgAppResp.Enum(), From: new(m.ID), To: new(f.st.Self), Term: new(begun)})
		return
	}
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
