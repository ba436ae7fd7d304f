package verifiedworld

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
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// StorageConfig configures the replicated storage of a world with an authority
// (docs/protocols/storage.md "In real nodes"). All nodes of a world have the same Rules,
// Protocol, Begin and LMax.
type StorageConfig struct {
	Rules    state.Rules
	Protocol storage.Protocol
	Begin    machine.Time // t_0
	// LMax and Deviation are the storage's; 0: its defaults.
	LMax, Deviation time.Duration
	// Secret makes the numbers of retrievals unpredictable for others.
	Secret []byte
	// Sign signs an answer with the node's key. Signed reports whether an answer has its
	// node's signature and a certificate of the authority.
	Sign   func(*Answer) error
	Signed func(*Answer) bool
	// SignReceipt signs a receipt for a player's batch, CheckReceipt reports whether a
	// receipt has its storer's signature.
	SignReceipt  func(*messages.Receipt)
	CheckReceipt func(*messages.Receipt) bool
	// SignBatch and CheckBatch are those of storage.Config.
	SignBatch  func(*state.Batch) []byte
	CheckBatch func(*state.Batch) bool
	// Played are the same rules, if they are those of a voxel world: edits of players at
	// this node are signed with SignAction, and what regions show them is compared with
	// the voted state (package audit). Nil: neither.
	Played     *voxelrules.Rules
	SignAction func(*state.Action)
	// Encode and Decode are for the node's checkpoint on its disk; nil: it writes none.
	Encode func(*messages.Push) ([]byte, error)
	Decode func([]byte) (*messages.Push, error)
	// Report receives evidence; may be nil.
	Report func(*Contradiction)
	// Behaviour, Probe and Came are for experiments; each may be nil. Came is called when
	// the node's auditor is activated, with its place.
	Behaviour storage.Behaviour
	Probe     storage.Probe
	Came      func(p state.Player, of int64, at geom.Point)
}

// StorageStats is a node's view of the storage.
type StorageStats struct {
	Begin      machine.Time // t_0
	Every      time.Duration
	Of         int64 // the update of this node's state; -1: it has none
	Zone       int
	Zones      int
	Votes      int // zones that agreed on the last requested state
	Unknown    int // unsure cells of its part
	Objects    int // in its part
	Updates    uint64
	Failed     uint64                     // updates that were not made
	False      uint64                     // answers that contradict more than half of the zones
	Faults     uint64                     // players and nodes that have signed contradicting batches or receipts
	Accused    map[id.ID]StorerAccusation // the nodes that gave false answers
	Cells      []StoredCell               // known nodes and what they store, this node first
	Observed   []ObservedRegion           // the regions around players at this node
	ObservedAt int64                      // the update of Observed; -1: there is none

	Witness           *audit.Stats       // of the node's auditor; nil: it has none
	LeaderAccusations []LeaderAccusation // the latest against leaders of regions
}

// StorerAccusation sums up what is proven against a node of the storage.
type StorerAccusation struct {
	When   machine.Time // of the latest proof
	Of     int64        // the update of the false answer
	Region world.RegionPos
	Zones  int    // that agreed against it
	Proofs int    // since this node's start
	Serial uint64 // of its certificate
	Cut    bool   // the authority has revoked the certificate
}

// StoredCell is the part of the stored world that a node stores for its zone.
type StoredCell struct {
	Peer machine.Peer
	Zone int
	Cell []world.Pos // corners, in metres; empty: not known
}

// ObservedRegion is whether the zones agree about a region, and who answered.
type ObservedRegion struct {
	Region  world.RegionPos
	Agreed  bool
	Storers []RegionStorer // nodes that store it and have answered
}

// RegionStorer is a node that stores a region, and its zone.
type RegionStorer struct {
	Peer machine.Peer
	Zone int
}

// StorageStats returns the figures of the storage; nil: there is none.
func (v *World) StorageStats() *StorageStats {
	k := v.adapter()
	if k == nil {
		return nil
	}
	s := k.stats
	s.LeaderAccusations = slices.Clone(s.LeaderAccusations)
	if k.audit != nil {
		figures := k.audit.Stats()
		s.Witness = &figures
	}
	s.Accused = maps.Clone(s.Accused)
	for who, a := range s.Accused {
		if r := v.Verifier.Revoked(); r != nil {
			_, a.Cut = slices.BinarySearch(r.Serials, a.Serial)
			s.Accused[who] = a
		}
	}
	s.Cells, s.Observed, s.ObservedAt = k.shards(), nil, -1
	if look := k.node.LastObservation(); look != nil && k.Played != nil {
		s.ObservedAt = look.Of
		for _, c := range look.Cells {
			s.Observed = append(s.Observed, k.observedRegion(&c))
		}
	}
	if state := k.node.State(); state != nil {
		s.Of, s.Unknown = state.Of, state.UnsureCells()
		s.Objects = len(state.Objects(&state.Cover, k.node.World(), nil))
	}
	return &s
}

// shards returns the cells of this node and its neighbours.
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
