package node

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// comparison compares what a shard was restored to with what its hosts had signed, on a
// node that has not restored it (decision 225). The group's state names the signed copy
// (copies.Basis). Who restores the shard lets nobody use it before another member has got
// the state as it was and says that it is what was signed, but not for long: that member may
// lie. Each member that is added compares for itself, and tells whoever asks.
type comparison struct {
	part.Part
	group      *shardgroup.Group
	signatures copies.Signatures
	links      *peers.Links
	dir        *directory.Directory
	opened     func() // when the shard may run

	created bool         // this node has begun the group, with a signed copy, and nobody has used it
	until   machine.Time // it waits, since it leads
}

const (
	// compareFor is how long a restored shard waits for another node's comparison.
	compareFor = 3 * time.Second
	// earlyDifference is for how long after a group was begun it is noted that a state
	// differs: later players have changed it.
	earlyDifference = compareFor
)

// begin is when this node begins a group.
func (c *comparison) begin(from group.Origin) { c.created = len(from.Basis) > 0 }

// leads is when this node leads the group.
func (c *comparison) leads(now machine.Time) {
	if c.created {
		c.group.Waits, c.until = true, now.Add(compareFor)
	}
}

// published is when the group's record is on its way: members that are to compare the state
// need it first.
func (c *comparison) published() {
	if c.group.Waits {
		c.dir.Give(c.group.Shard, c.group.Raft.Status().Wanted)
	}
}

// beat asks the members what they have found, and ends the wait.
func (c *comparison) beat(now machine.Time) {
	if !c.group.Waits {
		return
	}
	if now >= c.until {
		c.Note(fmt.Sprintf("No other node has compared what %s was restored to with what its hosts had signed.", c.group.Shard))
		c.end()
		return
	}
	s := c.group.Status()
	if s == nil {
		return
	}
	s.Reply = true
	for _, m := range c.group.Raft.Status().Members {
		if m.Peer.ID != c.Cfg.Self.ID {
			c.links.SendDatagram(m.Peer, s)
		}
	}
}

// hear takes what a member says.
func (c *comparison) hear(f *peers.Remote, m *shardgroup.GroupStatus) {
	if gen, _ := c.group.Raft.Term(); c.group.Waits && m.Compared && m.Gen == gen && c.group.IsMember(f.Peer.ID) {
		c.end()
	}
}

func (c *comparison) end() {
	c.created, c.group.Waits = false, false
	c.opened()
}

// installed is when the replica has got a state as a member.
func (c *comparison) installed(encoded []byte, content []machine.KV) {
	if basis, ok := copies.DecodeBasis(encoded); ok && !c.group.Compared {
		c.Queue.Push(part.Call{Do: func() { c.compare(basis, content) }})
	}
}

// compare compares what this node has got as a new member. Those in whose place the shard
// was restored are known here from the directory: who has restored it could name others.
func (c *comparison) compare(basis copies.Basis, content []machine.KV) {
	p, by := c.group.Shard, c.group.Raft.Leader()
	signed := c.signatures.SignedBy(c.dir.FormerHosts(p, by.ID), basis.Holder, p, basis.End, basis.Proof)
	c.group.Compared = signed && basis.Proof.Of(content)
	gen, _ := c.group.Raft.Term()
	if !c.group.Compared && c.Env.Now().Sub(gen.Created()) < earlyDifference {
		c.Note(fmt.Sprintf("Node %s has restored %s: this node cannot confirm that it is what the hosts had signed.", by.ID.Short(), p))
	}
}
