package overlay

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// TestNearestHop: the hop that is nearest to a place is the one that looking at
// all of them finds, also among places that are equally far; hops come and go.
func TestNearestHop(t *testing.T) {
	for seed := range uint64(200) {
		r := rng.New(seed, 1)
		extent := []int{4, 30, 1 << 20}[r.Intn(3)]
		place := func() geom.Point { return geom.Point{X: int32(r.Intn(extent)), Y: int32(r.Intn(extent))} }
		var h hops
		var all []*peer
		for range 100 {
			if len(all) > 0 && r.OneIn(3) {
				i := r.Intn(len(all))
				h.take(all[i])
				all = append(all[:i], all[i+1:]...)
			} else {
				p := &peer{Contact: &Contact{Pos: place()}, why: routed}
				h.put(p)
				all = append(all, p)
			}
			if r.OneIn(10) {
				h.gather(all)
			}
			to, self, except := place(), place(), -1
			if len(all) > 0 && r.OneIn(4) {
				except = r.Intn(len(all))
			}
			near := self
			for i, p := range h.peers {
				if i != except && geom.Closer(to, p.Pos, near) {
					near = p.Pos
				}
			}
			got := self
			if i := h.nearest(to, self, except); i >= 0 {
				got = h.peers[i].Pos
			}
			if got != near || len(h.peers) != len(all) {
				t.Fatalf("seed %d: %v is the nearest to %v from %v, not %v; %d hops of %d", seed, got, to, self, near, len(h.peers), len(all))
			}
		}
	}
}
