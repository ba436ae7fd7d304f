package host

import (
	"bytes"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// What the storage knows comes to the clients as it is: numbers of nodes that are
// in the list, and no more than a message may have.
func TestStorageIsShown(t *testing.T) {
	self, other := machine.Peer{ID: id.Of([]byte("self"))}, machine.Peer{ID: id.Of([]byte("other"))}
	truth := &verifiedworld.StorageStats{
		Of: 7, ObservedAt: 6, Zone: 1, Zones: 4, Votes: 3, Failed: 2,
		Cells:    []verifiedworld.StoredCell{{Peer: self, Zone: 1, Cell: []world.Pos{{X: -1}, {X: 5}, {Z: 9}}}, {Peer: other, Zone: 2}},
		Observed: []verifiedworld.ObservedRegion{{Region: world.RegionPos{X: 3}, Agreed: true, Storers: []verifiedworld.RegionStorer{{Peer: other, Zone: 2}}}},
		Accused: map[id.ID]verifiedworld.StorerAccusation{
			other.ID: {Of: 5, Region: world.RegionPos{Z: -2}, Zones: 3, Proofs: 9, Cut: true},
		},
	}
	m := hostsOf(node.Stats{Self: self, Storage: truth}, nil)
	if len(m.Nodes) != 2 || len(m.Storage) != 1 {
		t.Fatalf("%d nodes and %d storages are told, want 2 and 1", len(m.Nodes), len(m.Storage))
	}
	got := m.Storage[0]
	switch {
	case got.Update != 7 || got.ObservedAt != 6 || got.Zone != 1 || got.Zones != 4 || got.Votes != 3 || got.Failed != 2:
		t.Errorf("figures: %+v", got)
	case len(got.Cells) != 2 || got.Cells[0].Node != 0 || len(got.Cells[0].Cell) != 3 || got.Cells[1].Node != 1 || got.Cells[1].Zone != 2:
		t.Errorf("parts: %+v", got.Cells)
	case len(got.Observed) != 1 || !got.Observed[0].Agreed || got.Observed[0].Region.X != 3 || len(got.Observed[0].Storers) != 1 || got.Observed[0].Storers[0].Node != 1:
		t.Errorf("looks: %+v", got.Observed)
	case len(got.Accused) != 1 || got.Accused[0].Node != other.ID || !got.Accused[0].Cut || got.Accused[0].Proofs != 9 || got.Accused[0].Region.Z != -2:
		t.Errorf("accused: %+v", got.Accused)
	}

	for i := range 2000 { // more than a message may have
		p := machine.Peer{ID: id.Of([]byte{byte(i), byte(i >> 8)})}
		truth.Cells = append(truth.Cells, verifiedworld.StoredCell{Peer: p})
		truth.Observed[0].Storers = append(truth.Observed[0].Storers, verifiedworld.RegionStorer{Peer: p})
		truth.Observed = append(truth.Observed, verifiedworld.ObservedRegion{Region: world.RegionPos{X: int32(i)}})
		truth.Accused[p.ID] = verifiedworld.StorerAccusation{Of: int64(i)}
	}
	b := wire.Encode(hostsOf(node.Stats{Self: self, Storage: truth}, nil))
	back, err := wire.DecodeNode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(wire.Encode(back), b) {
		t.Error("it is read otherwise than it was written")
	}
}
