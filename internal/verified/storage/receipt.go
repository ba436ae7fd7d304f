package storage

import "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"

// Deposit stores all that a player has done in an interval, signed as one batch (in the
// hardened protocol). There is one for each player and interval.
type Deposit struct {
	Batch *Batch
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
	Batch *Batch // on the wire its player and interval: who asked for the receipt has it
	// First: the storer is the one in whose cell the player's own home lies. An honest
	// one signs one batch of an interval, so that only these count for certificates:
	// any two of them have a zone in common.
	First bool
	// Certificate says who the storer is and where it stands, Signature is the
	// storer's. Who makes and checks them is the driver's business
	// (Config.SignReceipt, Config.CheckReceipt).
	Certificate, Signature []byte
	// Short is the beginning of the storer's id, on the wire, instead of By and
	// Certificate, which the receiver has.
	Short uint32
	// Fresh: the storer knows nobody by the player's certificates, on the way to the
	// player.
	Fresh bool
	known bool // the receiver has By and Certificate, on the way to the player
}

// Certificate is a batch with receipts of more than half of the zones: one copy
// of it is enough.
type Certificate struct {
	Batch    *Batch
	Receipts []*Receipt // one a zone
}

// Certified hands a storer the certificate of the batch that it has.
type Certified struct {
	Certificate *Certificate
	saved       int // bytes, because the storer has some of it
}

// Exchange passes a batch that is not certified at t^a on to the other storers,
// with the receipts that are known: a player cannot have it certified with some
// and hide it from others.
type Exchange struct {
	Batch    *Batch
	Receipts []*Receipt
	// Other is a second batch that the player has signed for the same interval; nil:
	// none is known.
	Other *Batch
}

// Sizes on the wire. A receipt names the storer by its contact and its certificate,
// and is signed.
const (
	sizeCertificate = 149
	sizeReceipt     = sizeContact + sizeCertificate + sizeSignature
	sizeSignature   = 64
	// sizeEnvelope is what makes an answer evidence: its node's certificate and
	// signature (node.Answer).
	sizeEnvelope = sizeCertificate + sizeSignature
)

// Size makes messages known to simulations.
func (m *Deposit) Size() int {
	size := 1 + 20 + 8 + sizeShort*len(m.Knows)
	if m.Own != nil {
		size += sizeReceipt
	}
	return size + m.Batch.size()
}

// Size makes messages known to simulations.
func (m *Receipt) Size() int {
	if m.known {
		return 1 + 20 + 8 + sizeBrieflySigned
	}
	return 1 + 20 + 8 + sizeReceipt
}

// Size makes messages known to simulations.
func (m *Certified) Size() int { return 1 + 20 + 8 + m.Certificate.size() - m.saved }

// Size makes messages known to simulations.
func (m *Exchange) Size() int {
	size := 1 + 20 + 8 + m.Batch.size() + sizeReceipt*len(m.Receipts)
	if m.Other != nil {
		size += m.Other.size()
	}
	return size
}

func (c *Certificate) size() int { return sizeReceipt * len(c.Receipts) }

// of is a receipt that came without the actions of its batch, with those of the one
// that is known.
func (r *Receipt) of(b *Batch) *Receipt {
	out := *r
	out.Batch = r.Batch.filled(b)
	return &out
}

// of is a certificate that came without the actions of its batch, with those of the
// one that is stored here.
func (c *Certificate) of(b *Batch) *Certificate {
	out := &Certificate{Batch: b}
	for _, r := range c.Receipts {
		if r != nil && r.Batch != nil {
			out.Receipts = append(out.Receipts, r.of(b))
		}
	}
	return out
}
