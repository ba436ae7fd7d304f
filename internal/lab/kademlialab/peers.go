package kademlialab

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Peers = lab.Experiment{
	Name:   "kademlia-peers",
	Shows:  "a lookup of the k closest among nodes in one process over loopback sockets, from a node without any session; if asked beside go-libp2p-kad-dht",
	Source: "go-libp2p-kad-dht v0.42.1, 50 hosts: 27 to 35 ms cold, 4.2 ms warm",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "50", Text: "in the network"},
		{Name: "lookups", Default: "50", Text: "cold ones, each from a node that has just started; then as many for another target, and for that once more"},
		{Name: "kaddht", Default: "none", Text: "the program of tools/kaddht, built: go build -C tools/kaddht -o kaddht . ; none: it is left out"},
	},
	Run: runKademliaPeers,
}

// settleFor is more than a node waits until it shows strangers who it is.
const settleFor = 200 * time.Millisecond

func runKademliaPeers(t *lab.Trial) error {
	nodes, lookups := t.Int("nodes", 2), t.Int("lookups", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	all, stop, err := dirNetwork(t, nodes)
	if err != nil {
		return err
	}
	defer stop()
	var cold, warm, again, asked []float64
	for i := range lookups {
		// A node that knows everybody the source knows, but has spoken to nobody:
		// every node that it asks costs a handshake.
		source := all[i%nodes]
		fresh, err := startDirNode(t.Seed, nodes+i)
		if err != nil {
			return err
		}
		defer fresh.stop() // not before: those who have got to know it would ask it
		known := source.contacts(t)
		if err := fresh.call(t.Context, func() {
			for _, p := range known {
				fresh.kad.Table().Seen(p)
			}
		}); err != nil {
			return err
		}
		other := id.Of(fmt.Append(nil, "again ", t.Seed, i))
		for _, l := range []struct {
			target id.ID
			into   *[]float64
		}{
			{id.Of(fmt.Append(nil, "target ", t.Seed, i)), &cold},
			{other, &warm},  // more than half of its nodes have not been spoken to either
			{other, &again}, // now all have
		} {
			// Who was asked hears afterwards who has asked, which is no part of
			// the lookup, and is over when the next one begins.
			time.Sleep(settleFor)
			r, took, err := fresh.lookup(t.Context, l.target)
			if err != nil {
				return err
			}
			if *l.into = append(*l.into, took.Seconds()*1e3); l.into == &cold {
				asked = append(asked, float64(r.Asked))
			}
		}
	}
	theirs := struct {
		Cold  float64 `json:"cold_ms"`
		Warm  float64 `json:"warm_ms"`
		Again float64 `json:"again_ms"`
	}{35, 4.2, 0}
	if program := t.Text("kaddht"); program != "none" {
		t.Logf("go-libp2p-kad-dht")
		cmd := exec.CommandContext(t.Context, program, fmt.Sprint(nodes), fmt.Sprint(lookups))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
		if err := json.Unmarshal(out, &theirs); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
		t.Metric("kaddht_cold_ms", theirs.Cold, "ms")
		t.Metric("kaddht_warm_ms", theirs.Warm, "ms")
		t.Metric("kaddht_again_ms", theirs.Again, "ms")
		t.Metric("of_kaddht", lab.Percentile(cold, 0.5)/theirs.Cold, "")
	}
	t.Against("cold_ms", lab.Percentile(cold, 0.5), "ms", theirs.Cold)
	t.Metric("cold_p99_ms", lab.Percentile(cold, 0.99), "ms")
	t.Against("warm_ms", lab.Percentile(warm, 0.5), "ms", theirs.Warm)
	t.Metric("again_ms", lab.Percentile(again, 0.5), "ms")
	t.Metric("contacted_mean", lab.Mean(asked), "")
	return nil
}
