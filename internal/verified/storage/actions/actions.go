// Package actions is what a node of the storage does with the actions of players. As a
// storer it keeps a player's batch of each interval, gives receipts, and exchanges batches
// that are not certified (Store). For an update it retrieves the batches of all players
// nearby and counts what zones say of them (Retrieval). For the player at this node it
// signs a batch an interval, deposits it and collects the certificate (Player).
//
// Source: Schuster 2013, sections 5.2.3 and 5.5.2; receipts and certificates are of the
// hardened protocol (docs/protocols/storage-hardened.md).
//
// Invariants:
//   - only what the player has signed as a batch counts, one batch an interval; who signs
//     two has proven its fault (Fault);
//   - a certificate has receipts of more than half of the zones that have a vote;
//   - a node gives no receipt, and signs no batch, of an interval in which it was started.
//
// Start with Actions, then Store.OnDeposit and Retrieval.Ask.
package actions

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Actions are the components that deal with what players do.
type Actions struct {
	Store     Store
	Player    Player
	Retrieval Retrieval
	faults    faultLog
	receipts  receiptRules
}

// Hooks measure what is done with actions, and decide otherwise at an attacker's node.
type Hooks interface {
	// Keeps reports whether an action is stored.
	Keeps(*state.Action) bool
	// AnswerActions returns the answer to a retrieval of actions; nil: none.
	AnswerActions(by *overlay.Contact, q *messages.RetrieveActions, honest *messages.ActionsResult) *messages.ActionsResult
	// Deposits reports whether the node deposits a batch of its player.
	Deposits(*state.Batch) bool
	// BatchSigned is called with what the player has signed.
	BatchSigned(*state.Batch)
	// ActionsRetrieved is called when the retrieval of a player's actions for an update
	// has ended.
	ActionsRetrieved(of int64, q *Query)
}

// Surroundings are the other components that these use.
type Surroundings struct {
	Area  *placement.Area
	Zones *placement.Electorate
	Known *placement.Acquaintances
	Hooks Hooks
	// Fault hears of what somebody has proven against itself; may be nil.
	Fault func(*Fault)
	// Complete is called when all actions for an update have been retrieved.
	Complete func()
	// WillCompute reports whether the node has the state of an update, or takes part in
	// making it.
	WillCompute func(of int64) bool
}

// New returns the components of a node that knows nothing of any player yet.
func New(p *part.Part, s Surroundings) *Actions {
	a := &Actions{faults: faultLog{report: s.Fault}}
	a.receipts = receiptRules{Part: p, zones: s.Zones, known: s.Known}
	a.Store = Store{Part: p, hooks: s.Hooks, area: s.Area, zones: s.Zones, receipts: &a.receipts, faults: &a.faults}
	a.Player = Player{
		Part: p, hooks: s.Hooks, area: s.Area, zones: s.Zones, receipts: &a.receipts, willCompute: s.WillCompute, toldStorers: map[id.ID][]uint32{},
	}
	a.Retrieval = Retrieval{
		Part: p, hooks: s.Hooks, area: s.Area, zones: s.Zones, receipts: &a.receipts, known: s.Known, faults: &a.faults, store: &a.Store, complete: s.Complete,
	}
	return a
}

// Faults are the proofs that the node has.
func (a *Actions) Faults() []*Fault { return a.faults.list }
