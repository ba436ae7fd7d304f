package kademlialab

import (
	"bytes"
	"slices"
	"sort"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// fill adds nodes until there are size and gives all of them the tables of a
// settled network: of each bucket's range k nodes at random, or all if there are
// fewer. Large networks are made so when their growing is not what is looked at.
func (n *kadNet) fill(size int, bad func() bool) {
	for len(n.live) < size {
		n.start(n.nextPeer(), bad())
	}
	sorted := slices.Clone(n.live)
	slices.SortFunc(sorted, func(a, b *kadNode) int { return compareIDs(a.Peer().ID, b.Peer().ID) })
	for _, o := range n.live {
		self, lo, hi := o.Peer().ID, 0, len(sorted)
		for bit := 0; hi-lo > 1 && bit < kademlia.Bits; bit++ {
			mid := lo + sort.Search(hi-lo, func(i int) bool { return bitAt(sorted[lo+i].Peer().ID, bit) })
			other := sorted[mid:hi]
			if bitAt(self, bit) {
				other, lo = sorted[lo:mid], mid
			} else {
				hi = mid
			}
			if len(other) > 0 {
				n.know(o, other)
				o.kad.Table().Touch(other[0].Peer().ID, n.sim.Now())
			}
		}
	}
	n.sim.Run(30 * time.Second)
}

// know puts k of the others into a node's table.
func (n *kadNet) know(o *kadNode, others []*kadNode) {
	if len(others) <= n.k() {
		for _, p := range others {
			o.kad.Table().Seen(p.Peer())
		}
		return
	}
	for picked := make([]int, 0, n.k()); len(picked) < n.k(); {
		if i := n.rand.Intn(len(others)); !slices.Contains(picked, i) {
			picked = append(picked, i)
			o.kad.Table().Seen(others[i].Peer())
		}
	}
}

func compareIDs(a, b id.ID) int { return bytes.Compare(a[:], b[:]) }

// bitAt returns a bit of an id, counted from the most significant.
func bitAt(v id.ID, bit int) bool { return v[bit/8]>>(7-bit%8)&1 == 1 }
