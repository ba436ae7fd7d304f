package messages

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Deposit stores all that a player has done in an interval, signed as one batch (in the
// hardened protocol). There is one for each player and interval.
type Deposit struct {
	Batch *state.Batch
	// Knows are those whom the player knows of the zone that this goes to, by the
	// beginnings of their ids.
	Knows []uint32
	// Own is the receipt of the player's node itself, if that stores the batch and is
	// leaving; nil otherwise.
	Own *Receipt
}

// Receipt is a storer's signed word that it had a player's batch before t^a.
type Receipt struct {
	By    *overlay.Contact
	Batch *state.Batch // on the wire its player and interval: who asked for the receipt has it
	// First: the storer is the one in whose cell the player's own home lies. An honest
	// one signs one batch of an interval, so that only these count for certificates:
	// any two of them have a zone in common.
	First bool
	// Certificate says who the storer is and where it stands, Signature is the
	// storer's. Who makes and checks them is the driver's business
	// (storage.Config).
	Certificate, Signature []byte
	// Short is the beginning of the storer's id, on the wire, instead of By and
	// Certificate, which the receiver has.
	Short uint32
	// Fresh: the storer knows nobody by the player's certificates, on the way to the
	// player.
	Fresh         bool
	ReceiverKnows bool // the receiver has By and Certificate, on the way to the player
}

// Certificate is a batch with receipts of more than half of the zones: one copy
// of it is enough.
type Certificate struct {
	Batch    *state.Batch
	Receipts []*Receipt // one a zone
}

// Certified hands a storer the certificate of the batch that it has.
type Certified struct {
	Certificate *Certificate
	Saved       int // bytes, because the storer has some of it
}

// Exchange passes a batch that is not certified at t^a on to the other storers,
// with the receipts that are known: a player cannot have it certified with some
// and hide it from others.
type Exchange struct {
	Batch    *state.Batch
	Receipts []*Receipt
	// Other is a second batch that the player has signed for the same interval; nil:
	// none is known.
	Other *state.Batch
}

// Sizes on the wire. A receipt names the storer by its contact and its certificate,
// and is signed.
const (
	sizeCertificate = 149
	SizeReceipt     = sizeContact + sizeCertificate + sizeSignature
	sizeSignature   = 64
	// sizeEnvelope is what makes an answer evidence: its node's certificate and
	// signature (verifiedworld.Answer).
	sizeEnvelope = sizeCertificate + sizeSignature
)

// Size makes messages known to simulations.
func (m *Deposit) Size() int {
	size := 1 + 20 + 8 + sizeShort*len(m.Knows)
	if m.Own != nil {
		size += SizeReceipt
	}
	return size + m.Batch.Size()
}

// Size makes messages known to simulations.
func (m *Receipt) Size() int {
	if m.ReceiverKnows {
		return 1 + 20 + 8 + SizeBrieflySigned
	}
	return 1 + 20 + 8 + SizeReceipt
}

// Size makes messages known to simulations.
func (m *Certified) Size() int { return 1 + 20 + 8 + m.Certificate.size() - m.Saved }

// Size makes messages known to simulations.
func (m *Exchange) Size() int {
	size := 1 + 20 + 8 + m.Batch.Size() + SizeReceipt*len(m.Receipts)
	if m.Other != nil {
		size += m.Other.Size()
	}
	return size
}

func (c *Certificate) size() int { return SizeReceipt * len(c.Receipts) }

// WithBatch is a receipt that came without the actions of its batch, with those of the one
// that is known.
func (r *Receipt) WithBatch(b *state.Batch) *Receipt {
	out := *r
	out.Batch = r.Batch.Filled(b)
	return &out
}

// WithBatch is a certificate that came without the actions of its batch, with those of the
// one that is stored here.
func (c *Certificate) WithBatch(b *state.Batch) *Certificate {
	out := &Certificate{Batch: b}
	for _, r := range c.Receipts {
		if r != nil && r.Batch != nil {
			out.Receipts = append(out.Receipts, r.WithBatch(b))
		}
	}
	return out
}
