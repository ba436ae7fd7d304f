package relay

import (
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// Bounds of an Offer.
const (
	MaxCandidates = 16
	MaxCandidate  = 256
	MaxSecret     = 64
)

// Messages that two linked nodes say about themselves.
type (
	// Hello says at which address the sender wants to be known, as soon as it
	// knows that: if no other can reach it there, one that stands for it.
	Hello struct{ Addr machine.Addr }
	// Link says that the sender's node uses the link from now on, or does not:
	// links between a hidden node and a public one stay.
	Link struct{ Up bool }
	// Moved says that this is the last over this link: the sender goes on over one that
	// does not need a circuit.
	Moved struct{}
	// Veiled is a datagram of a node whose own address is of no use to others.
	Veiled struct {
		Addr machine.Addr
		Msg  machine.Message
	}
)

// Datagram says that the message needs no link and may be lost.
func (*Veiled) Datagram() {}

// Messages between a node and the node that helps it. To the helper, Peer is who
// it is for; from the helper, who it is from. Only public nodes help, and only
// hidden ones are helped to be found.
type (
	// Signal carries an offer. Answer: it is the answer to one. From the helper,
	// Addr is the peer's.
	Signal struct {
		Peer   id.ID
		Addr   machine.Addr
		Answer bool
		Offer  Offer
	}
	// Call asks a hidden node to open a link to a public one.
	Call struct {
		Peer id.ID
		Addr machine.Addr
	}
	// Open asks for a circuit, or keeps it; from the helper: it is open.
	Open struct{ Peer id.ID }
	// Packet is one that goes through a circuit.
	Packet struct {
		Peer id.ID
		Data []byte
	}
	// Unable says that the helper has no link to the peer, or no circuit.
	Unable struct{ Peer id.ID }
)

// Offer is what a node tells another so that they can find a path: what ICE
// (RFC 8445) calls credentials and candidates.
type Offer struct {
	Name, Secret string
	Candidates   []string
}

// Sane reports whether an offer from elsewhere keeps to the bounds.
func (o *Offer) Sane() bool {
	if len(o.Name) < 4 || len(o.Name) > MaxSecret || len(o.Secret) < 22 || len(o.Secret) > MaxSecret || len(o.Candidates) > MaxCandidates {
		return false
	}
	for _, c := range o.Candidates {
		if len(c) > MaxCandidate {
			return false
		}
	}
	return true
}
