package host

import (
	"bytes"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/node"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// What the storage knows comes to the clients as it is: numbers of nodes that are
// in the list, and no more than a message may have.
func TestStorageIsShown(t *testing.T) {
	self, other := machine.Peer{ID: id.Of([]byte("self"))}, machine.Peer{ID: id.Of([]byte("other"))}
	truth := &node.TruthStats{
		Of: 7, Looked: 6, Zone: 1, Zones: 4, Votes: 3, Failed: 2,
		Parts: []node.TruthPart{{Peer: self, Zone: 1, Cell: []world.Pos{{X: -1}, {X: 5}, {Z: 9}}}, {Peer: other, Zone: 2}},
		Look:  []node.TruthLook{{Region: world.RegionPos{X: 3}, Voted: true, Storers: []node.TruthStorer{{Peer: other, Zone: 2}}}},
		Accused: map[id.ID]node.Accusal{
			other.ID: {Of: 5, Region: world.RegionPos{Z: -2}, Zones: 3, Proofs: 9, Cut: true},
		},
	}
	m := hostsOf(node.Stats{Self: self, Truth: truth}, nil)
	if len(m.Nodes) != 2 || len(m.Truth) != 1 {
		t.Fatalf("%d nodes and %d storages are told, want 2 and 1", len(m.Nodes), len(m.Truth))
	}
	got := m.Truth[0]
	switch {
	case got.Update != 7 || got.Looked != 6 || got.Zone != 1 || got.Zones != 4 || got.Votes != 3 || got.Failed != 2:
		t.Errorf("figures: %+v", got)
	case len(got.Parts) != 2 || got.Parts[0].Node != 0 || len(got.Parts[0].Cell) != 3 || got.Parts[1].Node != 1 || got.Parts[1].Zone != 2:
		t.Errorf("parts: %+v", got.Parts)
	case len(got.Looks) != 1 || !got.Looks[0].Voted || got.Looks[0].Region.X != 3 || len(got.Looks[0].Storers) != 1 || got.Looks[0].Storers[0].Node != 1:
		t.Errorf("looks: %+v", got.Looks)
	case len(got.Accused) != 1 || got.Accused[0].Node != other.ID || !got.Accused[0].Cut || got.Accused[0].Proofs != 9 || got.Accused[0].Region.Z != -2:
		t.Errorf("accused: %+v", got.Accused)
	}

	for i := range 2000 { // more than a message may have
		p := machine.Peer{ID: id.Of([]byte{byte(i), byte(i >> 8)})}
		truth.Parts = append(truth.Parts, node.TruthPart{Peer: p})
		truth.Look[0].Storers = append(truth.Look[0].Storers, node.TruthStorer{Peer: p})
		truth.Look = append(truth.Look, node.TruthLook{Region: world.RegionPos{X: int32(i)}})
		truth.Accused[p.ID] = node.Accusal{Of: int64(i)}
	}
	b := wire.Encode(hostsOf(node.Stats{Self: self, Truth: truth}, nil))
	back, err := wire.DecodeNode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(wire.Encode(back), b) {
		t.Error("it is read otherwise than it was written")
	}
}
