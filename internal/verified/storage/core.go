package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Settings are those that several components read.
type Settings struct {
	Rules state.Rules
	// Wire is whether messages travel as bytes (see messages.Result.EncodeDigests);
	// Secret makes the numbers of retrievals, which nobody else can tell beforehand then.
	Wire   bool
	Secret []byte
	// Updates is after how many updates the world stands still; 0: never.
	Updates int64
	// Player is who plays at this node; nil: nobody.
	Player *state.Player
	// Check tells whether an action's signature is its player's; nil: they are
	// not looked at.
	Check func(*state.Action) bool
	// SignReceipt signs a receipt of this node, CheckReceipt tells whether one's
	// signature is its storer's; nil: they are not signed, not looked at.
	SignReceipt  func(*messages.Receipt)
	CheckReceipt func(*messages.Receipt) bool
	// SignBatch signs what this node's player has done in an interval, CheckBatch
	// tells whether a batch bears its player's signature. Nil, in simulations: who signs
	// for another player cheats in the simulation, and a signature is not looked at.
	SignBatch  func(*state.Batch) []byte
	CheckBatch func(*state.Batch) bool
}

// core is what all components of a node use: its settings, its environment, where
// it stands, and how far it has come.
type core struct {
	cfg      *Settings
	hardened bool // the network follows the hardened protocol
	env      machine.Env
	overlay  *overlay.Node
	space    overlay.Space
	world    state.World
	places   state.Mapping
	time     state.Timing
	cache    *state.ReplayCache
	reach    int32
	self     *overlay.Contact
	zone     int
	home     geom.Point

	started machine.Time
	begun   bool // t_0 has passed
	ready   bool // the node has what it is responsible for
	stopped bool
}
