package node

import (
	"maps"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/audit"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// StorageConfig makes the nodes of a world with an authority keep it in the replicated
// storage (docs/protocols/storage.md "In real nodes"). All nodes of a world have
// the same Rules, Protocol, Begin and LMax.
type StorageConfig struct {
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
	CheckBatch func(*storage.Batch) bool
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

// StorageStats is what a node knows of the storage.
type StorageStats struct {
	Begin      machine.Time // t_0
	Every      time.Duration
	Of         int64 // the update that this node's state is of; -1: it has none
	Zone       int
	Zones      int
	Votes      int // zones that agreed on the last state it asked for
	Unknown    int // cells of its part that nothing is known about
	Objects    int // in its shard
	Updates    uint64
	Failed     uint64                     // updates that could not be made
	False      uint64                     // answers that contradict more than half of the zones
	Faults     uint64                     // players and nodes that have signed two things that exclude each other
	Accused    map[id.ID]StorerAccusation // the nodes that gave them
	Cells      []StoredCell               // which node stores what, as far as is known: this node first
	Observed   []ObservedRegion           // the regions around those who play here
	ObservedAt int64                      // the update that Look is of; -1: of none

	Witness           *audit.Stats       // of what is played; nil: nobody signs it here
	LeaderAccusations []LeaderAccusation // against leaders of regions, the last ones
}

// StorerAccusation is what is proven against a node.
type StorerAccusation struct {
	When   machine.Time // the last time
	Of     int64        // the update that it gave a false answer about then
	Region world.RegionPos
	Zones  int    // that agreed against it
	Proofs int    // since this node runs
	Serial uint64 // of its certificate
	Cut    bool   // the authority has revoked that: nobody speaks with it any more
}

// StoredCell is the part of the stored world that a node keeps for its zone.
type StoredCell struct {
	Peer machine.Peer
	Zone int
	Cell []world.Pos // corners, in metres; empty: not known
}

// ObservedRegion is how the zones agreed about a region.
type ObservedRegion struct {
	Region  world.RegionPos
	Agreed  bool
	Storers []RegionStorer // nodes that store it and have answered
}

// RegionStorer is a node that keeps a region, and for which zone.
type RegionStorer struct {
	Peer machine.Peer
	Zone int
}

// WithStorage gives a driver's function the node's storage; false: it has none. It
// is called like a handler.
func (n *Node) WithStorage(f func(*storage.Node)) bool {
	if n.net == nil || n.net.overlay == nil || n.net.overlay.storage == nil {
		return false
	}
	f(n.net.overlay.storage.node)
	n.drain()
	return true
}

// storageStats reads it.
func (l *overlayAdapter) storageStats() *StorageStats {
	if l == nil || l.storage == nil {
		return nil
	}
	s := l.storage.stats
	s.LeaderAccusations = slices.Clone(s.LeaderAccusations)
	if l.storage.audit != nil {
		figures := l.storage.audit.Stats()
		s.Witness = &figures
	}
	s.Accused = maps.Clone(s.Accused)
	for who, a := range s.Accused {
		if r := l.verified.Verifier.Revoked(); r != nil {
			_, a.Cut = slices.BinarySearch(r.Serials, a.Serial)
			s.Accused[who] = a
		}
	}
	s.Cells, s.Observed, s.ObservedAt = l.storage.shards(), nil, -1
	if look := l.storage.node.LastObservation(); look != nil && l.storage.Played != nil {
		s.ObservedAt = look.Of
		for _, c := range look.Cells {
			s.Observed = append(s.Observed, l.storage.observedRegion(&c))
		}
	}
	if state := l.storage.node.State(); state != nil {
		s.Of, s.Unknown = state.Of, state.UnsureCells()
		s.Objects = len(state.Objects(&state.Cover, l.storage.node.World(), nil))
	}
	return &s
}

// shards are those of this node and its neighbours.
func (k *storageAdapter) shards() (out []StoredCell) {
	if k.Played == nil {
		return nil
	}
	for _, c := range k.node.Overlay().Neighbours([]*overlay.Contact{k.node.Self()}) {
		p := StoredCell{Peer: c.Peer(), Zone: k.space.Zone(c.Pos)}
		for _, corner := range k.node.PartOf(c) {
			p.Cell = append(p.Cell, k.Played.Metre(corner))
		}
		out = append(out, p)
	}
	return out
}

func (k *storageAdapter) observedRegion(c *storage.ObservedCell) ObservedRegion {
	l := ObservedRegion{Region: k.Played.RegionOf(c.X, c.Y), Agreed: c.Voted}
	for _, by := range c.By {
		l.Storers = append(l.Storers, RegionStorer{by.Peer(), k.space.Zone(by.Pos)})
	}
	return l
}
