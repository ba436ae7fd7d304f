package reach

import (
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Messages.
type (
	// Seen says where a link's packets come from.
	Seen struct{ Addr netip.AddrPort }
	// AskBack asks to be dialled back.
	AskBack struct {
		Addr  netip.AddrPort
		Nonce uint64
	}
	// Back asks a third node to send the probe.
	Back struct {
		Addr  netip.AddrPort
		Nonce uint64
	}
	// Dialled says whether a third node was asked.
	Dialled struct{ OK bool }
	// Undialled says that the third node does not send it.
	Undialled struct{ Nonce uint64 }
	// Probe is what a third node sends, in a session that it has begun for it.
	Probe struct{ Nonce uint64 }
	// Ping asks for a Pong, which tells the time and how long it took to ask.
	Ping struct{ Sent machine.Time }
	Pong struct{ Sent, Now machine.Time }
)

// Datagram says that the message needs no link and may be lost.
func (*Probe) Datagram() {}

// Fresh says that there must not have been a session: the node there may be another
// than before, or the same started anew, and an address translator lets in whom one
// has spoken to.
func (*Probe) Fresh() {}

// Datagram says that the message needs no link and may be lost.
func (*Ping) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*Pong) Datagram() {}
