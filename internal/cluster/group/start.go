package group

import (
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Create makes a new group for the space, of this node alone, that adds the other
// members one by one. What is in the space already becomes the group's. On a
// replica that is in a group it does nothing.
func (r *Replica) Create(members []machine.Peer) { r.CreateAfter(0, members) }

// CreateAfter makes a new group in the place of one of generation after, all of
// whose members have gone: if they return, they yield.
func (r *Replica) CreateAfter(after uint64, members []machine.Peer) {
	defer r.begin()()
	switch r.phase {
	case reading:
		r.loading.create(after, members)
	case blank:
		r.create(after, members)
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
	} else if after, members, ok := r.loading.wanted(); ok {
		r.create(after, members)
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
	}
}

// create begins a group of this node alone. Of two groups that were created apart
// the one that was created first has the greater fork: its world has been played in
// for longer.
func (r *Replica) create(after uint64, members []machine.Peer) {
	gen := Gen{after + 1, ^uint64(r.env.Now())&^0xffff | r.env.Rand().Uint64()&0xffff}
	r.st.set(newGroup(gen, r.cfg.Self, members))
	r.disk.reset(hardState{Term: 1, Commit: 1})
	r.disk.writeState()
	r.open(nil)
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
