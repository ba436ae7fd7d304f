package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
)

// departure hands over what this node hosts before it stops: what it leads goes to
// other members of the groups, and what it is the only member of to other nodes, if
// there are any.
type departure struct {
	part.Part
	links   *peers.Links
	hosting *hosting
	offers  *offers
	store   *nodeStore
}

// maxTransfers is how many groups that are only on the disk are brought to another
// node at a time.
const maxTransfers = 64

// begin begins to hand over.
func (d *departure) begin() {
	d.Phase.Leaving = true
	d.store.save()
	for _, f := range d.links.Up() {
		d.Env.Send(f.Peer, &HostQuery{shards.Lobby})
	}
	d.beat()
}

// beat goes on with it: also groups that hibernate must wake if this node is their only
// member.
func (d *departure) beat() {
	if !d.IsLeaving() {
		return
	}
	moving := 0
	for _, h := range d.hosting.all() {
		if h.group.IsOnlyVoter() {
			moving++
			if !h.group.Leading && (d.offers.anyRoom() || h.canLeave()) {
				h.group.Raft.Wake()
			}
		}
	}
	if moving < maxTransfers && d.offers.anyRoom() {
		d.hosting.openDormant(maxTransfers - moving)
	}
}

// hasTransfers reports whether there is still something that another node could take.
func (d *departure) hasTransfers() bool {
	if d.hosting.hasDormant() && d.offers.anyRoom() {
		return true
	}
	for _, h := range d.hosting.all() {
		g := h.group
		if g.IsOnlyVoter() && (d.offers.anyRoom() || h.canLeave()) || (g.Leading || g.IsOneOfTwoVoters()) && h.canLeave() {
			return true
		}
	}
	return false
}

// announce tells the nodes that this one has links to.
func (d *departure) announce() {
	for _, f := range d.links.Up() {
		d.Env.Send(f.Peer, &Leaving{})
	}
}
