package attack

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The goal of twice: that honest nodes take different things for what a member's player
// has done, so that they do not agree about everything within its reach. The player
// signs what it has done and that it has done nothing, and deposits the one in half of
// the zones and the other in the rest.
//
// The goal of late is the same: the player deposits its batch just after t^a, when
// storers that are members still take it.

// Deposit implements storage.Depositor: what a member does with its own batch.
func (g *Gang) Deposit(n *storage.Node, b *state.Batch) bool {
	switch {
	case !g.Cheats(b.Player.ID, b.Of):
	case g.ways.Twice && len(b.Actions) > 0:
		none := *b
		none.Actions = nil
		Ambiguous(n, g.space, b, none.Signed(b.Signature), 1<<(g.space.Zones()/2)-1)
		return false
	case g.ways.Chosen && len(b.Actions) > 0:
		g.depositForSome(n, b)
		return false
	case g.ways.Batches:
		return false // others are deposited
	case g.ways.Late:
		g.held[n.Self().ID] = b
		return false
	}
	return true
}

// Cheats reports whether a member deposits otherwise than it should in an interval.
func (g *Gang) Cheats(member id.ID, of int64) bool {
	from, leaves := g.leaves[member]
	return of >= g.CheatFrom && (g.CheatUntil == 0 || of <= g.CheatUntil) && !(leaves && of >= from)
}

// Leaves lets a member deposit as it should from an interval on, in which its player
// leaves: whether the character is asleep when it comes back would be unknown otherwise.
func (g *Gang) Leaves(member id.ID, from int64) { g.leaves[member] = from }

// Returns ends Leaves.
func (g *Gang) Returns(member id.ID) { delete(g.leaves, member) }

// Release lets a member deposit what it has held back.
func (g *Gang) Release(n *storage.Node) {
	if b := g.held[n.Self().ID]; b != nil {
		delete(g.held, n.Self().ID)
		Ambiguous(n, g.space, b, b, 0)
	}
}
