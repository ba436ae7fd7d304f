package group

import (
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Create makes a new group for the space, of this node alone, that adds the other
// members one by one. What is in the space already becomes the group's. On a
// replica that is in a group it does nothing.
func (r *Replica) Create(members []machine.Peer) { r.CreateFrom(Origin{}, members) }

// Origin is what a new group begins with. The zero value: with what is in the space, as
// the first of its kind.
type Origin struct {
	// Number of the generation; 0: 1. A group that is created takes the place of
	// groups with lower numbers, and gives way to those of the same number that were
	// created before it.
	Number uint64
	Term   uint64         // the first is the next one
	Former []machine.Peer // the hosts of the group in whose place it is created
	// Restored: the space becomes Content, the state of that time; 0: it does not.
	Restored machine.Time
	Content  []machine.KV
	Changes  []machine.DiskWrite // of Content, made then
	Basis    []byte              // of Content, without Changes (shared.Basis)
}

// CreateFrom makes a new group in the place of one whose members have gone.
func (r *Replica) CreateFrom(from Origin, members []machine.Peer) {
	defer r.begin()()
	switch r.phase {
	case reading:
		r.loading.create(from, members)
	case blank:
		r.create(from, members)
	}
}

// onLoaded begins with what the disk knows.
func (r *Replica) onLoaded(result any, err error) {
	if r.phase != reading {
		return
	}
	kvs, ok := r.loading.onRead(result, err)
	if !ok {
		return
	}
	r.phase = blank
	if len(kvs) > 0 {
		r.resume(kvs)
	} else if from, members, ok := r.loading.wanted(); ok {
		r.create(from, members)
	}
	for _, q := range r.loading.release() {
		r.OnMessage(q.from, q.m)
	}
}

// resume continues where the replica was when it was stopped.
func (r *Replica) resume(kvs []machine.KV) {
	saved, err := decodeSaved(r.cfg.own(), kvs)
	r.st.set(saved.state)
	switch {
	case err != nil:
		r.fail(err)
	case saved.state.Removed:
		r.retire()
	default:
		r.disk.reset(saved.hard)
		r.open(saved.entries)
		r.election.grant(saved.hard.Lease)
		r.floor.waits = r.cfg.Vouched && !r.st.isOnlyVoter()
	}
}

// create begins a group of this node alone. Of two groups that were created apart
// the one that was created first has the greater fork: its world has been played in
// for longer.
func (r *Replica) create(from Origin, members []machine.Peer) {
	st := newGroup(Gen{max(1, from.Number), r.newFork()}, r.cfg.Self, members)
	st.Restored, st.Basis = from.Restored, from.Basis
	for _, p := range slices.Backward(from.Former) {
		if p.ID != r.cfg.Self.ID {
			st.addFormer(p)
		}
	}
	r.st.set(st)
	r.disk.reset(hardState{Term: from.Term%maxFirstTerm + 1, Commit: 1})
	if from.Restored != 0 {
		r.disk.restart(append([]machine.DiskWrite{{Space: r.cfg.Space, DeletePrefix: [][]byte{{}}, Put: from.Content}}, from.Changes...))
	}
	r.disk.writeState()
	r.open(nil)
}

// maxFirstTerm bounds the term that a group begins with: what it follows is what a
// record says.
const maxFirstTerm = 1 << 32

// newFork is a fork that is greater the earlier it is made.
func (r *Replica) newFork() uint64 {
	return ^uint64(r.env.Now())&^0xffff | r.env.Rand().Uint64()&0xffff
}

// join becomes the member that a leader has added.
func (r *Replica) join(from machine.Peer, m *Message) {
	r.st.set(state{Gen: m.Gen, Self: m.To})
	r.disk.reset(hardState{})
	r.outbox.heard(from, m.From)
	r.disk.writeState()
	r.open(nil)
}

// open starts Raft with the state and the log.
func (r *Replica) open(entries []*pb.Entry) {
	if err := r.raft.open(r.disk.hardState(), entries); err != nil {
		r.fail(err)
		return
	}
	r.phase = member
	r.disk.opened()
	r.resetComponents()
	r.links.openAll()
	r.election.grant(0)
	r.events.changed()
}
