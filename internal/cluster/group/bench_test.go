package group

import (
	"runtime"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
)

// BenchmarkWrite is a write on three nodes, one after the other: the time of
// all three, how long it takes in virtual time (a link's delay 0.5 ms, a sync
// 2 ms), and how many syncs a node makes for it.
func BenchmarkWrite(b *testing.B) { benchmarkWrites(b, 1) }

// BenchmarkWrites are 64 at a time.
func BenchmarkWrites(b *testing.B) { benchmarkWrites(b, 64) }

func benchmarkWrites(b *testing.B, at int) {
	net := newNet(b, 1, sim.Config{Delay: 500 * time.Microsecond}, Config{}, 3)
	net.create(0, 1, 2)
	net.node(0).applier.onApply, net.node(1).applier.onApply, net.node(2).applier.onApply = nil, nil, nil
	began, syncs := net.sim.Now(), net.nodes[0].Disk.Writes
	b.ReportAllocs()
	for b.ResetTimer(); b.Loop(); {
		var tag uint64
		for range at {
			tag = net.put(0, "a")
		}
		net.until("it is done", net.ended(0, tag))
		clear(net.node(0).results)
	}
	n := float64(b.N * at)
	b.ReportMetric(float64(net.sim.Now().Sub(began))/float64(b.N)/1e6, "virtual-ms/op")
	b.ReportMetric(float64(net.nodes[0].Disk.Writes-syncs)/n, "syncs/write")
	b.ReportMetric(float64(b.Elapsed())/n, "ns/write")
}

// BenchmarkIdle is a second of a group of three that is awake and has nothing
// to do.
func BenchmarkIdle(b *testing.B) {
	net := newNet(b, 1, sim.Config{}, Config{}, 3)
	net.create(0, 1, 2)
	events := net.sim.Events()
	b.ReportAllocs()
	for b.Loop() {
		net.sim.Run(time.Second)
	}
	b.ReportMetric(float64(net.sim.Events()-events)/float64(b.N), "events/op")
}

// BenchmarkMemory is what a replica takes while it sleeps.
func BenchmarkMemory(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const groups = 100
	for b.Loop() {
		before := heap()
		var nets []*testnet
		for seed := range uint64(groups) {
			net := newNet(b, seed, sim.Config{}, Config{}, 3)
			net.create(0, 1, 2)
			net.nodes[0].Call(func() { net.node(0).Hibernate() })
			net.until("it sleeps", func() bool { return net.node(0).Status().Asleep && net.node(1).Status().Asleep })
			nets = append(nets, net)
		}
		b.ReportMetric(float64(heap()-before)/groups/3/1024, "kB/replica")
		runtime.KeepAlive(nets)
	}
}
