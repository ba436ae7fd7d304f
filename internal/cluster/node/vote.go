package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A shard with two hosts has one vote. When the node with the vote crashes, the other
// cannot go on: it cannot tell a crash from a cut connection. The vote belongs to the
// node whose owner plays, because the owner cannot play without that node in any case;
// if neither owner plays, to the node at which somebody plays (decision 51).

// priority is how much speaks for a node to have the only vote of the shards in use.
type priority uint8

const (
	unused priority = iota // nobody plays at the node
	used                   // somebody does
	owned                  // the owner of the node's machine does
)

// priority is that of this node.
func (w *network) priority() priority {
	switch {
	case w.owner.plays:
		return owned
	case len(w.n.links) > 0:
		return used
	}
	return unused
}

// priority is that of another node. It says itself whether its owner plays. What a lie
// gains it is the vote of shards of which it has the only other copy.
func (f *remoteNode) priority(now machine.Time) priority {
	switch {
	case f == nil || f.state != linkUp:
		return unused
	case f.ownerPlays:
		return owned
	case f.plays(now):
		return used
	}
	return unused
}

// ready reports whether a node could have the only vote: there has been a link for a
// while.
func (f *remoteNode) ready(now machine.Time) bool {
	return f != nil && f.state == linkUp && !f.left && now.Sub(f.knownSince) >= minKnownFor
}

// voterFirst puts the one of two hosts that is to have the vote first (group.Status).
// That is the leader, unless the other has the higher priority, or the shard is quiet,
// the priorities are equal and the other is nearer to the shard's key.
func (h *replica) voterFirst(wanted []machine.Peer, now machine.Time) []machine.Peer {
	if len(wanted) != 2 {
		return wanted
	}
	kademlia.SortNearest(h.w.dir.key(h.shard), wanted)
	self := slices.IndexFunc(wanted, func(p machine.Peer) bool { return p.ID == h.w.cfg.Self.ID })
	if self < 0 {
		return wanted
	}
	f := h.w.remotes[wanted[1-self].ID]
	quiet := !h.isRunning() && now.Sub(h.idleSince) >= transferAfterIdle
	here, there := h.w.priority(), f.priority(now)
	other := f.ready(now) && (there > here || quiet && self == 1 && there == here)
	if (self == 1) != other {
		slices.Reverse(wanted)
	}
	return wanted
}

const (
	// giveEvery is how often shards that nobody uses are looked through for votes that
	// another node should have, and giveAtOnce how many groups are woken for it then:
	// what the players walk to next is to survive this node too, and what they use now
	// comes first.
	giveEvery  = time.Second
	giveAtOnce = 4
)

// giveVotes wakes groups that hibernate and whose only vote is here while the other
// node has the higher priority. Once awake voterFirst moves the vote. Groups that are only on
// the disk are read for that.
func (w *network) giveVotes(now machine.Time) {
	if now < w.giveNext || w.closing {
		return
	}
	w.giveNext = now.Add(giveEvery)
	here := w.priority()
	if !slices.ContainsFunc(w.order, func(f *remoteNode) bool { return f.ready(now) && f.priority(now) > here }) {
		return
	}
	woken := 0
	for _, p := range sortedShards(w.replicas) {
		if h := w.replicas[p]; h.raft.Hibernates() && h.isOnlyVoter() && h.outranked(here, now) {
			h.raft.Wake()
			if woken++; woken >= giveAtOnce {
				return
			}
		}
	}
	for _, p := range sortedShards(w.dormant)[:min(giveAtOnce-woken, len(w.dormant))] {
		w.openReplica(p)
	}
}

// outranked reports whether the other one of two members has a higher priority.
func (h *replica) outranked(here priority, now machine.Time) bool {
	members := h.members()
	return len(members) == 2 && slices.ContainsFunc(members, func(p machine.Peer) bool {
		f := h.w.remotes[p.ID]
		return p.ID != h.w.cfg.Self.ID && f.ready(now) && f.priority(now) > here
	})
}
