package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/retrieval"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// hooks calls Config.Behaviour and Config.Probe for the components, if they are set: both
// are given the node, which no component knows.
type hooks struct {
	cfg  *Config
	node *Node
}

// intercepts reports whether the node does not get a message.
func (h *hooks) intercepts(from machine.Peer, m machine.Message) bool {
	b := h.cfg.Behaviour
	return b != nil && b.Intercept(h.node, from, m)
}

// answer returns the answer to a retrieval of an area; nil: none.
func (h *hooks) answer(by *overlay.Contact, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if b := h.cfg.Behaviour; b != nil {
		return b.Answer(h.node, by, q, honest)
	}
	return honest
}

// AnswerActions returns the answer to a retrieval of actions; nil: none.
func (h *hooks) AnswerActions(by *overlay.Contact, q *messages.RetrieveActions, honest *messages.ActionsResult) *messages.ActionsResult {
	if b := h.cfg.Behaviour; b != nil {
		return b.AnswerActions(h.node, by, q, honest)
	}
	return honest
}

// Keeps reports whether an action is stored.
func (h *hooks) Keeps(a *state.Action) bool {
	b := h.cfg.Behaviour
	return b == nil || b.Keep(h.node, a)
}

// Deposits reports whether the node deposits a batch of its player.
func (h *hooks) Deposits(b *state.Batch) bool {
	d, ok := h.cfg.Behaviour.(Depositor)
	return !ok || d.Deposit(h.node, b)
}

// push returns what a neighbour that has joined gets; nil: nothing.
func (h *hooks) push(to *overlay.Contact, honest *messages.Push) *messages.Push {
	if b := h.cfg.Behaviour; b != nil {
		return b.Push(h.node, to, honest)
	}
	return honest
}

// retrievedArea reports a retrieval of an area that has ended.
func (h *hooks) retrievedArea(q *retrieval.Query, out vote.Outcome, votes int) {
	if h.cfg.Probe == nil {
		return
	}
	h.retrieved(Report{
		Kind: q.Kind, Of: q.Of, Area: q.Area, Took: h.node.part.Env.Now().Sub(q.Began),
		Answers: q.Answers, Votes: votes, Zones: len(q.Zones),
		Seen: out.Seen, Static: out.Static, Batches: out.Batches,
	})
}

// retrieved reports a retrieval that has ended.
func (h *hooks) retrieved(r Report) {
	r.By = h.node
	h.cfg.Probe.Retrieved(r)
}

// ActionsRetrieved reports a retrieval of a player's actions that has ended.
func (h *hooks) ActionsRetrieved(of int64, q *actions.Query) {
	if h.cfg.Probe == nil {
		return
	}
	r := Report{
		Kind: messages.ForActions, Of: of, Player: q.Player, Took: h.node.part.Env.Now().Sub(q.Began),
		Answers: q.Heard, Votes: q.Votes, Zones: h.node.part.Space.Zones(),
	}
	if q.Result != nil {
		r.Batches = []*state.Batch{q.Result}
	}
	h.retrieved(r)
}

// BatchSigned reports what the player has signed.
func (h *hooks) BatchSigned(b *state.Batch) {
	if h.cfg.Probe != nil {
		h.cfg.Probe.BatchSigned(b)
	}
}

// arrived reports a message that has come to the node.
func (h *hooks) arrived(k Arrival, hops uint8) {
	if h.cfg.Probe != nil {
		h.cfg.Probe.Arrived(k, int(hops))
	}
}

// failed reports an update that could not be made.
func (h *hooks) failed(of int64) {
	if h.cfg.Probe != nil {
		h.cfg.Probe.Failed(h.node, of)
	}
}
