package group

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// New returns a replica; Start loads what the disk knows of it.
func New(cfg Config, env machine.Env, ev Events) *Replica {
	cfg.defaults()
	r := &Replica{cfg: cfg, env: env, events: &eventQueue{owner: ev}, st: new(state)}
	c := component{&r.cfg, env, r.events, r.st}
	r.assembleLog(c)
	r.assembleRoles(c)
	r.assembleSpace(c)

	// The narrow interfaces of components that are made later.
	r.disk.lease, r.disk.reads = r.election, r.reads
	r.outbox.header = r.leadership
	r.raft.ready = readyHandlers{
		install: r.receiver.install, append: r.disk.append, apply: r.applier.apply,
		sendSnapshot: r.sender.start, send: r.outbox.add,
	}
	r.resetComponents()
	return r
}

// assembleLog makes Raft, what writes its log and what sends its messages.
func (r *Replica) assembleLog(c component) {
	r.raft = &raftNode{component: c, owner: r}
	r.disk = &diskWriter{component: c, raft: r.raft, owner: r}
	r.loading = &loading{component: c, disk: r.disk}
	r.timer = &timer{component: c}
	r.links = &links{component: c, known: map[machine.Peer]*link{}}
	r.outbox = &outbox{component: c, raft: r.raft, links: r.links, addr: map[uint64]machine.Peer{}}
	r.claims = &removalClaims{component: c, disk: r.disk, outbox: r.outbox}
}

// assembleRoles makes what decides who leads and who is a member.
func (r *Replica) assembleRoles(c component) {
	r.proposals = &proposals{component: c, raft: r.raft}
	r.reads = &reads{component: c, disk: r.disk}
	r.detector = &failureDetector{component: c}
	r.lease = &leaderLease{component: c}
	r.floor = &voteFloor{component: c, raft: r.raft}
	r.overruled = &overruled{component: c, raft: r.raft, disk: r.disk}
	r.election = &election{component: c, raft: r.raft, disk: r.disk, floor: r.floor}
	r.transfer = &transfer{
		component: c, raft: r.raft, outbox: r.outbox, election: r.election, lease: r.lease, proposals: r.proposals,
	}
	r.filter = &raftFilter{
		component: c, raft: r.raft, disk: r.disk, lease: r.lease, election: r.election, transfer: r.transfer, floor: r.floor,
	}
	r.sender = &snapshotSender{component: c, raft: r.raft, reads: r.reads, outbox: r.outbox}
	r.membership = &membership{
		component: c, raft: r.raft, disk: r.disk, lease: r.lease, detector: r.detector, links: r.links,
		outbox: r.outbox, sender: r.sender,
	}
	r.leadership = &leadership{
		component: c, raft: r.raft, disk: r.disk, election: r.election, lease: r.lease, transfer: r.transfer,
		membership: r.membership, detector: r.detector, filter: r.filter, proposals: r.proposals, reads: r.reads,
	}
}

// assembleSpace makes what changes and copies the space.
func (r *Replica) assembleSpace(c component) {
	r.applier = &applier{
		component: c, raft: r.raft, disk: r.disk, proposals: r.proposals, leadership: r.leadership,
		membership: r.membership, owner: r,
	}
	r.receiver = &snapshotReceiver{
		component: c, raft: r.raft, disk: r.disk, applier: r.applier, outbox: r.outbox, links: r.links, owner: r,
	}
	r.hibernation = &hibernation{
		component: c, raft: r.raft, election: r.election, leadership: r.leadership, transfer: r.transfer,
		membership: r.membership, detector: r.detector, proposals: r.proposals, snapshots: r.sender, outbox: r.outbox,
		leader: r,
	}
}

// resetComponents resets what is of one log: another one begins.
func (r *Replica) resetComponents() {
	for _, c := range []interface{ reset() }{
		r.applier, r.proposals, r.sender, r.receiver, r.floor, r.overruled, r.election, r.lease, r.leadership, r.transfer, r.filter,
		r.detector, r.membership, r.hibernation, r.claims, r.outbox,
	} {
		c.reset()
	}
}
