// Package part is what the components of a storage node have in common: settings, the
// environment, where the node stands, how far it has come, and the kinds of timers. A
// component is a struct that embeds *Part and has state of its own.
package part

import (
	"time"

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

// Part is what all components of a node use: its settings, its environment, where
// it stands, and how far it has come.
type Part struct {
	Cfg      *Settings
	Hardened bool // the network follows the hardened protocol
	Env      machine.Env
	Overlay  *overlay.Node
	Space    overlay.Space
	World    state.World
	Places   state.Mapping
	Time     state.Timing
	Cache    *state.ReplayCache
	Reach    int32
	Self     *overlay.Contact
	Zone     int
	Home     geom.Point

	Started machine.Time
	Begun   bool // t_0 has passed
	Ready   bool // the node has what it is responsible for
	Stopped bool
}

// Timeout is how long answers to a retrieval are waited for (thesis 5.3.5).
func (c *Part) Timeout(k messages.Kind) time.Duration {
	if k == messages.ForActions {
		return 2 * c.Time.LMax
	}
	return 3 * c.Time.LMax
}

// UpdateMargin is how far the update area reaches beyond the maintenance area. Whole
// cells need all cells around them: their corners are farther away than reach.
func (c *Part) UpdateMargin() int32 {
	if !c.Hardened {
		return c.Reach
	}
	return int32(int64(c.World.RingWithin(c.Reach))*int64(c.World.Cell)*14143/10000) + 1
}
