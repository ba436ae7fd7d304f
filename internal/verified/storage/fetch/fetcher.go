// Package fetch gets the contents of what zones have agreed on by digest or by name: cells
// and woken characters, as few nodes as possible for all of them, and static objects, a
// portion from one node after the other. What somebody does not send, or sends otherwise
// than its digest promises, is asked of others.
//
// Source: the hardened protocol (docs/protocols/storage-hardened.md).
//
// Invariants:
//   - nothing is taken that has another digest than was agreed on;
//   - each fetch ends once, with what has come; what has not come is unknown, or has to be
//     asked for again.
//
// Start with Fetcher.Start.
package fetch

import (
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/replica"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/vote"
)

// Fetcher gets what has been agreed on from those who hold it.
type Fetcher struct {
	*part.Part
	replica *replica.Replica
	patches *replica.Patches
	static  Static
	done    func(query uint64, out vote.Outcome, votes int)

	cells map[uint64]*cellFetch // by the number of the retrieval
	named map[uint64]*nameFetch
}

// Static keeps the static objects of the node.
type Static interface {
	// Object is one that the node has; nil: it does not.
	Object(state.ObjectID) *state.Object
	// Fetched takes what has come of what was agreed on.
	Fetched(objects []*state.Object, batches []*state.Batch)
}

// New returns a fetcher; done is called when a fetch ends.
func New(p *part.Part, own *replica.Replica, patches *replica.Patches, static Static, done func(query uint64, out vote.Outcome, votes int)) *Fetcher {
	return &Fetcher{Part: p, replica: own, patches: patches, static: static, done: done, cells: map[uint64]*cellFetch{}, named: map[uint64]*nameFetch{}}
}

// Start fetches the contents of what was agreed on from those who have answered, or will
// have.
func (fe *Fetcher) Start(q *vote.Poll, out vote.Outcome, votes int) {
	if q.Kind.Static() {
		fe.startNamed(q, out, votes)
	} else {
		fe.startCells(q, out, votes)
	}
}

// Late is a timer of a retrieval: others are asked for what has not come.
func (fe *Fetcher) Late(query uint64, round uint32) {
	if f := fe.named[query]; f != nil {
		fe.namedLate(f, round)
	} else if f := fe.cells[query]; f != nil {
		fe.cellsLate(f)
	}
}

// OnBlocks takes what somebody has sent.
func (fe *Fetcher) OnBlocks(from *overlay.Contact, m *messages.Blocks) {
	if f := fe.named[m.Query]; f != nil {
		fe.onNamed(from, f, m)
	} else if f := fe.cells[m.Query]; f != nil {
		fe.onCells(from, f, m)
	}
}

// End ends the fetch of cells with what has come; that of static objects goes on.
func (fe *Fetcher) End(query uint64) {
	if f := fe.cells[query]; f != nil {
		fe.endCells(f)
	}
}
