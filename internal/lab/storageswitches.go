package lab

import (
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

var storageSwitchesExperiment = Experiment{
	Name:          "storage-switches",
	Shows:         "what each mechanism of the hardened storage brings and costs, alone, left out and all together: bytes, latency, replays and replicas",
	Source:        "TARGETS 21; thesis 7, outlook",
	Deterministic: true,
	Many:          true,
	Settings: []Setting{ // it chooses the protocol itself, and there are many
		{"nodes", "60", "", "nodes that join within ten minutes"},
		{"r", "4", "", "zones"},
		{"updates", "4", "", "of 10 s each, the last two without churn"},
		swingSetting, silentSetting,
	},
	Run: runStorageSwitches,
}

// switchedProtocols are those that are compared: the thesis' with each switch,
// and the hardened one without each.
func switchedProtocols() []storage.Protocol {
	out := []storage.Protocol{storage.ProtocolThesis}
	for _, name := range storage.Switches() {
		switch name {
		case "ring", "deltas", "pins": // nothing without digests
			out = append(out, storage.ProtocolThesis.With("digests").With(name))
		case "quorum":
			out = append(out, storage.ProtocolThesis.With("digests").With("receipts").With(name))
		case "terse": // what is left out is what the others have made comparable
			out = append(out, storage.ProtocolThesis.With("digests").With("deltas").With("pins").With(name))
		case "owners":
			out = append(out, storage.ProtocolThesis.With("majority").With("digests").With(name))
		case "storers":
			out = append(out, storage.ProtocolThesis.With("receipts").With(name))
		default:
			out = append(out, storage.ProtocolThesis.With(name))
		}
	}
	for _, name := range storage.Switches() {
		out = append(out, storage.ProtocolHardened.Without(name))
	}
	return append(out, storage.ProtocolHardened)
}

func runStorageSwitches(t *Trial) error {
	groups, results, err := doProtocols(t, true, switchedProtocols()...)
	if err != nil {
		return err
	}
	table := Table{Name: "switches", Title: "What the switches bring: means over the runs", Columns: []string{
		"nodes", "r", "protocol", "upstream, B/s", "actions, ms", "update area, ms", "interest, ms",
		"replays", "r_eff", "lost", "missing", "incorrect", "updates that failed"}}
	for i, g := range groups {
		mean := func(get func(storageResult) float64) float64 { return over(results[i], get).Mean }
		took := func(k storage.Kind) float64 {
			return mean(func(r storageResult) float64 { return r.Queries[k].MedianMs })
		}
		bytes := mean(func(r storageResult) float64 { return r.Bandwidth.Mean })
		table.Row(g.Nodes, g.R, g.Protocol.String(), bytes, took(storage.ForActions), took(storage.ForUpdate), took(storage.ForLook),
			mean(func(r storageResult) float64 { return float64(r.Replays) }),
			mean(func(r storageResult) float64 { return float64(r.Data.Replicas) / float64(r.Data.Objects) }),
			mean(func(r storageResult) float64 { return float64(r.Data.Lost) }),
			mean(func(r storageResult) float64 { return float64(r.Data.Missing) }),
			mean(func(r storageResult) float64 { return float64(r.Data.Wrong) }),
			mean(func(r storageResult) float64 { return float64(r.Failed) }))
		if g.Protocol == storage.ProtocolThesis || g.Protocol == storage.ProtocolHardened {
			t.Metric(g.Protocol.String()+"_b_s"+g.key(), bytes, "B/s")
		}
	}
	t.Table(table)
	return nil
}
