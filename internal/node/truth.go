package node

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/voxelrules"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
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
	// SignBatch and CheckBatch are the storage's: what a player has done in an
	// interval, signed as one.
	SignBatch  func(*storage.Batch) []byte
	CheckBatch func(*storage.Batch, []byte) bool
	// Played are the rules again, of a world of blocks: what players at this node
	// do is signed with SignAction, and what regions show them is compared with
	// what is voted (package witness). Nil: neither.
	Played     *voxelrules.Rules
	SignAction func(*storage.Action)
	// Encode and Decode are for what the node keeps of the stored world on its
	// disk; nil: nothing.
	Encode func(*storage.Push) ([]byte, error)
	Decode func([]byte) (*storage.Push, error)
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
	Failed  uint64            // updates that could not be made
	False   uint64            // answers that contradict more than half of the zones
	Accused map[id.ID]Accusal // who gave them
	Parts   []TruthPart       // who keeps what, as far as is known: this node first
	Look    []TruthLook       // the regions around those who play here
	Looked  int64             // the update that Look is of; -1: of none

	Witness *audit.Stats   // of what is played; nil: nobody signs it here
	Charges []LeaderCharge // against leaders of regions, the last ones
}

// Accusal is what is proven against a node.
type Accusal struct {
	When   machine.Time // the last time
	Of     int64        // the update that it gave a false answer about then
	Region world.RegionPos
	Zones  int    // that agreed against it
	Proofs int    // since this node runs
	Serial uint64 // of its certificate
	Cut    bool   // the authority has revoked that: nobody speaks with it any more
}

// TruthPart is the part of the stored world that a node keeps for its zone.
type TruthPart struct {
	Peer machine.Peer
	Zone int
	Cell []world.Pos // corners, in metres; empty: not known
}

// TruthLook is how the zones agreed about a region.
type TruthLook struct {
	Region  world.RegionPos
	Voted   bool
	Storers []TruthStorer // who keep it and have answered
}

// TruthStorer is a node that keeps a region, and for which zone.
type TruthStorer struct {
	Peer machine.Peer
	Zone int
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
	s.Accused = maps.Clone(s.Accused)
	for who, a := range s.Accused {
		if r := l.w.verified.Door.Revoked(); r != nil {
			_, a.Cut = slices.BinarySearch(r.Serials, a.Serial)
			s.Accused[who] = a
		}
	}
	s.Parts, s.Look, s.Looked = l.keeper.parts(), nil, -1
	if look := l.keeper.node.LastObservation(); look != nil && l.keeper.Played != nil {
		s.Looked = look.Of
		for _, c := range look.Cells {
			s.Look = append(s.Look, l.keeper.lookedAt(&c))
		}
	}
	if state := l.keeper.node.State(); state != nil {
		s.Of, s.Unknown = state.Of, state.UnsureCells()
		s.Objects = len(state.Objects(&state.Cover, l.keeper.node.World(), nil))
	}
	return &s
}

// parts are those of this node and its neighbours.
func (k *keeper) parts() (out []TruthPart) {
	if k.Played == nil {
		return nil
	}
	for _, c := range k.node.Overlay().Neighbours([]*overlay.Contact{k.node.Self()}) {
		p := TruthPart{Peer: c.Peer(), Zone: k.space.Zone(c.Pos)}
		for _, corner := range k.node.PartOf(c) {
			p.Cell = append(p.Cell, k.Played.Metre(corner))
		}
		out = append(out, p)
	}
	return out
}

func (k *keeper) lookedAt(c *storage.ObservedCell) TruthLook {
	l := TruthLook{Region: k.Played.RegionOf(c.X, c.Y), Voted: c.Voted}
	for _, by := range c.By {
		l.Storers = append(l.Storers, TruthStorer{by.Peer(), k.space.Zone(by.Pos)})
	}
	return l
}
