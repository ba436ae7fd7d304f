package actions

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// receiptRules signs and checks receipts, certificates and batches.
type receiptRules struct {
	*part.Part
	zones *placement.Electorate
	known *placement.Acquaintances
}

// modelled stands for a signature where none is made, in simulations.
var modelled = []byte("signed")

// sign is the node's receipt for a batch; first: the player's own home is in its cell.
func (rr *receiptRules) sign(b *state.Batch, first bool) *messages.Receipt {
	r := &messages.Receipt{By: rr.Self, Batch: b, First: first}
	if rr.Cfg.SignReceipt != nil {
		rr.Cfg.SignReceipt(r)
	}
	return r
}

// signedBatch reports whether a batch bears its player's signature, and its actions are
// its player's and of its interval.
func (rr *receiptRules) signedBatch(b *state.Batch) bool {
	return b != nil && b.Signature != nil && rr.checkBatch(b) && (rr.Cfg.CheckBatch == nil || rr.Cfg.CheckBatch(b))
}

// checkBatch reports whether the actions of a batch are its player's and of its
// interval.
func (rr *receiptRules) checkBatch(b *state.Batch) bool {
	for _, a := range b.Actions {
		if a.Player == nil || a.Player.ID != b.Player.ID || rr.Time.Of(a.At) != b.Of || rr.Cfg.Check != nil && !rr.Cfg.Check(a) {
			return false
		}
	}
	return true
}

// signBatch is a batch of the own player, signed.
func (rr *receiptRules) signBatch(b *state.Batch) *state.Batch {
	if rr.Cfg.SignBatch == nil {
		return rr.Cache.Batch(b.Signed(modelled))
	}
	return rr.Cache.Batch(b.Signed(rr.Cfg.SignBatch(b)))
}

// addReceipt adds a receipt for a batch if it counts for a certificate and is the first
// of its zone.
func (rr *receiptRules) addReceipt(list *[]*messages.Receipt, r *messages.Receipt, b *state.Batch) bool {
	if r == nil || r.By == nil || !r.First {
		return false
	}
	zone := rr.Space.Zone(r.By.Pos)
	if slices.ContainsFunc(*list, func(o *messages.Receipt) bool { return rr.Space.Zone(o.By.Pos) == zone }) {
		return false
	}
	if !rr.goodReceipt(r, b) || !rr.known.MayBeResponsible(r.By, b.Player.Home) {
		return false
	}
	*list = append(*list, r)
	return true
}

// goodReceipt reports whether a receipt is its storer's and for a batch.
func (rr *receiptRules) goodReceipt(r *messages.Receipt, b *state.Batch) bool {
	return r != nil && r.By != nil && r.Batch != nil && state.SameBatch(r.Batch, b) && r.Batch.Player.ID == b.Player.ID && r.Batch.Of == b.Of &&
		(rr.Cfg.CheckReceipt == nil || rr.Cfg.CheckReceipt(r))
}

// goodOf returns the good receipts of a certificate for a batch, one a zone.
func (rr *receiptRules) goodOf(c *messages.Certificate, b *state.Batch) (list []*messages.Receipt) {
	if c == nil || b == nil || len(c.Receipts) > rr.Space.Zones() {
		return nil
	}
	for _, r := range c.Receipts {
		rr.addReceipt(&list, r, b)
	}
	return list
}

// certifies returns the good receipts of a certificate; nil: they are too few.
func (rr *receiptRules) certifies(c *messages.Certificate, b *state.Batch) []*messages.Receipt {
	if list := rr.goodOf(c, b); len(list) >= rr.zones.Quorum() {
		return list
	}
	return nil
}

// collect adds a receipt to those of a stored batch; with enough of them there is a
// certificate.
func (rr *receiptRules) collect(st *intervalLog, r *messages.Receipt) {
	if st.cert != nil || !rr.addReceipt(&st.receipts, r, st.batch) || len(st.receipts) < rr.zones.Quorum() {
		return
	}
	st.cert = &messages.Certificate{Batch: st.batch, Receipts: st.receipts}
}
