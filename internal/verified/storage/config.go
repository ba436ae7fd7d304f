package storage

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Constants of the thesis' evaluation (6.4.1, 3.3).
const (
	// DefaultLMax is l_max, the assumed greatest latency of a message.
	DefaultLMax = 2 * time.Second
	// DefaultDeviation is t_d, how far clocks are from the true time.
	DefaultDeviation = 10 * time.Millisecond
)

// Config is a node's settings.
type Config struct {
	part.Settings
	Overlay overlay.Config // its Events are the storage's
	// Protocol is what all nodes of the network follow.
	Protocol Protocol
	// Cache is what nodes of a simulation share; nil: the node has its own.
	Cache *state.ReplayCache
	// Begin is t_0, when the world begins as Rules.Initial has it (5.3.6).
	Begin machine.Time
	// LMax and Deviation are l_max and t_d; 0: the defaults.
	LMax, Deviation time.Duration
	// Where tells where the player's character is, so that its surroundings as
	// far as Interest are looked at once in an interval; nil: never.
	Where    func() (geom.Point, bool)
	Interest int32
	// Fault hears of what somebody has proven against itself; nil: nobody.
	Fault func(*actions.Fault)
	// Events hears what the player's node finds out; nil: nobody.
	Events Events
	// Behaviour is what a dishonest node does otherwise; nil: an honest one.
	Behaviour Behaviour
	// Probe measures; nil: nobody.
	Probe Probe
}

// Events are the results that go up. They are called inside a handler and must
// not call the node.
type Events interface {
	// Looked: what lies around the player's character at t_of. Nil if it could
	// not be found out. Confidence is the share of zones that agree.
	Looked(seen *state.Snapshot, confidence float64)
	// Updated: the node has replayed its part of the world to t_of.
	Updated(s *state.Snapshot)
}

// Depositor is a Behaviour that decides what becomes of the batches of the own player.
type Depositor interface {
	// Deposit is given each batch when it is signed; false: the node does not deposit it.
	Deposit(n *Node, b *state.Batch) bool
}

// Behaviour is what a node of an attacker does instead of what is right. Each
// method is given the honest answer, which it must not change; nil: no answer.
type Behaviour interface {
	// Intercept sees every message before the node does; true: the node does
	// not get it.
	Intercept(n *Node, from machine.Peer, m machine.Message) bool
	// Answer is given the answer to a retrieval of an area.
	Answer(n *Node, by *overlay.Contact, q *messages.Retrieve, honest *messages.Result) *messages.Result
	// AnswerActions is given the answer to a retrieval of actions.
	AnswerActions(n *Node, by *overlay.Contact, q *messages.RetrieveActions, honest *messages.ActionsResult) *messages.ActionsResult
	// Keep reports whether an action is stored.
	Keep(n *Node, a *state.Action) bool
	// Push is given what a neighbour that has joined gets.
	Push(n *Node, to *overlay.Contact, honest *messages.Push) *messages.Push
}
