package verifiedworld

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// In a world with an authority.
type (
	// OverlayShare opens (On) or closes the overlay's share of a link, which hosting
	// may use too. Each is answered by the same message, unless the two have crossed.
	OverlayShare struct{ On bool }

	// Revoked has the version of the revocation list at the sender, and the list itself
	// if the receiver's is older.
	Revoked struct {
		Version uint64
		List    []byte // identity.Revocations in its encoding; may be empty
	}

	// Renewed is the sender's certificate after a new one was issued to it.
	Renewed struct{ Certificate *identity.Certificate }

	// BootstrapQuery asks for nodes to join the overlay by. BootstrapReply is the answer:
	// the sender itself and one node of each zone, if it knows one. Both are datagrams.
	BootstrapQuery struct{ Nonce uint64 }
	BootstrapReply struct {
		Nonce uint64
		Self  *overlay.Contact
		Known []*overlay.Contact
	}
)

// MaxPlaces is how many nodes a BootstrapReply names beside the sender.
const MaxPlaces = 16

// Datagram says that the message needs no link and may be lost.
func (*BootstrapQuery) Datagram() {}

// Datagram says that the message needs no link and may be lost.
func (*BootstrapReply) Datagram() {}
