package actions

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The player's side of receipts: its node closes each interval with a deposit, gathers
// the storers' receipts, and hands them the certificate.

// Player is the side of the player at this node: what it has done, and its return.
type Player struct {
	*part.Part
	hooks    Hooks
	area     *placement.Area
	zones    *placement.Electorate
	receipts *receiptRules
	// willCompute reports whether the node has the state of an update, or takes part in
	// making it.
	willCompute func(of int64) bool

	pending        pendingBatch
	signed         int64              // the last interval that a batch was signed for
	toldStorers    map[id.ID][]uint32 // of storers: whom they know from here
	lastActivation *messages.Activate // the last one
}

// pendingBatch is what a player's node has of its own actions: those that are not in a
// deposit yet, and the receipts for the last one.
type pendingBatch struct {
	armed int64           // the interval that is deposited next; 0: none
	acts  []*state.Action // of this interval and later
	batch *state.Batch    // the last deposit
	got   []*messages.Receipt
	cert  *messages.Certificate
	// holders have given a receipt, several of a zone perhaps.
	holders []*overlay.Contact
	known   storers // who have ever given one
}

// addPending notes an action of the own player until its interval is over. Of an interval
// that had begun when the node started it may have signed a batch before, which it has
// forgotten: it signs no second one. Nor does it of an interval that it has signed already,
// if an action of it comes late.
func (op *Player) addPending(a *state.Action) {
	of := op.Time.Of(a.At)
	if op.Time.BegunBefore(of, op.Started) || of <= op.signed {
		return
	}
	op.pending.acts = append(op.pending.acts, a)
	op.armDeposit(of)
}

func (op *Player) armDeposit(of int64) {
	if p := &op.pending; p.armed == 0 || of < p.armed {
		p.armed = of
		op.Env.SetTimer(op.depositAt(of), machine.Timer{Kind: part.TimerDeposit, Arg: uint64(of)})
	}
}

// depositAt is when an interval is over for everybody.
func (op *Player) depositAt(of int64) machine.Time {
	return op.Time.Update(of).Add(2 * op.Time.Deviates)
}

// Deposit closes an interval in all zones; one without actions too, so that it
// is certified that the player has done nothing.
func (op *Player) Deposit(of int64) {
	p := &op.pending
	if p.armed != of {
		return
	}
	if now := op.Env.Now(); now < op.depositAt(of) {
		op.Env.SetTimer(max(op.depositAt(of), now.Add(part.ClockTolerance)), machine.Timer{Kind: part.TimerDeposit, Arg: uint64(of)})
		return
	}
	b := op.sign(of)
	*p = pendingBatch{acts: p.acts, batch: b, known: p.known}
	if op.hooks.Deposits(b) {
		op.sendDeposit(b, nil)
	} else {
		p.batch = nil
	}
	op.Env.SetTimer(op.Env.Now().Add(firstStorerTimeout), machine.Timer{Kind: part.TimerInsist, Arg: uint64(of)})
	if op.Cfg.Updates == 0 || of < op.Cfg.Updates {
		op.armDeposit(of + 1)
	}
}

// sign closes an interval with the player's signature.
func (op *Player) sign(of int64) *state.Batch {
	op.signed = max(op.signed, of)
	b := op.receipts.signBatch(op.closeBatch(of))
	op.hooks.BatchSigned(b)
	return b
}

// closeBatch takes the actions of an interval out of those that are pending.
func (op *Player) closeBatch(of int64) *state.Batch {
	p := &op.pending
	var acts []*state.Action
	p.acts = slices.DeleteFunc(p.acts, func(a *state.Action) bool {
		if op.Time.Of(a.At) != of {
			return false
		}
		acts = append(acts, a)
		return true
	})
	slices.SortFunc(acts, state.CompareActions)
	return op.Cache.Batch(&state.Batch{Player: op.Cfg.Player, Of: of, Actions: acts})
}

// sendDeposit stores a batch in all zones.
func (op *Player) sendDeposit(b *state.Batch, own *messages.Receipt) {
	for z := range op.Space.Zones() {
		knows := op.knownStorersIn(z)
		for _, home := range op.area.Homes(op.Cfg.Player) {
			op.Overlay.Unicast(op.Places.Key(home, z), &messages.Deposit{Batch: b, Knows: knows, Own: own})
		}
	}
}

