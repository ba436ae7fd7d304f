package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// That a greater group of a shard continues is only a claim until enough nodes have
// made it themselves (docs/decisions/0053-proof-of-a-greater-group.md). A replica that
// believed a single one would put its data aside for a lie.

const (
	// claimFor is how long a claim counts: the next inquiry repeats it.
	claimFor = 40 * time.Second
	// verifyEvery is the least time between two inquiries because of claims.
	verifyEvery = 5 * time.Second
)

// claim is a node's word that it hosts another group of a shard, which has a leader.
type claim struct {
	gen group.Gen
	at  machine.Time
}

// askSoon searches soon who hosts the shard.
func (o *otherGroups) askSoon() {
	o.next = min(o.next, max(o.Env.Now().Add(updateMembersEvery), o.asked.Add(verifyEvery)))
}

// noteClaim notes a claim of a node that may make one: it is near the shard's key, a
// member here, or a host that the directory names. Ids near a key are expensive.
func (o *otherGroups) noteClaim(f *peers.Remote, gen group.Gen) {
	who, p := f.Peer.ID, o.group.Shard
	if o.convicted.Has(who) || o.group.HasLeft(who, o.Env.Now()) {
		return
	}
	if !peers.Among(o.dir.NearestNodes(p, hostpolicy.Claimants), who) && !peers.Among(o.named, who) && !o.isFormer(who) && !o.group.IsMember(who) && !o.routes.Trusts(p, f.Peer) {
		return
	}
	now := o.Env.Now()
	if o.claims == nil {
		o.claims = map[id.ID]claim{}
	}
	for by, c := range o.claims { // the order does not matter
		if now.Sub(c.at) >= claimFor {
			delete(o.claims, by)
		}
	}
	o.claims[who] = claim{gen, now}
}

// isFormer reports whether a node was a member before.
func (o *otherGroups) isFormer(who id.ID) bool { return peers.Among(o.group.Raft.Status().Former, who) }

// proven reports whether enough nodes claim that the shard continues in a greater group.
func (o *otherGroups) proven(gen group.Gen) bool {
	st, now := o.group.Raft.Status(), o.Env.Now()
	if !o.group.Leading && !isAsleepUnrestored(&st) && (st.Leader != (machine.Peer{}) || st.Asleep) {
		return false // the leader finds out
	}
	var claims []hostpolicy.Claimant
	for _, who := range id.Sorted(o.claims) {
		if c := o.claims[who]; c.gen == gen && now.Sub(c.at) < claimFor {
			claims = append(claims, hostpolicy.Claimant{
				Founder: who == o.Cfg.Founder, Member: o.group.IsMember(who), Returned: o.seen.HasReturned(who),
				Former: peers.Among(st.Former, who),
			})
		}
	}
	return o.standing(&st, now).Proven(claims)
}

// standing is what counts for the group here.
func (o *otherGroups) standing(st *group.Status, now machine.Time) hostpolicy.Standing {
	s := hostpolicy.Standing{
		Restored: st.Restored != 0, Former: len(st.Former), JustBack: o.isJustBack(now), Away: o.seen.Absence(), GoneAfter: o.Cfg.GoneAfter,
	}
	if !o.group.Leading {
		s.Leaderless = o.leaderless.leaderlessFor(now)
	}
	for _, m := range st.Members {
		if m.Voter {
			s.Voters++
			if o.group.Leading && !m.Dead || st.Asleep { // who sleeps does not know
				s.Living++
			}
		}
	}
	return s
}

// isClaimed reports whether somebody has claimed a moment ago that a greater group goes on.
func (o *otherGroups) isClaimed(now machine.Time) bool {
	for _, c := range o.claims { // the order does not matter
		if now.Sub(c.at) < claimFor {
			return true
		}
	}
	return false
}

// isAsleepUnrestored reports whether a group sleeps that may end in its sleep: nobody has
// what the others lack, and there is nothing to merge.
func isAsleepUnrestored(st *group.Status) bool { return st.Asleep && st.Restored == 0 }

// isJustBack reports whether this replica has come back from an absence a moment ago:
// its node was suspended, or the replica is of an earlier run.
func (o *otherGroups) isJustBack(now machine.Time) bool {
	opened := o.group.Opened
	return opened != 0 && now.Sub(opened) < peers.JustBack || o.seen.WasSuspended(now)
}
