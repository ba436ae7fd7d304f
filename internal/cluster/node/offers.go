package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// offers are what other nodes have said about hosting: whether they have room, and how
// many shards they lead.
type offers struct {
	part.Part
	links     *peers.Links
	said      peers.Own[hostOffer]
	convicted *accountability.Convictions    // host nothing
	invited   func(id.ID) id.ID              // the invitation by which a node was admitted
	own       interface{ ledCount() uint32 } // how many shards are led here (groupCreation)
}

// hostOffer is what a node has said.
type hostOffer struct {
	at   machine.Time // when it did last; 0: never
	room bool
	led  uint32
}

// offerLifetime is how long a node's statement that it has room counts.
const offerLifetime = 15 * time.Second

// record takes a node's answer.
func (o *offers) record(f *peers.Remote, m *HostReply) {
	*o.said.Of(f) = hostOffer{f.Heard, m.Room && !m.Stored, m.Led}
}

// ask asks a node at an address, unless it has answered lately.
func (o *offers) ask(p shards.Shard, f *peers.Remote, at machine.Peer) {
	if o.Env.Now().Sub(o.said.Of(f).at) > offerLifetime/2 {
		o.links.SendDatagram(at, &HostQuery{p})
	}
}

// canHost reports whether a node has said lately that it has room.
func (o *offers) canHost(p machine.Peer) bool {
	if p.ID == o.Cfg.Self.ID {
		return true
	}
	f := o.links.ByID(p.ID)
	return f != nil && o.said.Of(f).room && !f.Left && !o.convicted.Has(p.ID) && o.Env.Now().Sub(o.said.Of(f).at) < offerLifetime
}

// anyRoom reports whether a node that there is a link to has room.
func (o *offers) anyRoom() bool {
	for _, f := range o.links.Up() {
		if o.canHost(f.Peer) {
			return true
		}
	}
	return false
}

// loadOf is how many shards a node leads, by its last answer.
func (o *offers) loadOf(p machine.Peer) uint32 {
	if p.ID == o.Cfg.Self.ID {
		return o.own.ledCount()
	}
	if f := o.links.ByID(p.ID); f != nil {
		return o.said.Of(f).led
	}
	return 0
}
