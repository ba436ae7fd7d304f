package gateway

import "github.com/prometheus/client_golang/prometheus"

// Figures of the storage and of the audit, of nodes that have them.
var (
	updateDesc  = desc("storage_update", "The update of the storage that the node's state is of.")
	unknownDesc = desc("storage_unknown_cells", "Cells that the node is responsible for in the storage and knows nothing about.")
	failedDesc  = desc("storage_failed_updates_total", "Updates of the storage that the node could not make.")
	falseDesc   = desc("storage_false_answers_total", "Answers of other nodes that more than half of the zones contradict.")

	waitingMetric     = renamed("audit_waiting_edits", "witness_waiting_edits", "Edits of players here that are not in the agreed state yet.")
	takenMetric       = renamed("audit_agreed_edits_total", "witness_voted_edits_total", "Edits of players here that are in the agreed state.")
	refusedMetric     = renamed("audit_refused_edits_total", "witness_refused_edits_total", "Edits of players here that were given up because the zones did not take them.")
	differingMetric   = renamed("audit_differing_blocks", "witness_differing_blocks", "Blocks that regions show otherwise than the zones have them.")
	accusationsMetric = renamed("audit_accusations_total", "witness_charges_total", "Accusations against leaders of regions.")
)

func describeStorage(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{updateDesc, unknownDesc, failedDesc, falseDesc} {
		ch <- d
	}
	for _, m := range []renamedMetric{waitingMetric, takenMetric, refusedMetric, differingMetric, accusationsMetric} {
		m.describe(ch)
	}
}

func collectStorage(ch chan<- prometheus.Metric, t *Storage) {
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
	if a := t.Audit; a != nil {
		waitingMetric.collect(ch, prometheus.GaugeValue, float64(a.Waiting))
		takenMetric.collect(ch, prometheus.CounterValue, float64(a.Taken))
		refusedMetric.collect(ch, prometheus.CounterValue, float64(a.Refused))
		differingMetric.collect(ch, prometheus.GaugeValue, float64(a.Differing))
		accusationsMetric.collect(ch, prometheus.CounterValue, float64(a.Accusations))
	}
}
