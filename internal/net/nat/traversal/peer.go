package traversal

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// remotePeer is another node.
type remotePeer struct {
	id   id.ID
	addr machine.Addr // as it wants to be known; zero: not known
	name machine.Peer // as the node here knows it
	via  machine.Peer // as the transport here knows it
	// reached is where the peer last answered, if that is another address than addr;
	// zero: nowhere else, or it no longer answers there.
	reached machine.Addr

	opening, up bool // the transport's link
	hello       bool // the peer has stated its address
	wanted      bool // the node waits for the link
	linked      bool // the node has it
	lastHeard   machine.Time
	lastUsed    machine.Time

	dialBack struct { // the last probe that was requested for this peer
		prober id.ID
		nonce  uint64
	}

	signalling
	pathSearch
	pathSwitch
	allocated bool              // there is an allocation, at helper
	refreshed machine.Time      // the allocation
	pending   []machine.Message // datagrams, until there is a path
}

const (
	maxPending = 16
	// bindingLifetime is how long a translator keeps a binding at least.
	bindingLifetime = 20 * time.Second
	// forgetAfter is when an unused peer is forgotten.
	forgetAfter = 3 * time.Minute
	// bothAddressesAfter is how long a peer must have been silent until a datagram
	// goes to both of its addresses.
	bothAddressesAfter = 5 * time.Second
	// pingInterval is how often linked nodes are asked for the time.
	pingInterval = 30 * time.Second
)

// ensurePeer returns the state of a peer, new if there is none.
func (co *core) ensurePeer(who id.ID) *remotePeer {
	p := co.peers[who]
	if p == nil {
		p = &remotePeer{id: who, lastHeard: co.env.Now(), signalling: newSignalling()}
		co.peers[who] = p
		co.order = append(co.order, p)
	}
	return p
}

// senderPeer is ensurePeer for senders, who mostly send several messages in a row.
func (co *core) senderPeer(who id.ID) *remotePeer {
	if co.lastSender == nil || co.lastSender.id != who {
		co.lastSender = co.ensurePeer(who)
	}
	return co.lastSender
}

// public reports whether the peer can help now.
func (p *remotePeer) public() bool { return p.up && p.hello && !IsRelayed(p.addr) }
