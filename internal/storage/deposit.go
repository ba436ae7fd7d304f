package storage

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
)

// The player's side of receipts: its node closes each interval with a deposit, gathers
// the storers' receipts, and hands them the certificate.

// pending is what a player's node has of its own actions: those that are not in a
// deposit yet, and the receipts for the last one.
type pendingBatch struct {
	armed int64     // the interval that is deposited next; 0: none
	acts  []*Action // of this interval and later
	batch *Batch    // the last deposit
	got   []*Receipt
	cert  *Certificate
	// storersWithReceipt have given a receipt, several of a zone perhaps.
	holders []*overlay.Contact
	known   storers // who have ever given one
}

// addPending notes an action of the own player until its interval is over.
func (n *Node) addPending(a *Action) {
	n.pending.acts = append(n.pending.acts, a)
	n.armDeposit(n.time.of(a.At))
}

func (n *Node) armDeposit(of int64) {
	if p := &n.pending; p.armed == 0 || of < p.armed {
		p.armed = of
		n.env.SetTimer(n.depositAt(of), machine.Timer{Kind: timerDeposit, Arg: uint64(of)})
	}
}

// settled is how long single actions have to be stored, before the batch that
// names them follows.
const settled = 250 * time.Millisecond

// depositAt is when an interval is over for everybody, and its last actions are
// stored in most cases.
func (n *Node) depositAt(of int64) machine.Time {
	return n.time.update(of).Add(2*n.time.deviates + settled)
}

// deposit closes an interval in all zones; one without actions too, so that it
// is certified that the player has done nothing.
func (n *Node) deposit(of int64) {
	p := &n.pending
	if p.armed != of {
		return
	}
	if now := n.env.Now(); now < n.depositAt(of) {
		n.env.SetTimer(max(n.depositAt(of), now.Add(patience)), machine.Timer{Kind: timerDeposit, Arg: uint64(of)})
		return
	}
	b := n.closeBatch(of)
	*p = pendingBatch{acts: p.acts, batch: b, known: p.known}
	n.sendDeposit(p.batch, nil)
	n.env.SetTimer(n.env.Now().Add(firstStorerTimeout), machine.Timer{Kind: timerInsist, Arg: uint64(of)})
	if n.cfg.Updates == 0 || of < n.cfg.Updates {
		n.armDeposit(of + 1)
	}
}

// closeBatch takes the actions of an interval out of the purse.
func (n *Node) closeBatch(of int64) *Batch {
	p := &n.pending
	var acts []*Action
	p.acts = slices.DeleteFunc(p.acts, func(a *Action) bool {
		if n.time.of(a.At) != of {
			return false
		}
		acts = append(acts, a)
		return true
	})
	slices.SortFunc(acts, order)
	return n.cache.batch(&Batch{Player: n.cfg.Player, Of: of, Actions: acts})
}

// sendDeposit stores a batch in all zones.
func (n *Node) sendDeposit(b *Batch, own *Receipt) {
	signature := n.signBatch(b)
	for z := range n.space.Zones() {
		knows := n.knownStorersIn(z)
		for k, home := range n.homes(n.cfg.Player) {
			whole := k > 0 // single actions go to the first home only
			n.overlay.Unicast(n.places.key(home, z), &Deposit{Batch: b, Whole: whole, Knows: knows, Signature: signature, Own: own})
		}
	}
}

// lastDeposits closes the intervals of a player whose node leaves. Nobody will
// gather their receipts: the storers pass them on to each other at t^a.
func (n *Node) lastDeposits() {
	if n.pending.armed == 0 || !n.storers() {
		return
	}
	for of := n.pending.armed; of <= n.time.of(n.env.Now()); of++ {
		b := n.closeBatch(of)
		n.sendDeposit(b, n.ownReceipt(b))
	}
	n.drain()
}

// ownReceipt is that of the player's node itself, which leaves and cannot be asked for it
// any more. If its zone is without nodes from now on, one more of the others may so miss
// the batch. Nil: the node does not store it.
func (n *Node) ownReceipt(b *Batch) *Receipt {
	if !n.stores(b.Player) {
		return nil
	}
	return n.sign(b)
}

func (n *Node) signBatch(b *Batch) []byte {
	if n.cfg.SignBatch == nil {
		return nil
	}
	return n.cfg.SignBatch(b)
}

// onReceipt collects the receipts for the own batch and hands the certificate to
// all who have given one. Where a zone is deserted it does so again with receipts of
// more than half of all zones, if they come: not all may know that fewer are enough.
func (n *Node) onReceipt(by *overlay.Contact, r *Receipt) {
	p := &n.pending
	if r = p.known.expandReceipt(r); r == nil || r.By == nil || r.By.ID != by.ID {
		return
	}
	if p.batch != nil && r.Batch != nil && n.cfg.Wire && len(r.Batch.Actions) == 0 {
		r = r.of(p.batch)
	}
	if p.batch == nil || !n.goodReceipt(r, p.batch) || slices.ContainsFunc(p.holders, isContact(r.By)) {
		return
	}
	p.holders = append(p.holders, by)
	if n.cfg.Protocol.Terse {
		p.known = p.known.with(r)
		if r.Fresh {
			delete(n.toldStorers, r.By.ID)
		}
	}
	n.addReceipt(&p.got, r, p.batch)
	switch enough := len(p.got) >= n.quorum(); {
	case enough && p.cert == nil, enough && len(p.cert.Receipts) < len(p.got) && len(p.got) <= n.majorityOfAll():
		p.cert = &Certificate{p.batch, slices.Clone(p.got)}
		for _, by := range p.holders {
			n.overlay.Reply(by, n.certifiedMessage(by, p.cert))
		}
	case p.cert != nil:
		n.overlay.Reply(by, n.certifiedMessage(by, p.cert))
	}
}
