package kademlialab

import (
	"runtime"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Memory = lab.Experiment{
	Name:   "kademlia-memory",
	Shows:  "what an idle directory node holds in a network of many in one process: sockets, sessions with those it knows, tables, stacks",
	Source: "go-libp2p-kad-dht 6 to 10 MB at 50 to 100 nodes",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "200", Text: "in the network; the full size is 1000"},
	},
	Run: runKademliaMemory,
}

func runKademliaMemory(t *lab.Trial) error {
	nodes := t.Int("nodes", 2)
	if err := t.Settings(); err != nil {
		return err
	}
	before, resident := lab.LiveHeap(), lab.ReadMemory().Resident
	goroutines, stacks := runtime.NumGoroutine(), stackMB()
	all, stop, err := dirNetwork(t, nodes)
	if err != nil {
		return err
	}
	defer stop()
	time.Sleep(3 * time.Second) // joins and their refreshes end
	contacts := 0
	for _, d := range all {
		if err := d.call(t.Context, func() { contacts += d.kad.Table().Len() }); err != nil {
			return err
		}
	}
	heap, stack := lab.LiveHeap()-before, stackMB()-stacks
	per := func(mb float64) float64 { return mb * 1000 / float64(nodes) }
	t.Against("node_kb", per(heap+stack), "kB", 6000)
	t.Metric("heap_kb", per(heap), "kB")
	t.Metric("stack_kb", per(stack), "kB")
	t.Metric("resident_kb", per(lab.ReadMemory().Resident-resident), "kB")
	t.Metric("goroutines", float64(runtime.NumGoroutine()-goroutines)/float64(nodes), "")
	t.Metric("contacts", float64(contacts)/float64(nodes), "")
	runtime.KeepAlive(all)
	return nil
}

// stackMB is what the stacks of all goroutines take.
func stackMB() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.StackInuse) / 1e6
}
