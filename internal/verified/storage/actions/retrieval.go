package actions

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

// Retrieval retrieves the players' actions for the next update.
type Retrieval struct {
	*part.Part
	hooks    Hooks
	area     *placement.Area
	zones    *placement.Electorate
	receipts *receiptRules
	known    *placement.Acquaintances
	faults   *faultLog
	store    *Store
	complete func() // when the last retrieval has ended

	of      int64 // the update that the actions are for
	asked   []Query
	open    int // of these, without result
	Asking  bool
	missing bool              // actions of somebody could not be found out
	storing map[id.ID]storers // of players: who are known to store their actions
}

// Query is a running retrieval of a player's actions (thesis 5.5.2).
type Query struct {
	Player *state.Player
	At     geom.Point // of its character
	Began  machine.Time
	got    []*state.Batch // by zone and home
	count  int            // of these
	Heard  int            // answers
	Result *state.Batch
	Votes  int
	by     []*messages.Receipt // for result, if that is certified
	double [2]*state.Batch     // that the player has signed both; nil: none are known
	done   bool
	ask    *messages.RetrieveActions // of further storers; nil: all have been asked
	wave   int                       // that is asked next (see waveOf)
	sent   int                       // questions
}

// Ask retrieves the actions of some players in the interval before an update, from where
// each player's are stored.
func (ar *Retrieval) Ask(of int64, players []*state.Object) {
	ar.keepStorers(players)
	ar.of, ar.asked = of, ar.actionQueries(players)
	ar.open, ar.Asking, ar.missing = len(players), true, false
	for i := range ar.asked {
		ar.askForActions(i)
	}
	if ar.Hardened {
		ar.store.exchange(of)
		ar.Env.SetTimer(ar.Env.Now().Add(firstStorerPatience), machine.Timer{Kind: part.TimerHurry, Arg: uint64(of)})
	}
	if ar.open == 0 {
		ar.complete()
	}
}

// Take ends the retrieval and returns its results, and whether the actions of somebody
// could not be found out.
func (ar *Retrieval) Take() (results []Query, missing bool) {
	results, ar.asked, ar.Asking = ar.asked, nil, false
	return results, ar.missing
}

// keepStorers forgets who stores the actions of those who are gone.
func (ar *Retrieval) keepStorers(players []*state.Object) {
	before := ar.storing
	ar.storing = make(map[id.ID]storers, len(players))
	for _, o := range players {
		if known := before[o.Player.ID]; len(known) > 0 && len(known) <= ar.Space.Zones()*ar.area.HomesOf() {
			ar.storing[o.Player.ID] = known
		}
	}
}

// actionQueries are the retrievals of what these players have done.
func (ar *Retrieval) actionQueries(players []*state.Object) []Query {
	slots := ar.Space.Zones() * ar.area.HomesOf()
	out, got := make([]Query, len(players)), make([]*state.Batch, slots*len(players))
	for i, o := range players {
		out[i] = Query{Player: o.Player, At: o.Pos, Began: ar.Env.Now(), got: got[i*slots : (i+1)*slots : (i+1)*slots]}
	}
	return out
}

// askForActions asks for one player's actions: some of the storers first (askWave), or, in
// the thesis, one in each zone.
func (ar *Retrieval) askForActions(i int) {
	p := &ar.asked[i]
	q := &messages.RetrieveActions{Query: uint64(ar.of)<<slotBits | uint64(i*ar.area.HomesOf()), Player: p.Player, Of: ar.of, Known: ar.storing[p.Player.ID].shortNames()}
	if ar.Hardened {
		p.ask = q
		ar.askWave(p)
		return
	}
	for z := range ar.Space.Zones() {
		ar.Overlay.Unicast(ar.Places.Key(p.Player.Home, z), q)
	}
}

// OnActionsResult takes the answer of one zone.
func (ar *Retrieval) OnActionsResult(from *overlay.Contact, m *messages.ActionsResult) {
	if ar.Hardened {
		ar.onSignedActions(from, m)
		return
	}
	i := int(m.Query & (1<<slotBits - 1))
	if !ar.Asking || int64(m.Query>>slotBits) != ar.of || i >= len(ar.asked) {
		return
	}
	q := &ar.asked[i]
	slot := ar.Space.Zone(from.Pos)
	if q.done || q.got[slot] != nil || m.Batch == nil || m.Batch.Player.ID != q.Player.ID || m.Batch.Of != ar.of {
		return
	}
	q.count++
	q.Heard++
	q.got[slot] = m.Batch
	if b, votes := ar.countBatches(q); votes > q.Votes {
		q.Result, q.Votes = b, votes
	}
	if q.Votes >= ar.zones.VotesNeeded() || q.count == len(q.got) {
		ar.endActionQueryOnce(q)
	}
}

// askIfIdle asks more storers once all who were asked have answered.
func (ar *Retrieval) askIfIdle(q *Query) {
	if q.count >= q.sent || !ar.Hardened {
		ar.askWave(q)
	}
}

// endActionQueryOnce ends one retrieval; the update follows the last one.
func (ar *Retrieval) endActionQueryOnce(q *Query) {
	ar.endActionQuery(q)
	if ar.open == 0 {
		ar.complete()
	}
}

// endActionQuery takes what a retrieval has brought.
func (ar *Retrieval) endActionQuery(q *Query) {
	q.done = true
	ar.open--
	if q.double[0] != nil && q.by == nil {
		// The player has signed two batches, and none is certified: nothing counts.
		q.Result, q.Votes = ar.Cache.Batch(&state.Batch{Player: q.Player, Of: ar.of}), ar.zones.VotesNeeded()
	}
	if ar.Hardened && q.Votes < ar.zones.VotesNeeded() {
		q.Result = nil
		if q.count >= ar.zones.VotesNeeded()*ar.area.HomesOf() && !ar.mayCount(q) {
			// Enough zones have answered, and no batch has a majority: only what has
			// one is included. All who ask see it alike.
			q.Result = ar.Cache.Batch(&state.Batch{Player: q.Player, Of: ar.of})
		}
	}
	if q.Result == nil {
		ar.missing = true
	}
	ar.hooks.ActionsRetrieved(ar.of, q)
}

// FinishActions is the timeout of the retrievals of actions: what has most votes
// counts (thesis 5.2.2).
func (ar *Retrieval) FinishActions() {
	if !ar.Asking {
		return
	}
	for i := range ar.asked {
		if q := &ar.asked[i]; !q.done {
			ar.endActionQuery(q)
		}
	}
	ar.complete()
}
