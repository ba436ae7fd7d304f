package traversal

import (
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Bounds of an Offer.
const (
	MaxCandidates = 16
	MaxCandidate  = 256
	MaxCredential = 64
)

// Messages of two linked nodes about themselves.
type (
	// Hello states the address that the sender wants to be known by, as soon as it
	// knows that; of a hidden node its relayed address.
	Hello struct{ Addr machine.Addr }
	// LinkUse states whether the sender's node uses the link: links between a hidden
	// node and a public one stay open when it does not.
	LinkUse struct{ InUse bool }
	// PathSwitched is the last message over a relayed link: the sender continues over
	// one that does not need the allocation.
	PathSwitched struct{}
	// AddressedDatagram is a datagram of a hidden node, with its relayed address.
	AddressedDatagram struct {
		Addr machine.Addr
		Msg  machine.Message
	}
)

// Datagram makes the message one that needs no link and may be lost.
func (*AddressedDatagram) Datagram() {}

// Messages between a node and its helper. To the helper, Peer is the destination; from
// the helper, the source. Only public nodes help, and only to reach hidden ones.
type (
	// Signal carries an offer, or the answer to one. From the helper, Addr is the
	// peer's address.
	Signal struct {
		Peer   id.ID
		Addr   machine.Addr
		Answer bool
		Offer  Offer
	}
	// ReversalRequest asks a hidden node to open a link to a public one (connection
	// reversal, RFC 5128).
	ReversalRequest struct {
		Peer id.ID
		Addr machine.Addr
	}
	// Allocate requests an allocation or refreshes it; from the helper: it is ready.
	Allocate struct{ Peer id.ID }
	// RelayedPacket is a packet of an allocation.
	RelayedPacket struct {
		Peer id.ID
		Data []byte
	}
	// BrowserPacket is a packet of a browser for the receiver, a hidden node. Addr is
	// where the helper sees the browser.
	BrowserPacket struct {
		Circuit uint64 // of the helper, drawn by it
		Addr    netip.AddrPort
		Data    []byte
	}
	// BrowserReply is a packet of a hidden node for the browser of a circuit. Keep: the
	// browser plays over it. End: it is not used any more.
	BrowserReply struct {
		Circuit   uint64
		Keep, End bool
		Data      []byte
	}
	// PeerUnreachable: the helper has no link to the peer, or no allocation.
	PeerUnreachable struct{ Peer id.ID }
)

// Offer holds a node's ICE credentials and candidates (RFC 8445).
type Offer struct {
	Ufrag, Password string
	Candidates      []string
}

// Valid checks the bounds of an offer.
func (o *Offer) Valid() bool {
	if len(o.Ufrag) < 4 || len(o.Ufrag) > MaxCredential || len(o.Password) < 22 || len(o.Password) > MaxCredential || len(o.Candidates) > MaxCandidates {
		return false
	}
	for _, c := range o.Candidates {
		if len(c) > MaxCandidate {
			return false
		}
	}
	return true
}

// Messages of the detection of reachability, and clock queries.
type (
	// MappedAddress states where a link's packets come from.
	MappedAddress struct{ Addr netip.AddrPort }
	// DialBackRequest asks a helper for a dial-back.
	DialBackRequest struct {
		Addr  netip.AddrPort
		Nonce uint64
	}
	// ProbeRequest is from the helper to the prober, a third node.
	ProbeRequest struct {
		Addr  netip.AddrPort
		Nonce uint64
	}
	// DialBackResponse states whether a prober was asked.
	DialBackResponse struct{ OK bool }
	// ProbeRefusal is from the prober to the helper: no probe was sent.
	ProbeRefusal struct{ Nonce uint64 }
	// Probe is sent by the prober, in a session that it begins for it.
	Probe struct{ Nonce uint64 }
	// Ping asks for a Pong, which gives the sender's time and the round trip.
	Ping struct{ Sent machine.Time }
	Pong struct{ Sent, Now machine.Time }
)

// Datagram makes the message one that needs no link and may be lost.
func (*Probe) Datagram() {}

// Fresh makes the transport begin a new session: the node at the address may have been
// replaced or restarted, and a translator lets in packets from addresses that its
// node has sent to.
func (*Probe) Fresh() {}

// Datagram makes the message one that needs no link and may be lost.
func (*Ping) Datagram() {}

// Datagram makes the message one that needs no link and may be lost.
func (*Pong) Datagram() {}
