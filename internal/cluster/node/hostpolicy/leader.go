package hostpolicy

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// balanceMargin: leadership of an idle shard moves to a farther member if that leads so
// many fewer shards.
const balanceMargin = 2

// Load is how many shards a node leads.
type Load struct {
	Peer machine.Peer
	Led  uint32
}

// Leader is the member that should lead an idle shard: the nearest, if it leads fewer
// shards than the present leader, or one that leads clearly fewer. The eligible members
// are nearest to the shard's key first. A shard never moves back for the reason that it
// moved.
func Leader(present Load, eligible []Load) machine.Peer {
	best := present
	for i, m := range eligible {
		if gain := int(best.Led) - int(m.Led); gain >= balanceMargin || i == 0 && gain > 0 {
			best = m
		}
	}
	return best.Peer
}

// Priority is how much speaks for a node to have the only vote of the shards in use. A
// shard with two hosts has one vote. When the node with the vote crashes, the other
// cannot continue: it cannot tell a crash from a partition. The vote belongs to the node
// whose owner plays, because the owner cannot play without that node in any case; if
// neither owner plays, to the node at which somebody plays (decision 51).
type Priority uint8

const (
	Unused Priority = iota // nobody plays at the node
	Used                   // somebody does
	Owned                  // the owner of the node's machine does
)

// Vote is what decides which of two hosts has the only vote.
type Vote struct {
	Here, There Priority // of this node, which leads, and of the other
	Ready       bool     // there has been a link to the other for a while
	Quiet       bool     // nobody has used the shard for a moment
	Nearer      bool     // the other is nearer to the shard's key
}

// Moves reports whether the other host is to have the vote.
func (v Vote) Moves() bool {
	return v.Ready && (v.There > v.Here || v.Quiet && v.Nearer && v.There == v.Here)
}
