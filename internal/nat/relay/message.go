package relay

import "github.com/voxelpopuli/voxelpopuli/internal/id"

// Bounds of an Offer.
const (
	MaxCandidates = 16
	maxCandidate  = 256
	maxSecret     = 64
)

// Messages between a node and the node that helps it. To the helper, Peer is who
// it is for; from the helper, who it is from.
type (
	// Signal carries an offer. Answer: it is the answer to one.
	Signal struct {
		Peer   id.ID
		Answer bool
		Offer  Offer
	}
	// Open asks for a circuit, or keeps it; from the helper: it is open.
	Open struct{ Peer id.ID }
	// Packet is one that goes through a circuit.
	Packet struct {
		Peer id.ID
		Data []byte
	}
)

// Offer is what a node tells another so that they can find a path: what ICE
// (RFC 8445) calls credentials and candidates.
type Offer struct {
	Name, Secret string
	Candidates   []string
}

// Sane reports whether an offer from elsewhere keeps to the bounds.
func (o *Offer) Sane() bool {
	if len(o.Name) < 4 || len(o.Name) > maxSecret || len(o.Secret) < 22 || len(o.Secret) > maxSecret || len(o.Candidates) > MaxCandidates {
		return false
	}
	for _, c := range o.Candidates {
		if len(c) > maxCandidate {
			return false
		}
	}
	return true
}
