package codec

import (
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
)

// Messages of internal/net/nat/traversal.

var natKinds = []*kind{
	message(160, func(f *form, m *traversal.MappedAddress) { f.addrPort(&m.Addr) }),
	message(161, func(f *form, m *traversal.DialBackRequest) { f.addrPort(&m.Addr); f.fixed64(&m.Nonce) }),
	message(162, func(f *form, m *traversal.ProbeRequest) { f.addrPort(&m.Addr); f.fixed64(&m.Nonce) }),
	message(163, func(f *form, m *traversal.DialBackResponse) { f.bool(&m.OK) }),
	message(164, func(f *form, m *traversal.Probe) { f.fixed64(&m.Nonce) }),
	message(165, func(f *form, m *traversal.Ping) { signed(f, &m.Sent) }),
	message(166, func(f *form, m *traversal.Pong) { signed(f, &m.Sent); signed(f, &m.Now) }),
	message(167, func(f *form, m *traversal.ProbeRefusal) { f.fixed64(&m.Nonce) }),
	message(168, func(f *form, m *traversal.Hello) { f.addr(&m.Addr) }),
	message(169, func(f *form, m *traversal.LinkUse) { f.bool(&m.InUse) }),
	message(170, func(f *form, m *traversal.AddressedDatagram) { f.addr(&m.Addr); f.message(&m.Msg) }),
	message(171, func(f *form, m *traversal.Signal) {
		f.id(&m.Peer)
		f.addr(&m.Addr)
		f.bool(&m.Answer)
		text(f, &m.Offer.Ufrag, traversal.MaxCredential)
		text(f, &m.Offer.Password, traversal.MaxCredential)
		list(f, &m.Offer.Candidates, traversal.MaxCandidates, 1, func(f *form, s *string) { text(f, s, traversal.MaxCandidate) })
	}),
	message(172, func(f *form, m *traversal.ReversalRequest) { f.id(&m.Peer); f.addr(&m.Addr) }),
	message(173, func(f *form, m *traversal.Allocate) { f.id(&m.Peer) }),
	message(174, func(f *form, m *traversal.RelayedPacket) { f.id(&m.Peer); f.bytes(&m.Data, traversal.MaxRelayedPacket) }),
	message(175, func(f *form, m *traversal.PeerUnreachable) { f.id(&m.Peer) }),
	message(176, empty[traversal.PathSwitched]),
	message(177, func(f *form, m *traversal.BrowserPacket) {
		f.fixed64(&m.Circuit)
		f.addrPort(&m.Addr)
		f.bytes(&m.Data, traversal.MaxRelayedPacket)
	}),
	message(178, func(f *form, m *traversal.BrowserReply) {
		f.fixed64(&m.Circuit)
		f.bools(&m.Keep, &m.End)
		f.bytes(&m.Data, traversal.MaxRelayedPacket)
	}),
}

// addrPort is an address as package netip has it.
func (f *form) addrPort(v *netip.AddrPort) {
	a := machine.AddrFrom(*v)
	f.addr(&a)
	if f.reading {
		*v = a.AddrPort()
	}
}
