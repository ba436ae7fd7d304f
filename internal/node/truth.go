package node

import (
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/witness"
)

// Truth makes the nodes of a world with an authority keep it in the replicated
// storage (docs/protocols/storage.md "In real nodes"). All nodes of a world have
// the same Rules, Protocol, Begin and LMax.
type Truth struct {
	Rules    storage.Rules
	Protocol storage.Protocol
	Begin    machine.Time // t_0
	// LMax and Deviation are the storage's; 0: its defaults.
	LMax, Deviation time.Duration
	// Secret makes the numbers of retrievals: nobody else must be able to tell them
	// beforehand.
	Secret []byte
	// Sign signs an answer with the node's key, Signed reports whether one bears
	// its node's signature and the authority's certificate.
	Sign   func(*Answer) error
	Signed func(*Answer) bool
	// SignReceipt signs a receipt for a player's batch, CheckReceipt reports
	// whether one is its node's (Protocol.Receipts).
	SignReceipt  func(*storage.Receipt)
	CheckReceipt func(*storage.Receipt) bool
	// Played are the rules again, of a world of blocks: what players at this node
	// do is signed with SignAction, and what regions show them is compared with
	// what is voted (package witness). Nil: neither.
	Played     *truth.Rules
	SignAction func(*storage.Action)
	// Report takes evidence; may be nil.
	Report func(*Contradiction)
	// Behaviour, Probe and Came, which hears when the node's witness comes and
	// where, are for experiments; may be nil.
	Behaviour storage.Behaviour
	Probe     storage.Probe
	Came      func(p storage.Player, of int64, at geom.Point)
}

// TruthStats is what a node knows of the storage.
type TruthStats struct {
	Begin   machine.Time // t_0
	Every   time.Duration
	Of      int64 // the update that this node's state is of; -1: it has none
	Zone    int
	Zones   int
	Votes   int // zones that agreed on the last state it asked for
	Unknown int // cells of its part that nothing is known about
	Objects int // in its part
	Updates uint64
	Failed  uint64                 // updates that could not be made
	False   uint64                 // answers that contradict more than half of the zones
	Accused map[id.ID]machine.Time // who gave them, and when the last time

	Witness *witness.Stats // of what is played; nil: nobody signs it here
	Charges []LeaderCharge // against leaders of regions, the last ones
}

// WithTruth gives a driver's function the node's storage; false: it has none. It
// is called like a handler.
func (n *Node) WithTruth(f func(*storage.Node)) bool {
	if n.net == nil || n.net.layer == nil || n.net.layer.keeper == nil {
		return false
	}
	f(n.net.layer.keeper.node)
	n.drain()
	return true
}

// truthStats reads it.
func (l *layer) truthStats() *TruthStats {
	if l == nil || l.keeper == nil {
		return nil
	}
	s := l.keeper.stats
	s.Charges = slices.Clone(s.Charges)
	if l.keeper.watch != nil {
		figures := l.keeper.watch.Stats()
		s.Witness = &figures
	}
	s.Accused = map[id.ID]machine.Time{}
	for who, at := range l.keeper.stats.Accused {
		s.Accused[who] = at
	}
	if state := l.keeper.node.State(); state != nil {
		s.Of, s.Unknown = state.Of, state.Doubts()
		s.Objects = len(state.Objects(&state.Cover, l.keeper.node.World(), nil))
	}
	return &s
}
