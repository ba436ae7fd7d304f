package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The retrieval of what the players of the update area have done (thesis 5.5.2), from
// t^a until t^s: who is asked, what answers count, and when enough have come. How
// batches are counted stands in storers.go.

// actionRetrieval retrieves the players' actions for the next update.
type actionRetrieval struct {
	*part.Part
	hooks    *hooks
	area     *placement.Area
	zones    *placement.Electorate
	receipts *receiptRules
	known    *placement.Acquaintances
	faults   *faultLog
	store    *actionStore
	queries  *retrievals
	updates  *updater

	storing map[id.ID]storers // of players: who are known to store their actions
}

// actionQuery is a running retrieval of a player's actions (thesis 5.5.2).
type actionQuery struct {
	player *state.Player
	at     geom.Point // of its character
	began  machine.Time
	got    []*state.Batch // by zone and home
	count  int            // of these
	heard  int            // answers
	result *state.Batch
	votes  int
	by     []*messages.Receipt // for result, if that is certified
	double [2]*state.Batch     // that the player has signed both; nil: none are known
	done   bool
	ask    *messages.RetrieveActions // of further storers; nil: all have been asked
	wave   int                       // that is asked next (see waveOf)
	sent   int                       // questions
}

// askActions retrieves the actions of all players in the update area, from where
// each player's are stored.
func (ar *actionRetrieval) askActions(of int64) {
	c := &ar.updates.cycle
	if c.query != nil {
		ar.queries.conclude(c.query)
	}
	if c.from == nil || c.to != of {
		ar.updates.failed(of)
		return
	}
	players := c.from.WithTentative().Players(&c.from.Cover, &ar.World, nil)
	ar.keepStorers(players)
	c.asked = ar.actionQueries(players)
	c.open, c.asking, c.missing = len(players), true, false
	for i := range c.asked {
		ar.askForActions(i)
	}
	if ar.Hardened {
		ar.store.exchange(of)
		ar.Env.SetTimer(ar.Env.Now().Add(firstStorerPatience), machine.Timer{Kind: part.TimerHurry, Arg: uint64(of)})
	}
	if c.open == 0 {
		ar.updates.update()
	}
}

// keepStorers forgets who stores the actions of those who are gone.
func (ar *actionRetrieval) keepStorers(players []*state.Object) {
	before := ar.storing
	ar.storing = make(map[id.ID]storers, len(players))
	for _, o := range players {
		if known := before[o.Player.ID]; len(known) > 0 && len(known) <= ar.Space.Zones()*ar.area.HomesOf() {
			ar.storing[o.Player.ID] = known
		}
	}
}

// actionQueries are the retrievals of what these players have done.
func (ar *actionRetrieval) actionQueries(players []*state.Object) []actionQuery {
	slots := ar.Space.Zones() * ar.area.HomesOf()
	out, got := make([]actionQuery, len(players)), make([]*state.Batch, slots*len(players))
	for i, o := range players {
		out[i] = actionQuery{player: o.Player, at: o.Pos, began: ar.Env.Now(), got: got[i*slots : (i+1)*slots : (i+1)*slots]}
	}
	return out
}

// askForActions asks for one player's actions: some of the storers first (askWave), or, in
// the thesis, one in each zone.
func (ar *actionRetrieval) askForActions(i int) {
	c := &ar.updates.cycle
	p := &c.asked[i]
	q := &messages.RetrieveActions{Query: uint64(c.to)<<slotBits | uint64(i*ar.area.HomesOf()), Player: p.player, Of: c.to, Known: ar.storing[p.player.ID].shortNames()}
	if ar.Hardened {
		p.ask = q
		ar.askWave(p)
		return
	}
	for z := range ar.Space.Zones() {
		ar.Overlay.Unicast(ar.Places.Key(p.player.Home, z), q)
	}
}

// onActionsResult takes the answer of one zone.
func (ar *actionRetrieval) onActionsResult(from *overlay.Contact, m *messages.ActionsResult) {
	if ar.Hardened {
		ar.onSignedActions(from, m)
		return
	}
	c := &ar.updates.cycle
	i := int(m.Query & (1<<slotBits - 1))
	if !c.asking || int64(m.Query>>slotBits) != c.to || i >= len(c.asked) {
		return
	}
	q := &c.asked[i]
	slot := ar.Space.Zone(from.Pos)
	if q.done || q.got[slot] != nil || m.Batch == nil || m.Batch.Player.ID != q.player.ID || m.Batch.Of != c.to {
		return
	}
	q.count++
	q.heard++
	q.got[slot] = m.Batch
	if b, votes := ar.countBatches(q); votes > q.votes {
		q.result, q.votes = b, votes
	}
	if q.votes >= ar.zones.VotesNeeded() || q.count == len(q.got) {
		ar.endActionQueryOnce(q)
	}
}

// askIfIdle asks more storers once all who were asked have answered.
func (ar *actionRetrieval) askIfIdle(q *actionQuery) {
	if q.count >= q.sent || !ar.Hardened {
		ar.askWave(q)
	}
}

// endActionQueryOnce ends one retrieval; the update follows the last one.
func (ar *actionRetrieval) endActionQueryOnce(q *actionQuery) {
	ar.endActionQuery(q)
	if ar.updates.cycle.open == 0 {
		ar.updates.update()
	}
}

// endActionQuery takes what a retrieval has brought.
func (ar *actionRetrieval) endActionQuery(q *actionQuery) {
	q.done = true
	ar.updates.cycle.open--
	if q.double[0] != nil && q.by == nil {
		// The player has signed two batches, and none is certified: nothing counts.
		q.result, q.votes = ar.Cache.Batch(&state.Batch{Player: q.player, Of: ar.updates.cycle.to}), ar.zones.VotesNeeded()
	}
	if ar.Hardened && q.votes < ar.zones.VotesNeeded() {
		q.result = nil
		if q.count >= ar.zones.VotesNeeded()*ar.area.HomesOf() && !ar.mayCount(q) {
			// Enough zones have answered, and no batch has a majority: only what has
			// one is included. All who ask see it alike.
			q.result = ar.Cache.Batch(&state.Batch{Player: q.player, Of: ar.updates.cycle.to})
		}
	}
	if q.result == nil {
		ar.updates.cycle.missing = true
	}
	if ar.hooks.measures() {
		r := Report{
			Kind: messages.ForActions, Of: ar.updates.cycle.to, Player: q.player, Took: ar.Env.Now().Sub(q.began),
			Answers: q.heard, Votes: q.votes, Zones: ar.Space.Zones(),
		}
		if q.result != nil {
			r.Batches = []*state.Batch{q.result}
		}
		ar.hooks.retrieved(r)
	}
}

// finishActions is the timeout of the retrievals of actions: what has most votes
// counts (thesis 5.2.2).
func (ar *actionRetrieval) finishActions() {
	c := &ar.updates.cycle
	if !c.asking {
		return
	}
	for i := range c.asked {
		if q := &c.asked[i]; !q.done {
			ar.endActionQuery(q)
		}
	}
	ar.updates.update()
}
