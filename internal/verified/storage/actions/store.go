package actions

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Store stores the actions of those players one of whose homes lies in the
// node's cell, answers for them, and gives receipts.
type Store struct {
	*part.Part
	hooks    Hooks
	area     *placement.Area
	zones    *placement.Electorate
	receipts *receiptRules
	faults   *faultLog

	actions container
}

// OnStore stores an action, unless it has come too late to be in the next update,
// or too early to be of the present (thesis 5.3.3). In the hardened protocol only what
// the player has signed as a batch counts.
func (as *Store) OnStore(m *messages.Store, came machine.Time) {
	if as.Hardened {
		return
	}
	a := m.Action
	if a == nil || a.Player == nil || as.Time.Late(a, came) || a.At > came.Add(as.Time.Interval()) {
		return
	}
	if as.Cfg.Check != nil && !as.Cfg.Check(a) {
		return
	}
	if !as.hooks.Keeps(a) {
		return
	}
	as.actions.add(as.Time.Of(a.At), a)
}

// OnRetrieveActions answers for a player's actions. In the hardened protocol that is
// what the player has signed as its batch, or nothing, without a signature.
func (as *Store) OnRetrieveActions(by *overlay.Contact, q *messages.RetrieveActions) {
	m := &messages.ActionsResult{Query: q.Query, Signed: as.Hardened}
	if _, st := as.actions.find(q.Player.ID, q.Of); !as.Hardened {
		m.Batch = as.actions.stored(q.Player, q.Of, as.Cache)
	} else if st == nil || !st.sealed {
		m.Batch = as.Cache.Batch(&state.Batch{Player: q.Player, Of: q.Of})
	} else {
		m.Batch, m.Certificate, m.Other = st.batch, st.cert, st.other
	}
	if m.Certificate != nil {
		m.Saved = m.Certificate.SavedBytes(q.Known)
		if as.Cfg.Wire {
			m.Certificate = m.Certificate.Shortened(q.Known)
		}
	}
	if m = as.hooks.AnswerActions(by, q, m); m != nil {
		as.Overlay.Reply(by, m)
	}
}

// BatchesAt are the actions that the node stores of those players one of whose
// homes is wanted.
func (as *Store) BatchesAt(want func(home geom.Point) bool) []*state.Batch {
	return as.actions.take(as.Cache, false, func(p *state.Player) bool { return slices.ContainsFunc(as.area.Homes(p), want) })
}

// All are the actions that the node stores.
func (as *Store) All() []*state.Batch {
	return as.actions.take(as.Cache, false, func(*state.Player) bool { return true })
}

// DropOthers drops the actions of players none of whose homes lies in the node's cell.
func (as *Store) DropOthers() {
	as.actions.take(as.Cache, true, func(p *state.Player) bool { return !as.area.Stores(p) })
}

// Forget drops what no update needs any more.
func (as *Store) Forget(before int64) { as.actions.forget(before) }

// OnDeposit stores a player's actions of an interval and gives a receipt for them. The
// first batch of an interval counts; what comes after t^a does not. What has come
// before and had to wait here is handled later: the other storers are told of it, as of
// all that is not certified at t^a.
func (as *Store) OnDeposit(by *overlay.Contact, m *messages.Deposit, came machine.Time) {
	b := m.Batch
	if b == nil || b.Player == nil || by.ID != b.Player.ID || !as.Time.Accepts(b.Of, as.Env.Now()) || came > as.Time.Actions(b.Of) {
		return
	}
	if !as.receipts.signedBatch(b) {
		return
	}
	s := as.actions.playerLog(b.Player)
	st := s.intervalLog(b.Of)
	if st.sealed && !state.SameBatch(st.batch, b) {
		as.contradicted(s, st, b, nil)
		return
	}
	if st.other != nil {
		return // the player is at fault: nobody has to know when it said which
	}
	first := !st.sealed
	as.seal(st, b)
	if as.Time.BegunBefore(b.Of, as.Started) || !as.Time.BegunBefore(b.Of, as.Env.Now().Add(as.Time.Deviates)) {
		// The node may have given a receipt for another batch and have forgotten it, or
		// may do so after it has been started again: it gives none.
		return
	}
	r := as.receipts.sign(b, as.area.Responsible(b.Player.Home))
	as.receipts.collect(st, r)
	if m.Own != nil && m.Own.Batch != nil {
		as.receipts.collect(st, m.Own.WithBatch(b))
	}
	as.Overlay.Reply(by, as.receiptFor(m, r, s))
	if first && st.cert == nil && as.Env.Now() > as.Time.Actions(b.Of) {
		as.passOn(s, st)
	}
}