// LastDeposits closes the intervals of a player whose node leaves. Nobody will
// gather their receipts: the storers pass them on to each other at t^a.
func (op *Player) LastDeposits() {
	if op.pending.armed == 0 || !op.Hardened {
		return
	}
	for of := op.pending.armed; of <= op.Time.Of(op.Env.Now()); of++ {
		b := op.sign(of)
		op.sendDeposit(b, op.ownReceipt(b))
	}
}

// ownReceipt is that of the player's node itself, which leaves and cannot be asked for it
// any more. If its zone is without nodes from now on, one more of the others may so miss
// the batch. Nil: the node does not store it.
func (op *Player) ownReceipt(b *state.Batch) *messages.Receipt {
	if !op.area.Stores(b.Player) {
		return nil
	}
	return op.receipts.sign(b, op.area.Responsible(b.Player.Home))
}

// OnReceipt collects the receipts for the own batch and hands the certificate to
// all who have given one. Where a zone is deserted it does so again with receipts of
// more than half of all zones, if they come: not all may know that fewer are enough.
func (op *Player) OnReceipt(by *overlay.Contact, r *messages.Receipt) {
	p := &op.pending
	if r = p.known.expandReceipt(r); r == nil || r.By == nil || r.By.ID != by.ID {
		return
	}
	if p.batch != nil && r.Batch != nil && op.Cfg.Wire && len(r.Batch.Actions) == 0 {
		r = r.WithBatch(p.batch)
	}
	if p.batch == nil || !op.receipts.goodReceipt(r, p.batch) || slices.ContainsFunc(p.holders, placement.IsContact(r.By)) {
		return
	}
	p.holders = append(p.holders, by)
	p.known = p.known.with(r)
	if r.Fresh {
		delete(op.toldStorers, r.By.ID)
	}
	op.receipts.addReceipt(&p.got, r, p.batch)
	switch enough := len(p.got) >= op.zones.Quorum(); {
	case enough && p.cert == nil, enough && len(p.cert.Receipts) < len(p.got) && len(p.got) <= op.zones.MajorityOfAll():
		p.cert = &messages.Certificate{Batch: p.batch, Receipts: slices.Clone(p.got)}
		for _, by := range p.holders {
			op.Overlay.Reply(by, op.certifiedMessage(by, p.cert))
		}
	case p.cert != nil:
		op.Overlay.Reply(by, op.certifiedMessage(by, p.cert))
	}
}

// storersWithReceipt is how many storers of a zone have given a receipt for the last batch.
func (op *Player) storersWithReceipt(zone int) (count int) {
	for _, by := range op.pending.holders {
		count += state.Indicator(op.Space.Zone(by.Pos) == zone)
	}
	return count
}

// ResendDeposit sends the batch again to the zones in which not all storers have given a
// receipt.
func (op *Player) ResendDeposit(of int64) {
	p := &op.pending
	if p.batch == nil || p.batch.Of != of || !op.Hardened {
		return
	}
	for z := range op.Space.Zones() {
		if op.storersWithReceipt(z) >= op.area.HomesOf() {
			continue
		}
		m := &messages.Deposit{Batch: p.batch, Knows: op.knownStorersIn(z)}
		for _, home := range op.area.Homes(op.Cfg.Player) {
			op.Overlay.Unicast(op.Places.Key(home, z), m)
		}
	}
}

// knownStorersIn are whom the player knows of a zone.
func (op *Player) knownStorersIn(zone int) (out []uint32) {
	for _, s := range op.pending.known {
		if op.Space.Zone(s.who.Pos) == zone {
			out = append(out, messages.Short(s.who.ID))
		}
	}
	return out
}

// certifiedMessage makes the message that hands a storer the certificate of the own batch. It
// remembers whom the storer knows from now on.
func (op *Player) certifiedMessage(by *overlay.Contact, c *messages.Certificate) *messages.Certified {
	m := &messages.Certified{Certificate: c}
	if len(op.toldStorers) >= maxTold {
		clear(op.toldStorers)
	}
	told := op.toldStorers[by.ID]
	m.Saved = c.SavedBytes(told)
	if op.Cfg.Wire {
		m.Certificate = c.Shortened(told)
	}
	for _, r := range c.Receipts {
		if !messages.Knows(told, r.By.ID) {
			told = append(told, messages.Short(r.By.ID))
		}
	}
	op.toldStorers[by.ID] = told[max(0, len(told)-maxStorers):]
	return m
}
