package messages

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What a retrieval is for. The numbers are those of the thesis' tables 6.17 to
// 6.19 and 6.27, 6.28.
type Kind uint8

// Kinds of retrievals.
const (
	ForActions Kind = iota // of a player, from where they are stored (5.3.3)
	ForJoin                // static data of the own cell (5.4.1)
	ForFailure             // static data of the cell of who has left (5.4.2)
	ForUpdate              // dynamic data of the update area (5.3.2)
	ForLook                // the area of interest of a player (5.5.4)
	Kinds
)

// String names a kind as the thesis' tables do.
func (k Kind) String() string {
	return [...]string{"player actions", "join area", "neighbour fail", "update area", "area of interest"}[k]
}

// Static reports whether static data is asked for rather than dynamic.
func (k Kind) Static() bool { return k == ForJoin || k == ForFailure }

// Retrieve asks all who hold a part of an area for it (thesis 5.2.2).
type Retrieve struct {
	Query uint64 // of the origin's retrievals
	Kind  Kind
	Area  overlay.Area // in the world
	// Of is the time of dynamic data, t_Of; of static data, in which step those
	// characters fell asleep that are asked for, 0: all of it.
	Of int64
	// Known is what the origin has already; nil: it does not say.
	Known *Known
}

// Result answers a Retrieve directly. It is frozen.
type Result struct {
	Query  uint64
	Around *Around
	// Seen is the answering node's part of the world, of which what lies in Area
	// is sent. Nil: static data only.
	Seen *state.Snapshot
	Area overlay.Area
	// DigestAnswer: digests of cells and names of static objects are sent instead of what
	// they are.
	Brief bool
	// Known is what the receiver has said that it has: that is left out.
	Known *Known
	// Between real nodes Sent is what is said of Seen, which is nil, and Same says
	// that Around, which is nil, is as the receiver knows it. Names are those of
	// Static, which is empty then.
	Sent  *DigestAnswer
	Names []DormantName
	Same  bool
	// Asking: some of the area is the sender's since a moment ago, and it does not
	// know yet who sleeps there, or it has not made the step itself that is asked for.
	Asking bool
	// Static data in the area; if Brief, Static is only named.
	Static  []*state.Object
	Batches []*state.Batch
	Bytes   int // of the data, as computed by Seal
}

// RetrieveActions asks for a player's actions after t_{Of-1} and until t_Of. It
// goes to the player's home in each zone.
type RetrieveActions struct {
	Query  uint64
	Player *state.Player
	Of     int64
	// Known are the storers that the sender knows, by the beginnings of their ids
	//.
	Known []uint32
}

// ActionsResult answers it.
type ActionsResult struct {
	Query uint64
	Batch *state.Batch
	// Certificate of the batch, if the sender has one.
	Certificate *Certificate
	// Other is a second batch that the player has signed for the same interval; nil:
	// none is known.
	Other  *state.Batch
	Saved  int  // bytes, because the receiver has some of it
	Signed bool // real nodes sign it
}

// Store adds an action to the action container (thesis 5.2.3, 5.3.3). There is
// no message that writes to the world container.
type Store struct{ Action *state.Action }

// Push hands a node that has joined what is now in its cell (thesis 5.4.1).
type Push struct {
	Seen    *state.Snapshot // nil: the sender has none
	Area    overlay.Area
	Static  []*state.Object
	Names   []DormantName // of static data that is not in Static
	Batches []*state.Batch
	Bytes   int
}

// Activate tells those who hold a static character that its player is back: it takes
// part in the step that begins at t_Of (thesis 5.4.1).
type Activate struct {
	Player *state.Player
	Place  geom.Point
	Of     int64
}

// Better names a node that should be the receiver's neighbour (thesis 5.5.3).
type Better struct{ Node *overlay.Contact }

// Sizes on the wire, in bytes (the thesis leaves them open): as in overlay, an
// id of 20, a contact of 46, a place of 8, a number of 8, a byte for the kind.
const (
	sizeContact = 46
)

func sizeArea(a *overlay.Area) int { return 12 + 8*len(a.Polygon) }

// Size makes messages known to simulations.
func (m *Retrieve) Size() int { return 1 + 8 + 1 + 8 + sizeArea(&m.Area) + m.Known.Size() }

// Size makes messages known to simulations.
func (m *Result) Size() int {
	size := 1 + 8 + 8 + m.Bytes
	if !m.Same && !m.Known.has(m.Around) {
		size += sizeContact * (1 + len(m.Around.Neighbours))
	}
	if m.Brief {
		size += sizeEnvelope
	}
	if m.Seen != nil {
		size += sizeArea(&m.Seen.Cover)
	}
	if m.Seen != nil && !m.Brief {
		size += (3*len(m.Seen.Unsure) + 7) / 8
	}
	if m.Sent != nil {
		size += sizeArea(&m.Sent.Cover)
	}
	return size
}

// Size makes messages known to simulations.
func (m *RetrieveActions) Size() int { return 1 + 8 + 20 + 8 + 8 + sizeShort*len(m.Known) }

// Size makes messages known to simulations.
func (m *ActionsResult) Size() int {
	size := 1 + 8 + m.Batch.Size()
	if m.Certificate != nil {
		size += m.Certificate.size() - m.Saved
	}
	if m.Other != nil {
		size += m.Other.Size()
	}
	if m.Signed {
		size += sizeEnvelope
	}
	return size
}

// Size makes messages known to simulations.
func (m *Store) Size() int { return 1 + m.Action.Size }

// Size makes messages known to simulations.
func (m *Push) Size() int { return 1 + 8 + sizeArea(&m.Area) + m.Bytes }

// Size makes messages known to simulations.
func (*Activate) Size() int { return 1 + 20 + 8 + 8 + 8 }

// Size makes messages known to simulations.
func (*Better) Size() int { return 1 + sizeContact }

// Seal computes what the data is charged for. Whoever makes a Result calls it.
func (m *Result) Seal(w state.World) *Result {
	if m.Brief {
		m.Bytes = m.sizeNames()
	} else {
		m.Bytes = sizeStatic(m.Static, m.Batches)
	}
	switch {
	case m.Seen == nil:
	case m.Brief:
		m.Bytes += sizeDigests(m.Seen, &m.Area, &w, m.Known)
	default:
		m.Bytes += m.Seen.SizeIn(&m.Area, &w)
	}
	return m
}

// sizeNames is what static data takes of which only the names are said.
func (m *Result) sizeNames() int { return sizeDormantName*len(m.Static) + sizeStatic(nil, m.Batches) }

// Seal computes what the data is charged for. Whoever makes a Push calls it.
func (m *Push) Seal(w state.World) *Push {
	m.Bytes = sizeStatic(m.Static, m.Batches) + sizeDormantName*len(m.Names)
	if m.Seen != nil && len(m.Area.Polygon) > 2 {
		m.Bytes += m.Seen.SizeIn(&m.Area, &w)
	}
	return m
}

func sizeStatic(objects []*state.Object, batches []*state.Batch) (size int) {
	for _, o := range objects {
		size += o.Size
	}
	for _, b := range batches {
		size += b.Size()
	}
	return size
}