// seal makes a batch all that a player has done in an interval.
func (as *Store) seal(st *intervalLog, b *state.Batch) {
	st.actions, st.batch, st.sealed = b.Actions, b, true
}

// receiptFor is the own receipt as it answers a deposit.
func (as *Store) receiptFor(m *messages.Deposit, r *messages.Receipt, of *playerLog) *messages.Receipt {
	out := *r
	if messages.Knows(m.Knows, as.Self.ID) {
		if as.Cfg.Wire {
			out = *r.Shortened()
		}
		out.ReceiverKnows = true
	}
	out.Fresh = len(of.known) == 0
	return &out
}

// OnCertified keeps a certificate with its batch, of which the node has given the
// player a receipt.
func (as *Store) OnCertified(by *overlay.Contact, m *messages.Certified) {
	c := m.Certificate
	if c == nil || c.Batch == nil || c.Batch.Player == nil || by.ID != c.Batch.Player.ID {
		return
	}
	s, st := as.actions.find(by.ID, c.Batch.Of)
	if st == nil || !st.sealed {
		return
	}
	if as.Cfg.Wire && len(c.Batch.Actions) == 0 {
		c = c.WithBatch(st.batch)
	}
	whole := s.known.expandCertificate(c)
	if len(whole.Receipts) < len(c.Receipts) {
		s.known = nil // the player is told so with the next receipt, and names all again
	}
	good := as.receipts.certifies(whole, whole.Batch)
	if good == nil || !as.receipts.signedBatch(whole.Batch) {
		return
	}
	s.known = s.known.withAll(good)
	if !state.SameBatch(st.batch, whole.Batch) {
		as.contradicted(s, st, whole.Batch, good)
	}
	if fuller := st.cert != nil && len(st.cert.Receipts) < len(good) && state.SameBatch(st.batch, whole.Batch); st.cert == nil || fuller {
		as.seal(st, whole.Batch)
		if st.cert = whole; len(good) < len(whole.Receipts) {
			st.cert = &messages.Certificate{Batch: whole.Batch, Receipts: good}
		}
	}
}

// exchange passes batches on that are not certified though it is t^a.
func (as *Store) exchange(of int64) {
	for _, s := range as.actions.order {
		for i := range s.stacks {
			st := &s.stacks[i]
			if st.of == of && st.sealed && st.cert == nil {
				as.passOn(s, st)
			}
		}
	}
}

// passOn tells the other storers of a batch that is not certified.
func (as *Store) passOn(s *playerLog, st *intervalLog) {
	m := &messages.Exchange{Batch: st.batch, Receipts: slices.Clone(st.receipts), Other: st.other}
	for _, home := range as.area.Homes(s.player) {
		for z := range as.Space.Zones() {
			if z != as.Zone || len(as.area.Homes(s.player)) > 1 {
				as.Overlay.Unicast(as.Places.Key(home, z), m)
			}
		}
	}
}

// OnExchange adds other storers' receipts to the own ones. It makes no new
// receipt: whether the batch came in time is what those who had it say.
func (as *Store) OnExchange(m *messages.Exchange) {
	b := m.Batch
	if b == nil || b.Player == nil || !as.Time.Accepts(b.Of, as.Env.Now()) || len(m.Receipts) > as.Space.Zones() || !as.receipts.signedBatch(b) {
		return
	}
	s := as.actions.playerLog(b.Player)
	st := s.intervalLog(b.Of)
	var list []*messages.Receipt
	for _, r := range slices.Concat(m.Receipts, st.known(b)) {
		as.receipts.addReceipt(&list, r, b)
	}
	if st.sealed && !state.SameBatch(st.batch, b) {
		as.contradicted(s, st, b, list)
	}
	if o := m.Other; o != nil && o.Player.ID == b.Player.ID && o.Of == b.Of && !state.SameBatch(o, b) && as.receipts.signedBatch(o) {
		as.learnOther(s, st, b, o)
	}
	if st.cert != nil {
		return
	}
	if len(list) >= as.zones.Quorum() {
		as.seal(st, b)
		st.cert = &messages.Certificate{Batch: b, Receipts: list}
		return
	}
	if !st.sealed || state.SameBatch(st.batch, b) {
		st.heard, st.receipts = b, list
	}
}

// known are the receipts for a batch that the storer has.
func (st *intervalLog) known(b *state.Batch) []*messages.Receipt {
	if state.SameBatch(st.heard, b) || st.sealed && state.SameBatch(st.batch, b) {
		return st.receipts
	}
	return nil
}
