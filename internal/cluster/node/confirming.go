package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// confirming asks the other hosts of a region that was restored whether what they got was
// what its hosts had signed (comparison), when a player here is told of the restoration. If
// none of them confirms it the player is told that, too.
type confirming struct {
	part.Part
	links    *peers.Links
	dir      *directory.Directory
	hosting  *hosting
	leaderOf func(shards.Shard) machine.Peer
	tell     func(session id.ID, m machine.Message)

	list map[shards.Shard]*confirmation
}

// confirmation is a question under way.
type confirmation struct {
	sessions map[id.ID]bool // whose players are waiting for the answer
	begun    machine.Time
	next     machine.Time
	hosts    []machine.Peer // that the directory names
}

const (
	confirmAgain     = time.Second
	confirmFor       = 10 * time.Second
	maxConfirmations = 64
)

// see looks at what a session here is told.
func (c *confirming) see(session id.ID, m machine.Message) {
	n, ok := m.(*region.Notice)
	if !ok || wire.Code(n.Code) != wire.Restored {
		return
	}
	p := shards.Shard{Region: n.Region}
	x := c.list[p]
	if x == nil {
		if len(c.list) >= maxConfirmations {
			return
		}
		x = &confirmation{sessions: map[id.ID]bool{}, begun: c.Env.Now()}
		c.list[p] = x
	}
	x.sessions[session] = true
}

// beat asks, and tells the players when nobody has confirmed it.
func (c *confirming) beat(now machine.Time) {
	for _, p := range shards.Sorted(c.list) {
		x := c.list[p]
		g := c.hosting.LoadedGroup(p)
		switch {
		case g != nil && g.Compared:
			delete(c.list, p)
		case now.Sub(x.begun) >= confirmFor:
			delete(c.list, p)
			for _, s := range id.Sorted(x.sessions) {
				c.tell(s, &region.Notice{Region: p.Region, Code: string(wire.Unconfirmed)})
			}
		case now >= x.next:
			x.next = now.Add(confirmAgain)
			c.dir.Find(p, func(r kademlia.Result) { c.ask(p, x, r.Record) })
		}
	}
}

func (c *confirming) ask(p shards.Shard, x *confirmation, r *kademlia.Record) {
	if r == nil {
		return
	}
	if h, err := records.DecodeHosts(r.Payload); err == nil {
		x.hosts = h.Members
	}
	for _, n := range x.hosts {
		if n.ID != c.Cfg.Self.ID {
			c.links.SendDatagram(n, &shardgroup.GroupStatus{Shard: p, Reply: true})
		}
	}
}

// hear takes what a host says; who leads, and may have restored it, says nothing of itself.
func (c *confirming) hear(f *peers.Remote, m *shardgroup.GroupStatus) {
	x := c.list[m.Shard]
	if x != nil && m.Compared && peers.Among(x.hosts, f.Peer.ID) && c.leaderOf(m.Shard).ID != f.Peer.ID {
		delete(c.list, m.Shard)
	}
}
