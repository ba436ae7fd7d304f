package codec

import (
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Messages of internal/verified/storage. What an object is, the rules of the world know:
// a codec that was not given any (NewVerified) does not know these messages.
// Their fields are all needed: one that is missing is an error in both
// directions, so that no machine has to look.

// Verified is what the messages of a world with a storage are read with.
type Verified struct {
	// Rules are for the codec alone, which has them do one thing at a time.
	Rules state.Rules
	// Bounds are those of the overlay's space (overlay.Space.Bounds).
	Bounds geom.Rect
	// Check tells whether an action's signature is its player's; an action that
	// is not signed right is not read. Nil: signatures are not looked at.
	Check func(*state.Action) bool
}

// NewVerified returns a codec for a world with a storage.
func NewVerified(v Verified) *Codec {
	c := New()
	c.rules = &ruled{Verified: v, world: v.Rules.World()}
	return c
}

// ruled is Verified for many goroutines.
type ruled struct {
	Verified
	world state.World
	mu    sync.Mutex
}

const (
	maxObjects   = 1 << 16
	maxObject    = 4 << 20 // bytes of one
	maxBatches   = 1 << 14
	maxActions   = 1 << 10 // of a player in an interval
	maxBody      = 1 << 14 // bytes of an action
	maxSignature = 256
	maxZones     = 64
	maxReceipts  = 2 * maxZones // an exchange may name some again
	maxShorts    = 64           // storers that are known
	maxSquares   = 1 << 16      // cells of a message about some
	maxSought    = 1 << 10
)

var storageKinds = []*kind{
	needs(152, func(f *form, m *messages.Retrieve) { f.retrieve(m) }),
	needs(153, func(f *form, m *messages.Result) {
		f.fixed64(&m.Query)
		if f.bools(&m.Brief, &m.Same, &m.Asking); !m.Same {
			f.around(&m.Around)
		} else if !f.reading && m.Around != nil {
			f.fail("a neighbourhood that is said and left out")
		}
		f.area(&m.Area, true)
		if m.Brief {
			if optional(f, &m.Sent, brief); !f.reading && m.Seen != nil {
				f.fail("digests, and what they are of")
			}
		} else if f.snapshot(&m.Seen, &m.Area); !f.reading && m.Sent != nil {
			f.fail("digests that are not said to be some")
		}
		if m.Brief {
			if !f.reading && len(m.Static) > 0 {
				f.fail("static objects, and not their names")
			}
			f.names(&m.Names)
			list(f, &m.Batches, maxBatches, 4, batch)
		} else if f.static(&m.Static, &m.Batches); !f.reading && len(m.Names) > 0 {
			f.fail("names that are not said to be some")
		}
		if f.reading && f.err == nil {
			m.Seal(f.codec.rules.world)
		}
	}),
	needs(142, func(f *form, m *messages.RetrieveActions) {
		f.fixed64(&m.Query)
		f.player(&m.Player)
		signed(f, &m.Of)
		shorts(f, &m.Known)
	}),
	needs(143, func(f *form, m *messages.ActionsResult) {
		f.fixed64(&m.Query)
		batch(f, &m.Batch)
		certificate(f, &m.Certificate, m.Batch)
		other(f, &m.Other, m.Batch)
	}),
	needs(144, func(f *form, m *messages.Store) {
		var p *state.Player
		if !f.reading {
			if m.Action == nil {
				f.fail("no action")
				return
			}
			p = m.Action.Player
		}
		f.player(&p)
		f.action(&m.Action, p)
	}),
	needs(154, func(f *form, m *messages.Push) {
		f.area(&m.Area, false)
		f.snapshot(&m.Seen, &m.Area)
		f.static(&m.Static, &m.Batches)
		f.names(&m.Names)
		if f.reading && f.err == nil {
			m.Seal(f.codec.rules.world)
		}
	}),
	needs(146, func(f *form, m *messages.Activate) {
		f.player(&m.Player)
		f.place(&m.Place)
		signed(f, &m.Of)
	}),
	needs(147, func(f *form, m *messages.Better) { f.someone(&m.Node) }),
	needs(148, func(f *form, m *messages.Deposit) {
		own := m.Own != nil
		f.bool(&own)
		batch(f, &m.Batch)
		shorts(f, &m.Knows)
		if own {
			receiptOf(f, &m.Own, m.Batch)
			fullReceipt(f, m.Own)
		}
	}),
	needs(149, func(f *form, m *messages.Receipt) {
		named(f, &m.Batch)
		receipt(f, m, m.Batch)
		f.bool(&m.Fresh)
	}),
	needs(150, func(f *form, m *messages.Certified) {
		var b *state.Batch
		if !f.reading && m.Certificate != nil {
			b = m.Certificate.Batch
		}
		named(f, &b)
		certificate(f, &m.Certificate, b)
		if m.Certificate == nil && f.err == nil {
			f.fail("no certificate")
		}
	}),
	needs(151, func(f *form, m *messages.Exchange) {
		batch(f, &m.Batch)
		receipts(f, &m.Receipts, m.Batch)
		for _, r := range m.Receipts {
			fullReceipt(f, r)
		}
		other(f, &m.Other, m.Batch)
	}),
	needs(156, func(f *form, m *messages.Fetch) {
		f.retrieve(&m.Retrieve)
		list(f, &m.Cells, maxSquares, 2, cellAt)
		list(f, &m.Characters, maxObjects, 8, func(f *form, v *state.ObjectID) { f.fixed64((*uint64)(v)) })
		list(f, &m.HaveTags, maxObjects, 8, func(f *form, v *uint64) { f.fixed64(v) })
		f.sparse(&m.BaseTags, len(m.Cells))
		if !f.reading && len(m.Have)+len(m.Base) > 0 {
			f.fail("objects instead of their digests")
		}
	}),
	needs(157, func(f *form, m *messages.Blocks) {
		f.fixed64(&m.Query)
		list(f, &m.Pieces, maxSquares, 1, func(f *form, v *[]messages.ObjectPatch) { list(f, v, maxObjects, 2, piece) })
		list(f, &m.Characters, maxObjects, 2, object)
		if !f.reading && len(m.Cells) > 0 {
			f.fail("cells instead of pieces")
		}
		if len(m.Pieces)+len(m.Characters) == 0 {
			f.fail("an answer with nothing in it")
		}
	}),
	needs(158, func(f *form, m *messages.PeerQuery) {
		f.fixed64(&m.Query)
		if list(f, &m.Zones, maxZones, 1, num); len(m.Zones) == 0 {
			f.fail("no zones")
		}
	}),
	needs(159, func(f *form, m *messages.PeerReply) {
		f.fixed64(&m.Query)
		if list(f, &m.Nodes, maxSought, minContact, func(f *form, c **overlay.Contact) { f.someone(c) }); len(m.Nodes) == 0 {
			f.fail("no nodes")
		}
	}),
	needs(155, func(f *form, m *verifiedworld.Answer) {
		f.certificate(&m.Certificate)
		if m.Certificate == nil && f.err == nil {
			f.fail("an answer of nobody")
		}
		f.exact(m.Signature[:])
		f.message(&m.Result)
		switch m.Result.(type) {
		case *messages.Result, *messages.ActionsResult:
		default:
			if f.err == nil {
				f.fail("an answer that is none")
			}
		}
	}),
}

// needs is the entry of a message that has to be whole, and of which nothing is
// known without the world's rules.
func needs[T any](number uint16, fields func(*form, *T)) *kind {
	k := message(number, func(f *form, m *T) {
		if f.codec.rules == nil {
			f.err = ErrUnknown
			return
		}
		fields(f, m)
	})
	k.whole = true
	return k
}
