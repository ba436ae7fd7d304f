package overlay_test

import (
	"flag"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

var sweep = flag.Uint64("seeds", 4, "how many seeds the tests of the structure go through")

func seeds(t *testing.T) uint64 {
	if testing.Short() {
		return 1
	}
	return *sweep
}

// TestJoinOneByOne: 4.4, nodes that join one after the other.
func TestJoinOneByOne(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		for range 40 {
			b.add()
			b.sim.Run(2 * time.Second)
		}
		b.exact("joins", time.Minute)
	}
}

// TestMassJoin: 4.3.1, concurrent joins are common while the overlay is small.
func TestMassJoin(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 9)
		b.add()
		b.sim.Run(time.Second)
		for range 59 {
			b.add()
		}
		b.exact("mass join", 2*time.Minute)
	}
}

// TestDepartures: 4.3.5, nodes that leave by closing their links.
func TestDepartures(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		grow(b, 50)
		for len(b.live()) > 5 {
			live := b.live()
			b.stop(live[b.rand.Intn(len(live))])
			b.sim.Run(time.Duration(b.rand.Intn(int(2 * time.Second))))
		}
		b.exact("departures", time.Minute)
	}
}

// TestHalfFail: half of all nodes at once; survivors have lost half of their
// neighbours, some all of them.
func TestHalfFail(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		grow(b, 70)
		for i, m := range b.all {
			if i%2 == 0 {
				b.crash(m)
			}
		}
		b.exact("half failed", 5*time.Minute)
	}
}

// TestFlashCrowd: 3 joins for each node that is there, at once.
func TestFlashCrowd(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		grow(b, 20)
		for range 60 {
			b.add()
		}
		b.exact("flash crowd", 3*time.Minute)
	}
}

// TestPartition: two halves that cannot hear each other each become a Delaunay
// graph of their own, and one again when they can.
func TestPartition(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		grow(b, 40)
		side := map[machine.Peer]int{}
		for i, m := range b.all {
			side[m.Peer()] = i % 2
		}
		b.sim.Cut(func(x, y machine.Peer) bool { return side[x] != side[y] })
		b.sim.Run(5 * time.Minute)
		b.sim.Cut(nil)
		if b.wrong() == 0 {
			t.Fatal("the partition was not noticed")
		}
		b.exact("partition healed", 20*time.Minute)
	}
}

// TestOneLine: nodes in one line have no Delaunay triangle at all.
func TestOneLine(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		for i := range 20 {
			b.addAt(geom.Point{X: int32(1000 + 7919*i%20*10_000), Y: 100_000})
			b.sim.Run(300 * time.Millisecond)
		}
		b.exact("one line", 2*time.Minute)
		b.crash(b.all[7])
		b.crash(b.all[3])
		b.exact("one line after failures", 2*time.Minute)
	}
}

// TestGrid: four nodes on a circle have no unique triangulation; all choose the
// same.
func TestGrid(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		for i := range 49 {
			b.addAt(geom.Point{X: int32(i * 5 % 7 * 10_000), Y: int32(i / 7 * 10_000)})
			b.sim.Run(200 * time.Millisecond)
		}
		b.exact("grid", 2*time.Minute)
	}
}

// TestLongChurn: joins, departures and failures at the same time, then a quiet
// minute as in 6.3.2.
func TestLongChurn(t *testing.T) {
	simtest.Long(t)
	for seed := range seeds(t) {
		b := newBed(t, seed, 16)
		grow(b, 40)
		for range 80 {
			live := b.live()
			switch k := b.rand.Intn(4); {
			case k < 2:
				b.add()
			case len(live) > 20 && k == 2:
				b.stop(live[b.rand.Intn(len(live))])
			case len(live) > 20:
				b.crash(live[b.rand.Intn(len(live))])
			}
			b.sim.Run(time.Duration(b.rand.Intn(int(time.Second))))
		}
		b.exact("churn", time.Minute)
	}
}

// TestSilence: 4.3.1, without changes no views are exchanged; what goes on is the
// search for others that may not know of us, ever more slowly.
func TestSilence(t *testing.T) {
	b := newBed(t, 1, 4)
	grow(b, 50)
	b.sim.Run(10 * time.Minute)
	seen := &sim.Traffic{}
	b.sim.Watch(seen)
	b.sim.Run(10 * time.Minute)
	for _, row := range seen.Rows() {
		switch row.Name {
		case "JoinRequest", "ConnectionInfo": // stabilize
			if row.Messages > 50*10 {
				t.Errorf("%d %ss in ten quiet minutes", row.Messages, row.Name)
			}
		default:
			t.Errorf("%d %ss in ten quiet minutes", row.Messages, row.Name)
		}
	}
}

func grow(b *bed, n int) {
	b.t.Helper()
	b.add()
	b.sim.Run(time.Second)
	for range n - 1 {
		b.add()
		b.sim.Run(200 * time.Millisecond)
	}
	b.exact("grown", 2*time.Minute)
}
