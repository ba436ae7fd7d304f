package codec

import (
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/relay"
)

// Messages of internal/nat/reach and internal/nat/relay.

var natKinds = []*kind{
	message(160, func(f *form, m *reach.Seen) { f.addrPort(&m.Addr) }),
	message(161, func(f *form, m *reach.AskBack) { f.addrPort(&m.Addr); f.fixed64(&m.Nonce) }),
	message(162, func(f *form, m *reach.Back) { f.addrPort(&m.Addr); f.fixed64(&m.Nonce) }),
	message(163, func(f *form, m *reach.Dialled) { f.bool(&m.OK) }),
	message(164, func(f *form, m *reach.Probe) { f.fixed64(&m.Nonce) }),
	message(165, func(f *form, m *reach.Ping) { signed(f, &m.Sent) }),
	message(166, func(f *form, m *reach.Pong) { signed(f, &m.Sent); signed(f, &m.Now) }),
	message(167, func(f *form, m *reach.Undialled) { f.fixed64(&m.Nonce) }),
	message(168, func(f *form, m *relay.Hello) { f.addr(&m.Addr) }),
	message(169, func(f *form, m *relay.Link) { f.bool(&m.Up) }),
	message(170, func(f *form, m *relay.Veiled) { f.addr(&m.Addr); f.message(&m.Msg) }),
	message(171, func(f *form, m *relay.Signal) {
		f.id(&m.Peer)
		f.addr(&m.Addr)
		f.bool(&m.Answer)
		text(f, &m.Offer.Name, relay.MaxSecret)
		text(f, &m.Offer.Secret, relay.MaxSecret)
		list(f, &m.Offer.Candidates, relay.MaxCandidates, 1, func(f *form, s *string) { text(f, s, relay.MaxCandidate) })
	}),
	message(172, func(f *form, m *relay.Call) { f.id(&m.Peer); f.addr(&m.Addr) }),
	message(173, func(f *form, m *relay.Open) { f.id(&m.Peer) }),
	message(174, func(f *form, m *relay.Packet) { f.id(&m.Peer); f.bytes(&m.Data, relay.MaxPacket) }),
	message(176, empty[relay.Moved]),
	message(175, func(f *form, m *relay.Unable) { f.id(&m.Peer) }),
}

// addrPort is an address as package netip has it.
func (f *form) addrPort(v *netip.AddrPort) {
	a := machine.AddrFrom(*v)
	f.addr(&a)
	if f.reading {
		*v = a.AddrPort()
	}
}
