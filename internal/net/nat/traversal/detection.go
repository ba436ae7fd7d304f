package traversal

import (
	"net/netip"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// detection is the state of detecting how this node is reached. It asks one node at
// a time; the probe must come from a node that it has not contacted.
type detection struct {
	done      bool
	next      int // in Config.Known, of the next one
	asked     machine.Peer
	contacted map[id.ID]bool
	deadline  machine.Time
	dialBack  bool         // the dial-back is under way
	repeatAt  machine.Time // when it is asked for once more; 0: it was
}

// askNextNode asks the next node that is known.
func (a *Agent) askNextNode() {
	d := &a.detection
	d.asked, d.dialBack = machine.Peer{}, false
	for d.next < len(a.cfg.Known) {
		known := a.cfg.Known[d.next]
		d.next++
		if known.ID == a.cfg.ID || known.Addr.IsZero() {
			continue
		}
		if d.contacted == nil {
			d.contacted = map[id.ID]bool{}
		}
		d.asked, d.contacted[known.ID], d.deadline = known, true, a.env.Now().Add(a.cfg.DialBackTimeout)
		p := a.ensurePeer(known.ID)
		p.via, p.opening = known, true
		a.env.Open(known)
		return
	}
	a.assumeAddress()
}

// assumeAddress decides without a dial-back, since no node can give one. The node is
// public if its router has mapped the port or if others see it at its own address
// and port; otherwise there is a translator between.
func (a *Agent) assumeAddress() {
	seen, ok := a.reachability.ReflexiveAddr(a.env.Now())
	local := a.cfg.Local.AddrPort()
	switch {
	case !ok && len(a.cfg.Known) == 0 && a.cfg.PortMapping.IsValid():
		a.startNode(machine.AddrFrom(a.cfg.PortMapping))
	case !ok:
		a.startNode(a.cfg.Local)
	case seen == a.cfg.PortMapping, seen.Port() == local.Port() && a.ownAddress(seen.Addr()):
		a.startNode(machine.AddrFrom(seen))
	default:
		a.useRelayedAddress(machine.AddrFrom(seen))
	}
}

func (a *Agent) ownAddress(ip netip.Addr) bool {
	return ip == a.cfg.Local.AddrPort().Addr() || a.cfg.Own != nil && a.cfg.Own(ip)
}

// useRelayedAddress starts the node as a hidden one, if that is possible.
func (a *Agent) useRelayedAddress(seen machine.Addr) {
	homeRelay := a.detection.asked.Addr
	if p := a.peers[a.detection.asked.ID]; p != nil && !p.addr.IsZero() {
		homeRelay = p.addr
	}
	if IsRelayed(homeRelay) { // that one is hidden itself: its own home relay will do
		homeRelay = homeRelayOf(homeRelay)
	}
	at, ok := RelayedAddr(a.cfg.ID, homeRelay.AddrPort())
	if !ok || a.cfg.Paths == nil {
		at = seen
	}
	a.startNode(at)
}

func (a *Agent) onMappedAddress(p *remotePeer, m *MappedAddress) {
	now := a.env.Now()
	a.reachability.Observe(p.id, p.via.Addr.AddrPort().Addr(), m.Addr, now)
	if a.detection.done || p.id != a.detection.asked.ID || a.detection.dialBack {
		return
	}
	if q, ok := a.reachability.RequestDialBack(a.env.Rand().Uint64(), now); ok {
		a.detection.dialBack, a.detection.deadline, a.detection.repeatAt = true, now.Add(a.cfg.DialBackTimeout), now.Add(a.cfg.DialBackTimeout/2)
		a.env.Send(p.via, &q)
	}
}

func (a *Agent) onDialBackResponse(p *remotePeer, m *DialBackResponse) {
	if a.detection.done || p.id != a.detection.asked.ID {
		return
	}
	if !m.OK && a.detection.repeatAt != 0 {
		a.assumeAddress()
	}
}

// onProbe: a node that this one has not contacted has reached it.
func (a *Agent) onProbe(p *remotePeer, m *Probe) {
	if a.detection.contacted[p.id] || !a.reachability.AcceptProbe(*m, a.env.Now()) || a.detection.done {
		return
	}
	if at, ok := a.reachability.Reachable(a.env.Now()); ok {
		a.startNode(machine.AddrFrom(at))
	}
}

// maintainDetection continues when an answer is overdue. The node that was to send the
// probe may have stopped, so the dial-back is requested once more before this node
// considers itself hidden.
func (a *Agent) maintainDetection(now machine.Time) {
	d := &a.detection
	if !d.done && d.dialBack && d.repeatAt != 0 && now >= d.repeatAt {
		d.repeatAt = 0
		if q, ok := a.reachability.RepeatDialBack(now); ok {
			a.env.Send(a.ensurePeer(d.asked.ID).via, &q)
		}
	}
	if d.done || now < d.deadline {
		return
	}
	if !d.dialBack {
		a.askNextNode()
		return
	}
	seen, _ := a.reachability.ReflexiveAddr(now)
	a.useRelayedAddress(machine.AddrFrom(seen))
}

// onDialBackRequest asks another public node to probe the sender.
func (a *Agent) onDialBackRequest(p *remotePeer, m *DialBackRequest) {
	prober := a.chooseProber(p)
	ok := prober != nil && p.up
	if ok {
		var b ProbeRequest
		if b, ok = a.reachability.PermitDialBack(p.via.Addr.AddrPort().Addr(), *m, a.env.Now()); ok {
			p.dialBack.prober, p.dialBack.nonce = prober.id, b.Nonce
			a.env.Send(prober.via, &b)
		}
	}
	if p.up {
		a.env.Send(p.via, &DialBackResponse{OK: ok})
	}
}

// chooseProber returns a public node with a link to here, not the same twice if there are others.
func (a *Agent) chooseProber(not *remotePeer) *remotePeer {
	var all []*remotePeer
	for _, p := range a.order {
		if p != not && p.public() && p.via.Addr.AddrPort() != not.via.Addr.AddrPort() {
			all = append(all, p)
		}
	}
	if len(all) > 1 {
		all = slices.DeleteFunc(all, func(p *remotePeer) bool { return p.id == not.dialBack.prober })
	}
	if len(all) == 0 {
		return nil
	}
	return all[a.env.Rand().Intn(len(all))]
}

// onProbeRequest sends a probe on behalf of a helper.
func (a *Agent) onProbeRequest(p *remotePeer, m *ProbeRequest) {
	if probe, ok := a.reachability.PermitProbe(*m, a.env.Now()); ok && !a.hidden {
		a.env.Send(machine.Peer{Addr: machine.AddrFrom(m.Addr)}, &probe)
	} else if p.up {
		a.env.Send(p.via, &ProbeRefusal{Nonce: m.Nonce})
	}
}

// onProbeRefusal tells the node that requested the dial-back that no probe comes.
func (a *Agent) onProbeRefusal(prober *remotePeer, m *ProbeRefusal) {
	for _, p := range a.order {
		if p.up && p.dialBack.prober == prober.id && p.dialBack.nonce == m.Nonce {
			a.env.Send(p.via, &DialBackResponse{})
		}
	}
}
