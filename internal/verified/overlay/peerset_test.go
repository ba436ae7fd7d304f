package overlay

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestPeerSet: ids that begin with the same 64 bits are told apart.
func TestPeerSet(t *testing.T) {
	var all []*peer
	var s peerSet
	for k := range byte(12) {
		p := &peer{peer: machine.Peer{ID: id.ID{0: k % 3, 19: k}}}
		all = append(all, p)
		s.put(p)
	}
	for _, gone := range []int{4, 0, 11, 7, 1, 10, 5, 3, 9, 2, 8, 6} {
		for _, p := range all {
			if p != nil && s.get(p.peer.ID) != p {
				t.Fatalf("%v is not found", p.peer.ID)
			}
		}
		s.remove(all[gone])
		if s.get(all[gone].peer.ID) != nil {
			t.Fatalf("%v is found after it was removed", all[gone].peer.ID)
		}
		all[gone] = nil
	}
	if !s.empty() {
		t.Fatal("not empty after all were removed")
	}
}
