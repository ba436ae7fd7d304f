package hostpolicy

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Order sorts nodes by how early they are asked to host the shard with a key, and to say
// what they know of it.
type Order func(key id.ID, nodes []machine.Peer)

// Nearest is the order of an open world: by the distance of ids from the key. Who searches
// for a key chooses its distances.
func Nearest(key id.ID, nodes []machine.Peer) { kademlia.SortNearest(key, nodes) }

// ByPlace is the order of a world with an authority: by a hash of the shard's key and the
// place that the authority has drawn for a node, which no choice of a key changes
// (rendezvous hashing; decision 165). Nodes whose places are not known come last, nearest
// first.
func ByPlace(place func(id.ID) (geom.Point, bool)) Order {
	type placed struct {
		peer  machine.Peer
		rank  id.ID
		known bool
	}
	return func(key id.ID, nodes []machine.Peer) {
		kademlia.SortNearest(key, nodes)
		list := make([]placed, len(nodes))
		for i, p := range nodes {
			at, known := place(p.ID)
			list[i] = placed{p, rankAt(key, at), known}
		}
		slices.SortStableFunc(list, func(a, b placed) int {
			switch {
			case a.known && b.known:
				return slices.Compare(a.rank[:], b.rank[:])
			case a.known:
				return -1
			case b.known:
				return 1
			}
			return 0
		})
		for i := range list {
			nodes[i] = list[i].peer
		}
	}
}

// rankAt is how early a node at a place is asked about the shard with a key.
func rankAt(key id.ID, at geom.Point) id.ID {
	b := append([]byte("voxelpopuli host\n"), key[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(at.X))
	return id.Of(binary.BigEndian.AppendUint32(b, uint32(at.Y)))
}
