package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// recallEvery is how often a node reads one of those replicas that it has had no use for
// since it started, for the sake of their records. It begins after half of
// Net.RenewAfter, so that all are read in time.
const recallEvery = 2 * time.Second

// readDormant reads a replica that is only on the disk, so that its record is renewed.
func (o *hosting) readDormant(now machine.Time) {
	if o.nextDormantRead == 0 {
		o.nextDormantRead = now.Add(o.Cfg.RenewAfter / 2)
	}
	if now < o.nextDormantRead || len(o.dormant) == 0 || o.IsLeaving() {
		return
	}
	o.nextDormantRead = now.Add(recallEvery)
	o.open(shards.Sorted(o.dormant)[0])
}

// beat maintains the groups.
func (o *hosting) beat(now machine.Time) {
	for _, p := range shards.Sorted(o.replicas) {
		o.replicas[p].beat(now)
	}
}

// checkLeases ends shards whose lease has expired; it reports whether there was one. A
// replica notices that by itself, but only when its own handler runs: after a suspended
// machine resumes, messages that arrived meanwhile may be handled first, and must not
// get stale answers.
func (o *hosting) checkLeases() (ended bool) {
	now := o.Env.Now()
	if now < o.leased {
		return false
	}
	o.leased = now.Add(peers.Beat)
	for _, p := range shards.Sorted(o.replicas) {
		g := o.replicas[p].group
		if !g.Leading {
			continue
		}
		if until := g.Raft.LeadsUntil(); until > now {
			o.leased = min(o.leased, until)
			continue
		}
		ended = true
		g.Raft.CheckLease()
	}
	return ended
}

// wakeVoters wakes, of the groups that hibernate with their only vote here, those that
// are wanted, and then reads dormant replicas: so many in all.
func (o *hosting) wakeVoters(wanted func(*shardgroup.Group) bool, limit int) {
	woken := 0
	for _, p := range shards.Sorted(o.replicas) {
		if g := o.replicas[p].group; g.Raft.Hibernates() && g.IsOnlyVoter() && wanted(g) {
			g.Raft.Wake()
			if woken++; woken >= limit {
				return
			}
		}
	}
	o.openDormant(limit - woken)
}

// openDormant reads replicas that are only on the disk, up to a number.
func (o *hosting) openDormant(limit int) {
	for _, p := range shards.Sorted(o.dormant)[:min(limit, len(o.dormant))] {
		o.open(p)
	}
}

// LinkChanged tells the groups of a link.
func (o *hosting) linkChanged(peer machine.Peer, ev machine.LinkEvent) {
	for _, p := range shards.Sorted(o.replicas) {
		o.replicas[p].group.Raft.OnLink(peer, ev)
	}
}
