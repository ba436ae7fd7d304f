package group

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What the owner of a replica asks for, besides beginning (start.go) and ending it
// (recover.go).

// Propose asks for a write of the space; OnResult tells how it ended. Proposals are
// applied in the order in which they are made and need not wait for each other. The
// Space of the write is ignored.
func (r *Replica) Propose(tag uint64, w machine.DiskWrite) {
	defer r.begin()()
	if !r.leadership.leading() {
		r.events.result(tag, nil, ErrNotLeader)
		return
	}
	r.proposals.add(tag, w)
}

// Read reads the space as it is after everything that was committed so far;
// OnResult has the keys.
func (r *Replica) Read(tag uint64, d machine.DiskRead) {
	defer r.begin()()
	if !r.leadership.leading() {
		r.events.result(tag, nil, ErrNotLeader)
		return
	}
	r.reads.addOwners(tag, d.Prefix)
}

// SetMembers sets the wanted members. Only the leader can; it returns ErrNotLeader
// or ErrBusy, and then nothing has changed.
func (r *Replica) SetMembers(wanted []machine.Peer) error {
	defer r.begin()()
	if !r.leadership.leading() && !(r.phase == member && r.leadership.isEstablished()) {
		return ErrNotLeader
	}
	return r.membership.set(wanted)
}

// changeMembers makes the next step towards the wanted members.
func (r *Replica) changeMembers() {
	if r.transfer.pending() || r.hibernation.isAsleep() || !r.membership.mustChange() || !r.leadership.isEstablished() {
		return
	}
	if to := r.membership.advance(); r.leadership.leading() {
		r.transfer.begin(to)
	}
}

// Transfer transfers leadership to the member with this id, or to the best (zero). It
// is given up if that one does not catch up in time.
func (r *Replica) Transfer(to id.ID) {
	defer r.begin()()
	if !r.leadership.leading() || r.transfer.pending() {
		return
	}
	if to == (id.ID{}) {
		r.transfer.begin(r.membership.bestTransferee())
	} else if m := r.st.findPeer(to); m != nil && !m.Learner && m.ID != r.st.Self {
		r.transfer.begin(m.ID)
	}
}

// Hibernate lets the group hibernate once all living members have everything. Only
// the leader's has an effect; it does not lead (OnFollow with ErrHibernating) until
// Wake.
func (r *Replica) Hibernate() {
	defer r.begin()()
	if r.phase == member {
		r.hibernation.want()
	}
}

// Wake ends hibernation, on any member. The leader continues if it is there,
// otherwise another is elected.
func (r *Replica) Wake() {
	defer r.begin()()
	if r.phase == member {
		r.hibernation.stop()
	}
}
