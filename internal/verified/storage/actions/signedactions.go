package actions

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// How answers about a player's actions count in the hardened protocol. An answer counts
// for the zone and home that were asked, once, and by the number of that question alone,
// which nobody else knows. What the player has signed counts, whoever sends it. That a
// storer has nothing is only the absence of what somebody else may have, and its sender
// must be one who can be responsible there.

// slotBits are the bits of a question's number that say which it is.
const slotBits = 20

// number is that of the question for the actions of the i-th player at one of its homes
// in a zone: who is asked can answer it, or who is on the way, and nobody else.
func (ar *Retrieval) number(i, home, zone int) uint64 {
	low := uint64(i*ar.area.HomesOf() + home)
	secret := ar.Cfg.Secret
	if secret == nil {
		secret = ar.Self.ID[:]
	}
	b := append(slices.Clone(secret), "actions"...)
	b = binary.BigEndian.AppendUint64(b, uint64(ar.of))
	b = binary.BigEndian.AppendUint64(b, low)
	d := id.Of(append(b, byte(zone)))
	return binary.BigEndian.Uint64(d[:])<<slotBits | low
}

// question finds the question that an answer is to: of which player, at which home; nil:
// it was not asked.
func (ar *Retrieval) question(from *overlay.Contact, m *messages.ActionsResult) (q *Query, home int) {
	low, zone := int(m.Query&(1<<slotBits-1)), ar.Space.Zone(from.Pos)
	i, home := low/ar.area.HomesOf(), low%ar.area.HomesOf()
	if !ar.Asking || i >= len(ar.asked) || m.Query != ar.number(i, home, zone) {
		return nil, 0
	}
	q = &ar.asked[i]
	if m.Batch == nil || m.Batch.Player.ID != q.Player.ID || m.Batch.Of != ar.of || ar.waveOf(home, zone) >= q.wave {
		return nil, 0
	}
	return q, home
}

// onSignedActions takes an answer.
func (ar *Retrieval) onSignedActions(from *overlay.Contact, m *messages.ActionsResult) {
	q, home := ar.question(from, m)
	if q == nil {
		return
	}
	b := m.Batch
	if b.Signature == nil || !ar.receipts.signedBatch(b) {
		if !ar.known.MayBeResponsible(from, ar.area.Homes(q.Player)[home]) {
			return // somebody on the way; who stores it may answer yet
		}
		b = ar.Cache.Batch(&state.Batch{Player: q.Player, Of: b.Of}) // it has nothing
		m = &messages.ActionsResult{Query: m.Query, Batch: b}
	}
	known := ar.storing[q.Player.ID]
	good := ar.receipts.goodOf(known.expandCertificate(m.Certificate), b)
	ar.compare(q, m, good)
	if q.done {
		return
	}
	if len(good) > 0 && len(good) >= ar.zones.Quorum() {
		q.Heard++
		q.Result, q.Votes, q.by = b, len(good), good
		ar.storing[q.Player.ID] = known.withAll(good)
		ar.endActionQueryOnce(q)
		return
	}
	defer ar.askIfIdle(q)
	slot := ar.Space.Zone(from.Pos)*ar.area.HomesOf() + home
	switch {
	case q.got[slot] == nil:
		q.count++
	case q.got[slot].Signature != nil || b.Signature == nil:
		return // somebody has answered already
	}
	q.Heard++
	q.got[slot] = b
	q.Result, q.Votes = ar.countBatches(q)
	if q.Votes >= ar.zones.VotesNeeded() && !q.waitsForAll() || q.count == len(q.got) {
		ar.endActionQueryOnce(q)
	}
}

// compare looks whether an answer shows that the player has signed two batches. It does
// so of late answers, too, which count for nothing else.
func (ar *Retrieval) compare(q *Query, m *messages.ActionsResult, good []*messages.Receipt) {
	b := m.Batch
	if b.Signature == nil {
		return
	}
	note := func(o *state.Batch, by []*messages.Receipt) {
		if o != nil && o.Signature != nil && !state.SameBatch(o, b) {
			q.double = [2]*state.Batch{o, b}
			ar.faults.contradict(o, b, by, good)
		}
	}
	if o := m.Other; o != nil && o.Player.ID == b.Player.ID && o.Of == b.Of && ar.receipts.signedBatch(o) {
		note(o, nil)
	}
	if q.by != nil {
		note(q.Result, q.by)
	}
	for _, o := range q.got {
		note(o, nil)
	}
}
