package traversal

import (
	"net/netip"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// detector finds out how this node is reached, and helps others to.
type detector struct {
	*core
	detection
	reachability *Reachability
	startNode    func(addr machine.Addr) // with the address that was found
}

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
func (de *detector) askNextNode() {
	d := &de.detection
	d.asked, d.dialBack = machine.Peer{}, false
	for d.next < len(de.cfg.Known) {
		known := de.cfg.Known[d.next]
		d.next++
		if known.ID == de.cfg.ID || known.Addr.IsZero() {
			continue
		}
		if d.contacted == nil {
			d.contacted = map[id.ID]bool{}
		}
		d.asked, d.contacted[known.ID], d.deadline = known, true, de.env.Now().Add(de.cfg.DialBackTimeout)
		p := de.ensurePeer(known.ID)
		p.via, p.opening = known, true
		de.env.Open(known)
		return
	}
	de.assumeAddress()
}

// assumeAddress decides without a dial-back, since no node can give one. The node is
// public if its router has mapped the port or if others see it at its own address
// and port; otherwise there is a translator between.
func (de *detector) assumeAddress() {
	seen, ok := de.reachability.ReflexiveAddr(de.env.Now())
	local := de.cfg.Local.AddrPort()
	switch {
	case !ok && len(de.cfg.Known) == 0 && de.cfg.PortMapping.IsValid():
		de.startNode(machine.AddrFrom(de.cfg.PortMapping))
	case !ok:
		de.startNode(de.cfg.Local)
	case seen == de.cfg.PortMapping, seen.Port() == local.Port() && de.ownAddress(seen.Addr()):
		de.startNode(machine.AddrFrom(seen))
	default:
		de.useRelayedAddress(machine.AddrFrom(seen))
	}
}

func (de *detector) ownAddress(ip netip.Addr) bool {
	return ip == de.cfg.Local.AddrPort().Addr() || de.cfg.Own != nil && de.cfg.Own(ip)
}

// useRelayedAddress starts the node as a hidden one, if that is possible.
func (de *detector) useRelayedAddress(seen machine.Addr) {
	homeRelay := de.asked.Addr
	if p := de.peers[de.asked.ID]; p != nil && !p.addr.IsZero() {
		homeRelay = p.addr
	}
	if IsRelayed(homeRelay) { // that one is hidden itself: its own home relay will do
		homeRelay = homeRelayOf(homeRelay)
	}
	at, ok := RelayedAddr(de.cfg.ID, homeRelay.AddrPort())
	if !ok || de.cfg.Paths == nil {
		at = seen
	}
	de.startNode(at)
}

func (de *detector) onMappedAddress(p *remotePeer, m *MappedAddress) {
	now := de.env.Now()
	de.reachability.Observe(p.id, p.via.Addr.AddrPort().Addr(), m.Addr, now)
	if de.done || p.id != de.asked.ID || de.dialBack {
		return
	}
	if q, ok := de.reachability.RequestDialBack(de.env.Rand().Uint64(), now); ok {
		de.dialBack, de.deadline, de.repeatAt = true, now.Add(de.cfg.DialBackTimeout), now.Add(de.cfg.DialBackTimeout/2)
		de.env.Send(p.via, &q)
	}
}

func (de *detector) onDialBackResponse(p *remotePeer, m *DialBackResponse) {
	if de.done || p.id != de.asked.ID {
		return
	}
	if !m.OK && de.repeatAt != 0 {
		de.assumeAddress()
	}
}

// onProbe: a node that this one has not contacted has reached it.
func (de *detector) onProbe(p *remotePeer, m *Probe) {
	if de.contacted[p.id] || !de.reachability.AcceptProbe(*m, de.env.Now()) || de.done {
		return
	}
	if at, ok := de.reachability.Reachable(de.env.Now()); ok {
		de.startNode(machine.AddrFrom(at))
	}
}

// maintain continues when an answer is overdue. The node that was to send the
// probe may have stopped, so the dial-back is requested once more before this node
// considers itself hidden.
func (de *detector) maintain(now machine.Time) {
	d := &de.detection
	if !d.done && d.dialBack && d.repeatAt != 0 && now >= d.repeatAt {
		d.repeatAt = 0
		if q, ok := de.reachability.RepeatDialBack(now); ok {
			de.env.Send(de.ensurePeer(d.asked.ID).via, &q)
		}
	}
	if d.done || now < d.deadline {
		return
	}
	if !d.dialBack {
		de.askNextNode()
		return
	}
	seen, _ := de.reachability.ReflexiveAddr(now)
	de.useRelayedAddress(machine.AddrFrom(seen))
}

// onDialBackRequest asks another public node to probe the sender.
func (de *detector) onDialBackRequest(p *remotePeer, m *DialBackRequest) {
	prober := de.chooseProber(p)
	ok := prober != nil && p.up
	if ok {
		var b ProbeRequest
		if b, ok = de.reachability.PermitDialBack(p.via.Addr.AddrPort().Addr(), *m, de.env.Now()); ok {
			p.dialBack.prober, p.dialBack.nonce = prober.id, b.Nonce
			de.env.Send(prober.via, &b)
		}
	}
	if p.up {
		de.env.Send(p.via, &DialBackResponse{OK: ok})
	}
}

// chooseProber returns a public node with a link to here, not the same twice if there are others.
func (de *detector) chooseProber(not *remotePeer) *remotePeer {
	var all []*remotePeer
	for _, p := range de.order {
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
	return all[de.env.Rand().Intn(len(all))]
}

// onProbeRequest sends a probe on behalf of a helper.
func (de *detector) onProbeRequest(p *remotePeer, m *ProbeRequest) {
	if probe, ok := de.reachability.PermitProbe(*m, de.env.Now()); ok && !de.hidden {
		de.env.Send(machine.Peer{Addr: machine.AddrFrom(m.Addr)}, &probe)
	} else if p.up {
		de.env.Send(p.via, &ProbeRefusal{Nonce: m.Nonce})
	}
}

// onProbeRefusal tells the node that requested the dial-back that no probe comes.
func (de *detector) onProbeRefusal(prober *remotePeer, m *ProbeRefusal) {
	for _, p := range de.order {
		if p.up && p.dialBack.prober == prober.id && p.dialBack.nonce == m.Nonce {
			de.env.Send(p.via, &DialBackResponse{})
		}
	}
}

// reflexiveAddr is this node's server-reflexive address; invalid: not known.
func (de *detector) reflexiveAddr() netip.AddrPort {
	addr, _ := de.reachability.ReflexiveAddr(de.env.Now())
	return addr
}
