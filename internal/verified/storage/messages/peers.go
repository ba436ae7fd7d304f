package messages

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// PeerQuery asks a neighbour whom it knows that holds something of the update area in
// some zones: it has come there over other nodes.
type PeerQuery struct {
	Query uint64
	Zones []uint8
}

// PeerReply answers it.
type PeerReply struct {
	Query uint64
	Nodes []*overlay.Contact
}

// Size makes messages known to simulations.
func (m *PeerQuery) Size() int { return 1 + 8 + 1 + len(m.Zones) }

// Size makes messages known to simulations.
func (m *PeerReply) Size() int { return 1 + 8 + 1 + sizeContact*len(m.Nodes) }
