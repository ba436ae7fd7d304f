package storage

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/actions"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What the driver of a node does for its player.

// Activate tells those who hold the static character of the node's player that
// it is back (thesis 5.4.1). It counts for the update after the next t^s; by
// then an action of the player has to be stored that makes it last.
func (n *Node) Activate(place geom.Point) {
	n.actions.Player.Activate(place)
	n.drain()
}

// Activation is when an action of a player whose node calls Activate now has to
// take effect to make its character stay: after the first, until the second.
func (n *Node) Activation() (after, until machine.Time) { return n.actions.Player.Activation() }

// Stamp returns when something counts that the node's player does at a true time: then,
// unless the node's clock is so far ahead that it has signed the interval.
func (n *Node) Stamp(at machine.Time) machine.Time { return n.actions.Player.Stamp(at) }

// Act stores an action of the node's player in all zones, and forgets it
// (thesis 5.2.3). In the hardened protocol that happens at the end of the interval, with
// the player's other actions.
func (n *Node) Act(a *state.Action) {
	n.actions.Player.Act(a)
	n.drain()
}

// Faults are the proofs that the node has.
func (n *Node) Faults() []*actions.Fault { return n.actions.Faults() }
