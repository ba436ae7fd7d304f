package traversal

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// allocations are paths over relays: those that this node uses, and those that it grants.
type allocations struct {
	*core
	relay    *Relay
	searches *searches
}

// request asks the helper to relay, after hole punching has failed.
func (al *allocations) request(p *remotePeer) {
	al.cfg.Paths.Cancel(p.id)
	helper := al.peers[p.helper]
	p.stage, p.deadline = allocating, al.env.Now().Add(allocateTimeout)
	if helper == nil || !helper.up {
		p.deadline = al.env.Now()
		return
	}
	al.env.Send(helper.via, &Allocate{Peer: p.id})
}

// onAllocate: a hidden node requests an allocation; to a hidden node: one is ready.
func (al *allocations) onAllocate(helper *remotePeer, m *Allocate) {
	if !al.hidden {
		al.grant(helper, m.Peer)
		return
	}
	p := al.peers[m.Peer]
	if p == nil || p.helper != helper.id || p.allocated || p.stage != allocating || !isRelayedAddrOf(p.addr, p.id) {
		return
	}
	p.allocated, p.refreshed, p.stage = true, al.env.Now(), idle
	al.stats.Allocations++
	al.cfg.Paths.Route(p.id, p.addr)
	al.searches.usePath(p, machine.Peer{ID: p.id, Addr: p.addr})
}

// grant relays for two nodes once both have requested it.
func (al *allocations) grant(helper *remotePeer, peer id.ID) {
	target := al.peers[peer]
	if !helper.up {
		return
	}
	if !al.cfg.Relays || !helper.hello || !IsRelayed(helper.addr) || target == nil || !target.up || !target.hello || !IsRelayed(target.addr) {
		al.env.Send(helper.via, &PeerUnreachable{Peer: peer})
		return
	}
	open, err := al.relay.Allocate(helper.id, peer, al.env.Now())
	if err != nil {
		al.env.Send(helper.via, &PeerUnreachable{Peer: peer})
		return
	}
	if open {
		al.env.Send(helper.via, &Allocate{Peer: peer})
		al.env.Send(target.via, &Allocate{Peer: helper.id})
	}
}

// onRelayedPacket forwards a packet, or delivers it if it is for this node.
func (al *allocations) onRelayedPacket(helper *remotePeer, m *RelayedPacket) {
	if al.hidden {
		if p := al.peers[m.Peer]; p != nil && p.allocated && p.helper == helper.id && len(m.Data) > 0 {
			p.lastHeard = al.env.Now()
			al.cfg.Paths.Deliver(m.Data, p.addr)
		}
		return
	}
	target := al.peers[m.Peer]
	if !helper.up || target == nil || !target.up {
		return // it comes back, or the allocation becomes idle
	}
	switch err := al.relay.Forward(helper.id, target.id, len(m.Data), al.env.Now()); {
	case errors.Is(err, ErrNoPermission):
		al.env.Send(helper.via, &PeerUnreachable{Peer: target.id})
	case err == nil && !machine.Crowded(al.env, target.via):
		al.stats.Packets++
		al.stats.Bytes += uint64(len(m.Data))
		al.env.Send(target.via, &RelayedPacket{Peer: helper.id, Data: m.Data})
	}
}

// send sends a packet for a routed address over the relay.
func (al *allocations) send(peer id.ID, b []byte) {
	p := al.peers[peer]
	if p == nil || !p.allocated || len(b) > MaxRelayedPacket {
		return
	}
	if helper := al.peers[p.helper]; helper != nil && helper.up && !machine.Crowded(al.env, helper.via) {
		al.env.Send(helper.via, &RelayedPacket{Peer: peer, Data: b})
	}
}

func (al *allocations) end(p *remotePeer) {
	p.allocated = false
	p.punchTries, p.nextPunch, p.releaseAt = 0, 0, 0
	al.cfg.Paths.Unroute(p.id)
}
