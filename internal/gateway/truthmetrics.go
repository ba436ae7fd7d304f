package gateway

import "github.com/prometheus/client_golang/prometheus"

// Figures of the storage and the witness, of nodes that have them.
var (
	updateDesc    = desc("storage_update", "The update of the storage that the node's state is of.")
	unknownDesc   = desc("storage_unknown_cells", "Cells of the node's part of the storage that nothing is known about.")
	failedDesc    = desc("storage_failed_updates_total", "Updates of the storage that the node could not make.")
	falseDesc     = desc("storage_false_answers_total", "Answers of other nodes that more than half of the zones contradict.")
	waitingDesc   = desc("witness_waiting_edits", "Edits of players here that are not in the voted state yet.")
	takenDesc     = desc("witness_voted_edits_total", "Edits of players here that are in the voted state.")
	refusedDesc   = desc("witness_refused_edits_total", "Edits of players here that were given up because the zones did not take them.")
	differingDesc = desc("witness_differing_blocks", "Blocks that regions show otherwise than they are voted.")
	chargesDesc   = desc("witness_charges_total", "Charges against leaders of regions.")
)

func describeTruth(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{updateDesc, unknownDesc, failedDesc, falseDesc, waitingDesc, takenDesc, refusedDesc, differingDesc, chargesDesc} {
		ch <- d
	}
}

func collectTruth(ch chan<- prometheus.Metric, t *Truth) {
	if t == nil {
		return
	}
	is := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
		ch <- prometheus.MustNewConstMetric(d, kind, v)
	}
	is(updateDesc, prometheus.GaugeValue, float64(t.Update))
	is(unknownDesc, prometheus.GaugeValue, float64(t.Unknown))
	is(failedDesc, prometheus.CounterValue, float64(t.Failed))
	is(falseDesc, prometheus.CounterValue, float64(t.False))
	if w := t.Witness; w != nil {
		is(waitingDesc, prometheus.GaugeValue, float64(w.Waiting))
		is(takenDesc, prometheus.CounterValue, float64(w.Taken))
		is(refusedDesc, prometheus.CounterValue, float64(w.Refused))
		is(differingDesc, prometheus.GaugeValue, float64(w.Differing))
		is(chargesDesc, prometheus.CounterValue, float64(w.Charges))
	}
}
