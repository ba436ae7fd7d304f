package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/hostpolicy"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// membership maintains the members of a group that is led here, one change at a time.
// Who is to be a member is a matter of package hostpolicy.
type membership struct {
	part.Part
	group  *shardgroup.Group
	links  *peers.Links
	dir    *directory.Directory
	offers *offers
	votes  *votePlacement
	seen   *peers.Sightings
	copies *copies.Store

	convicted *accountability.Convictions // no members

	next   machine.Time
	silent map[id.ID]machine.Time // members, since when
}

const (
	updateMembersEvery = time.Second
	longestKnown       = 8 // nodes that are candidates wherever they are
)

// restart looks at the members at once: the replica has become the leader.
func (b *membership) restart() { b.next = 0 }

// update makes one step towards the members that the group should have.
func (b *membership) update(now machine.Time) {
	if now < b.next {
		return
	}
	b.next = now.Add(updateMembersEvery)
	if b.IsLeaving() {
		b.transferLeadership()
		return
	}
	st := b.group.Raft.Status()
	b.watch(&st, now)
	if b.changePending(&st) {
		return
	}
	wanted := b.voterFirst(b.wanted(&st, now), now)
	if len(wanted) > 0 && !(sameMembers(wanted, st.Wanted) && (len(wanted) != 2 || wanted[0] == st.Wanted[0])) {
		_ = b.group.Raft.SetMembers(wanted) // if it cannot now: asked again
		return
	}
	// A lead that was not used is not passed on again: what the others lead is known some
	// seconds late, and all idle groups would go round and never hibernate.
	// What a group that began with a copy gives way with is merged from here.
	if b.group.IsRunning() || !b.group.Used || b.copies.HasOrigin(b.group.Shard) {
		return
	}
	b.askLoads(&st)
	if first := b.preferredLeader(&st); b.group.IsQuiet(now) && first.ID != b.Cfg.Self.ID {
		b.group.Raft.Transfer(first.ID)
	}
}

// askLoads asks the members how many shards they lead.
func (b *membership) askLoads(st *group.Status) {
	for _, m := range st.Members {
		f := b.links.ByID(m.Peer.ID)
		if m.Voter && f != nil {
			b.offers.ask(b.group.Shard, f, f.Peer)
		}
	}
}

// preferredLeader is the member that should lead an idle shard.
func (b *membership) preferredLeader(st *group.Status) machine.Peer {
	var near []hostpolicy.Load
	for _, p := range b.eligibleLeaders(st) {
		near = append(near, hostpolicy.Load{Peer: p, Led: b.offers.loadOf(p)})
	}
	return hostpolicy.Leader(hostpolicy.Load{Peer: b.Cfg.Self, Led: b.offers.loadOf(b.Cfg.Self)}, near)
}

// watch notes who has been silent since when.
func (b *membership) watch(st *group.Status, now machine.Time) {
	if b.silent == nil {
		b.silent = map[id.ID]machine.Time{}
	}
	for _, m := range st.Members {
		f := b.links.ByID(m.Peer.ID)
		if !m.Dead && !m.LogLost {
			delete(b.silent, m.Peer.ID)
		} else if _, known := b.silent[m.Peer.ID]; !known {
			b.silent[m.Peer.ID] = now
		}
		if f != nil && f.Left || b.convicted.Has(m.Peer.ID) {
			b.silent[m.Peer.ID] = now.Add(-hostpolicy.ReplaceAfter)
		}
	}
}

// changePending reports whether the group has not reached the wanted members
// yet, silent ones aside.
func (b *membership) changePending(st *group.Status) bool {
	for _, p := range st.Wanted {
		i := slices.IndexFunc(st.Members, func(m group.MemberStatus) bool { return m.Peer.ID == p.ID })
		if i < 0 && b.offers.canHost(p) || i >= 0 && !st.Members[i].Voter && !st.Members[i].Standby && !st.Members[i].Dead {
			return true
		}
	}
	return false
}

