package storage

import "slices"

// receiptRules signs and checks receipts, certificates and batches.
type receiptRules struct {
	*core
	zones *electorate
}

// sign is the node's receipt for a batch.
func (rr *receiptRules) sign(b *Batch) *Receipt {
	r := &Receipt{By: rr.self, Batch: b}
	if rr.cfg.SignReceipt != nil {
		rr.cfg.SignReceipt(r)
	}
	return r
}

// signedBatch reports whether a batch bears its player's signature.
func (rr *receiptRules) signedBatch(b *Batch, signature []byte) bool {
	return rr.cfg.CheckBatch == nil || rr.cfg.CheckBatch(b, signature)
}

// checkBatch reports whether the actions of a batch are its player's and of its
// interval.
func (rr *receiptRules) checkBatch(b *Batch) bool {
	for _, a := range b.Actions {
		if a.Player == nil || a.Player.ID != b.Player.ID || rr.time.of(a.At) != b.Of || rr.cfg.Check != nil && !rr.cfg.Check(a) {
			return false
		}
	}
	return true
}

func (rr *receiptRules) signBatch(b *Batch) []byte {
	if rr.cfg.SignBatch == nil {
		return nil
	}
	return rr.cfg.SignBatch(b)
}

// addReceipt adds a receipt for a batch if it is good and the first of its zone.
func (rr *receiptRules) addReceipt(list *[]*Receipt, r *Receipt, b *Batch) bool {
	if r == nil || r.By == nil {
		return false
	}
	zone := rr.space.Zone(r.By.Pos)
	if slices.ContainsFunc(*list, func(o *Receipt) bool { return rr.space.Zone(o.By.Pos) == zone }) {
		return false
	}
	if !rr.goodReceipt(r, b) {
		return false
	}
	*list = append(*list, r)
	return true
}

// goodReceipt reports whether a receipt is its storer's and for a batch.
func (rr *receiptRules) goodReceipt(r *Receipt, b *Batch) bool {
	return r != nil && r.By != nil && r.Batch != nil && sameBatch(r.Batch, b) && r.Batch.Player.ID == b.Player.ID && r.Batch.Of == b.Of &&
		(rr.cfg.CheckReceipt == nil || rr.cfg.CheckReceipt(r))
}

// goodOf returns the good receipts of a certificate for a batch, one a zone.
func (rr *receiptRules) goodOf(c *Certificate, b *Batch) (list []*Receipt) {
	if c == nil || b == nil || len(c.Receipts) > rr.space.Zones() {
		return nil
	}
	for _, r := range c.Receipts {
		rr.addReceipt(&list, r, b)
	}
	return list
}

// certifies returns the good receipts of a certificate; nil: they are too few.
func (rr *receiptRules) certifies(c *Certificate, b *Batch) []*Receipt {
	if list := rr.goodOf(c, b); len(list) >= rr.zones.quorum() {
		return list
	}
	return nil
}

// collect adds a receipt to those of a stored batch; with enough of them there is a
// certificate.
func (rr *receiptRules) collect(st *intervalLog, r *Receipt) {
	if st.cert != nil || !rr.addReceipt(&st.receipts, r, st.batch) || len(st.receipts) < rr.zones.quorum() {
		return
	}
	st.cert = &Certificate{st.batch, st.receipts}
}
