package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// Without attackers both protocols keep the world right: while nodes come and
// go, and exactly as the sequential replay has it once they stay. Where zones vote for
// whole answers it takes enough nodes: of 40 networks of 24 nodes one or two were
// wrong in the end with the thesis' protocol, of 40 networks of 48 none.
func TestLongProtocolsAgreeWithSequentialReplay(t *testing.T) {
	simtest.Long(t)
	const last = 5
	for _, p := range []struct {
		storage.Protocol
		nodes int
		wire  bool // as real nodes do, which say digests and no more
	}{{storage.ProtocolThesis, 48, false}, {storage.ProtocolHardened, 24, false}, {storage.ProtocolHardened, 24, true}} {
		name := p.String()
		if p.wire {
			name += " between real nodes"
		}
		t.Run(name, func(t *testing.T) {
			nodes := p.nodes
			b := newBed(t, 5, 4, nodes, 2*time.Minute)
			b.protocol, b.wire = p.Protocol, p.wire
			next := nodes
			for of := int64(0); of <= last; of++ {
				b.playAll(of)
				if of >= 1 && of <= last-3 {
					b.sim.At(b.update(of).Add(b.after(interval)), func() { b.start(next); next++ })
					b.sim.At(b.update(of).Add(b.after(interval)), func() { b.any().Stop() })
				}
				b.settle(of)
			}
			b.worldIsWhole(last)
			// One certified copy of a player's actions is enough.
			single, count := 0, 0
			for _, r := range b.reports {
				if r.Kind == messages.ForActions {
					count++
					if r.Answers == 1 {
						single++
					}
				}
			}
			if share := float64(single) / float64(count); (p.Protocol == storage.ProtocolHardened) != (share > 0.8) {
				t.Errorf("%.2f of the retrievals of actions take one answer", share)
			}
		})
	}
}