// wanted are the members that the group should have.
func (b *membership) wanted(st *group.Status, now machine.Time) []machine.Peer {
	members := hostpolicy.Remaining(b.present(st.Wanted, now))
	if len(st.Wanted) == 0 {
		members = b.present(b.group.Members(), now)
	}
	peers := make([]machine.Peer, len(members))
	for i := range members {
		members[i].Peer = b.links.CurrentAddress(members[i].Peer)
		peers[i] = members[i].Peer
	}
	return hostpolicy.Members(func(nodes []machine.Peer) { b.dir.InOrder(b.group.Shard, nodes) }, members, b.candidates(peers, st.Former), b.Cfg.Replicas)
}

// present are members, with how long they have been silent.
func (b *membership) present(peers []machine.Peer, now machine.Time) (out []hostpolicy.Member) {
	for _, p := range peers {
		m := hostpolicy.Member{Peer: p, Newcomer: b.seen.Standing.IsNewcomer(p.ID), Invitation: b.offers.invited(p.ID)}
		if since, silent := b.silent[p.ID]; silent {
			m.Silent = now.Sub(since)
		}
		out = append(out, m)
	}
	return out
}

// candidates are nodes that are no members and have room: former members and the first in
// the order of hosts, and then, since keys near it can be searched for, a few that
// have been known for long. Those whose room is unknown are asked.
func (b *membership) candidates(members, former []machine.Peer) (out []hostpolicy.Candidate) {
	near := b.dir.InOrder(b.group.Shard, append(slices.Clone(former), b.dir.Nearest(b.group.Shard, 2*b.Cfg.Replicas+2)...))
	for i, p := range append(near, b.seen.Longest(longestKnown)...) {
		if b.group.HasLeft(p.ID, b.Env.Now()) || b.convicted.Has(p.ID) {
			continue
		}
		if peers.Among(members, p.ID) || i >= len(near) && (peers.Among(near, p.ID) || b.seen.Standing.IsNewcomer(p.ID)) {
			continue
		}
		f := b.links.Reported(p)
		b.offers.ask(b.group.Shard, f, p)
		if b.offers.canHost(p) {
			out = append(out, hostpolicy.Candidate{Peer: f.Peer, Former: peers.Among(former, p.ID), Newcomer: b.seen.Standing.IsNewcomer(p.ID), Invitation: b.offers.invited(p.ID)})
		}
	}
	return out
}

// eligibleLeaders are the members that could lead, in the order of hosts.
func (b *membership) eligibleLeaders(st *group.Status) (near []machine.Peer) {
	for _, m := range st.Members {
		if m.Voter && !m.Dead && !m.LogLost && m.Behind == 0 {
			near = append(near, m.Peer)
		}
	}
	return b.dir.InOrder(b.group.Shard, near)
}

// voterFirst puts the one of two hosts that is to have the vote first (group.Status).
// That is the leader, unless the policy moves the vote.
func (b *membership) voterFirst(wanted []machine.Peer, now machine.Time) []machine.Peer {
	if len(wanted) != 2 {
		return wanted
	}
	wanted = b.dir.InOrder(b.group.Shard, wanted)
	self := slices.IndexFunc(wanted, func(p machine.Peer) bool { return p.ID == b.Cfg.Self.ID })
	if self < 0 {
		return wanted
	}
	other := b.votes.moves(wanted[1-self].ID, self == 1, b.group.IsQuiet(now), now)
	if (self == 1) != other {
		slices.Reverse(wanted)
	}
	return wanted
}

// sameMembers compares nodes with their addresses, sameNodes by their ids only.
func sameMembers(a, b []machine.Peer) bool {
	return sameNodes(a, b) && !slices.ContainsFunc(a, func(p machine.Peer) bool { return !slices.Contains(b, p) })
}

func sameNodes(a, b []machine.Peer) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p machine.Peer) bool {
		return !peers.Among(b, p.ID)
	})
}
