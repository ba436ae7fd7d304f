package traversal

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// nodeEnv is what the node sees of the transport.
type nodeEnv struct{ agent *Agent }

func (e nodeEnv) Now() machine.Time                            { return e.agent.env.Now() }
func (e nodeEnv) Rand() *rng.Rand                              { return e.agent.env.Rand() }
func (e nodeEnv) SetTimer(at machine.Time, t machine.Timer)    { e.agent.env.SetTimer(at, t) }
func (e nodeEnv) Do(queue string, tag uint64, job machine.Job) { e.agent.env.Do(queue, tag, job) }

func (e nodeEnv) Send(to machine.Peer, m machine.Message) {
	a := e.agent
	if to.Addr.IsZero() || to.ID.IsZero() {
		a.env.Send(to, m)
		return
	}
	p := a.ensurePeer(to.ID)
	p.lastUsed = a.env.Now()
	if _, datagram := m.(machine.Datagram); datagram {
		a.links.sendDatagram(p, to.Addr, m)
		return
	}
	if p.linked {
		to = p.via
	}
	a.env.Send(to, m)
}

// setRelayedAddr notes the relayed address of a peer.
func (p *remotePeer) setRelayedAddr(addr machine.Addr) {
	if isRelayedAddrOf(addr, p.id) && !p.hello {
		p.addr = addr
	}
}

func (e nodeEnv) Open(to machine.Peer) {
	a := e.agent
	p := a.ensurePeer(to.ID)
	p.lastUsed = a.env.Now()
	if p.linked || p.wanted {
		return
	}
	p.name, p.wanted = to, true
	switch {
	case p.up && p.hello:
		a.env.Send(p.via, &LinkUse{InUse: true})
		a.deferred = append(a.deferred, func() { a.links.reportLinkUp(p) })
	case p.up || p.opening: // its Hello follows
	default:
		p.setRelayedAddr(to.Addr)
		if via, ok := a.links.pathTo(p, to.Addr); ok {
			a.links.open(p, via)
		} else {
			a.searches.begin(p)
		}
	}
}

func (e nodeEnv) Close(to machine.Peer) {
	a := e.agent
	if to.Addr.IsZero() {
		a.env.Close(to)
		return
	}
	p := a.peers[to.ID]
	if p == nil || p.name != to {
		return
	}
	p.linked, p.wanted = false, false
	switch {
	case p.up && p.hello && a.hidden != IsRelayed(p.addr): // the hidden node is found over it
		a.env.Send(p.via, &LinkUse{})
	case p.up || p.opening:
		a.switches.cancel(p)
		a.env.Close(p.via)
		a.links.reset(p)
	}
}

// Relayed makes nodeEnv a machine.Relayer.
func (e nodeEnv) Relayed(to machine.Peer) bool {
	p := e.agent.peers[to.ID]
	return p != nil && p.viaRelay()
}

// Backlog makes nodeEnv a machine.Backlogger.
func (e nodeEnv) Backlog(to machine.Peer) (waiting, limit int) {
	if to.Addr.IsZero() {
		return machine.Backlog(e.agent.env, to) // a session
	}
	if p := e.agent.peers[to.ID]; p != nil && p.linked {
		to = p.via
	}
	return machine.Backlog(e.agent.env, to)
}
