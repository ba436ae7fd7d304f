package traversal

import (
	"errors"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// requestAllocation asks the helper to relay, after hole punching has failed.
func (a *Agent) requestAllocation(p *remotePeer) {
	a.cfg.Paths.Cancel(p.id)
	helper := a.peers[p.helper]
	p.stage, p.deadline = allocating, a.env.Now().Add(allocateTimeout)
	if helper == nil || !helper.up {
		p.deadline = a.env.Now()
		return
	}
	a.env.Send(helper.via, &Allocate{Peer: p.id})
}

// onAllocate: a hidden node requests an allocation; to a hidden node: one is ready.
func (a *Agent) onAllocate(helper *remotePeer, m *Allocate) {
	if !a.hidden {
		a.grantAllocation(helper, m.Peer)
		return
	}
	p := a.peers[m.Peer]
	if p == nil || p.helper != helper.id || p.allocated || p.stage != allocating || !isRelayedAddrOf(p.addr, p.id) {
		return
	}
	p.allocated, p.refreshed, p.stage = true, a.env.Now(), idle
	a.stats.Allocations++
	a.cfg.Paths.Route(p.id, p.addr)
	a.usePath(p, machine.Peer{ID: p.id, Addr: p.addr})
}

// grantAllocation relays for two nodes once both have requested it.
func (a *Agent) grantAllocation(helper *remotePeer, peer id.ID) {
	target := a.peers[peer]
	if !helper.up {
		return
	}
	if !a.cfg.Relays || !helper.hello || !IsRelayed(helper.addr) || target == nil || !target.up || !target.hello || !IsRelayed(target.addr) {
		a.env.Send(helper.via, &PeerUnreachable{Peer: peer})
		return
	}
	open, err := a.relay.Allocate(helper.id, peer, a.env.Now())
	if err != nil {
		a.env.Send(helper.via, &PeerUnreachable{Peer: peer})
		return
	}
	if open {
		a.env.Send(helper.via, &Allocate{Peer: peer})
		a.env.Send(target.via, &Allocate{Peer: helper.id})
	}
}

// onRelayedPacket forwards a packet, or delivers it if it is for this node.
func (a *Agent) onRelayedPacket(helper *remotePeer, m *RelayedPacket) {
	if a.hidden {
		if p := a.peers[m.Peer]; p != nil && p.allocated && p.helper == helper.id && len(m.Data) > 0 {
			p.lastHeard = a.env.Now()
			a.cfg.Paths.Deliver(m.Data, p.addr)
		}
		return
	}
	target := a.peers[m.Peer]
	if !helper.up || target == nil || !target.up {
		return // it comes back, or the allocation becomes idle
	}
	switch err := a.relay.Forward(helper.id, target.id, len(m.Data), a.env.Now()); {
	case errors.Is(err, ErrNoPermission):
		a.env.Send(helper.via, &PeerUnreachable{Peer: target.id})
	case err == nil && !machine.Crowded(a.env, target.via):
		a.stats.Packets++
		a.stats.Bytes += uint64(len(m.Data))
		a.env.Send(target.via, &RelayedPacket{Peer: helper.id, Data: m.Data})
	}
}

// SendRelayed sends a packet for a routed address over the relay.
func (a *Agent) SendRelayed(peer id.ID, b []byte) {
	p := a.peers[peer]
	if p == nil || !p.allocated || len(b) > MaxRelayedPacket {
		return
	}
	if helper := a.peers[p.helper]; helper != nil && helper.up && !machine.Crowded(a.env, helper.via) {
		a.env.Send(helper.via, &RelayedPacket{Peer: peer, Data: b})
	}
}

func (a *Agent) endAllocation(p *remotePeer) {
	p.allocated = false
	p.punchTries, p.nextPunch, p.releaseAt = 0, 0, 0
	a.cfg.Paths.Unroute(p.id)
}
