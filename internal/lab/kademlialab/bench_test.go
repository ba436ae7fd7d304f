package kademlialab

import (
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// BenchmarkLookup is a lookup among 50 nodes over loopback sockets: from a node
// that has just started, so that each of the nodes asked costs a handshake, and
// once more for the same target. What it takes to start a node does not count.
func BenchmarkLookup(b *testing.B) {
	t := &lab.Trial{Context: b.Context(), Seed: 1}
	all, stop, err := dirNetwork(t, 50)
	if err != nil {
		b.Fatal(err)
	}
	defer stop()
	var again, cpu time.Duration
	asked := 0
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		fresh, err := startDirNode(t.Seed, len(all)+i)
		if err != nil {
			b.Fatal(err)
		}
		defer fresh.stop() // not before: those who have got to know it would ask it
		known := all[i%len(all)].contacts(t)
		if err := fresh.call(t.Context, func() {
			for _, p := range known {
				fresh.kad.Table().Seen(p)
			}
		}); err != nil {
			b.Fatal(err)
		}
		target := id.Of(fmt.Append(nil, "target ", i))
		cpu -= lab.CPUTime()
		b.StartTimer()
		r, _, err := fresh.lookup(t.Context, target)
		b.StopTimer()
		cpu += lab.CPUTime()
		if err != nil {
			b.Fatal(err)
		}
		asked += r.Asked
		time.Sleep(settleFor)
		_, took, err := fresh.lookup(t.Context, target)
		if err != nil {
			b.Fatal(err)
		}
		again += took
		b.StartTimer()
	}
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs") // of all nodes
	b.ReportMetric(float64(again.Microseconds())/float64(b.N), "again-µs")
	b.ReportMetric(float64(asked)/float64(b.N), "asked")
}
