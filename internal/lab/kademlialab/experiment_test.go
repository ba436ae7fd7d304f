package kademlialab

import (
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
)

// metricsOf runs an experiment with small settings and returns its metrics.
func metricsOf(t *testing.T, e lab.Experiment, set map[string]string) map[string]float64 {
	t.Helper()
	r, _ := labtest.Run(t, e, set)
	out := map[string]float64{}
	for _, m := range r.Metrics {
		out[m.Name] = m.Value
	}
	return out
}

// kademlia-lookups in small: the k closest are found, whether nodes have joined or their
// tables were filled.
func TestKademliaLookups(t *testing.T) {
	for _, build := range []string{"join", "fill"} {
		m := metricsOf(t, Lookups, map[string]string{"nodes": "120", "lookups": "40", "churn": "0", "build": build})
		if m["found_share"] < 0.99 || m["contacted_mean"] > 40 || m["contacted_mean"] < 15 {
			t.Errorf("%s: %v", build, m)
		}
	}
}

// kademlia-attack in small: eight paths find the k closest among attackers.
func TestKademliaAttack(t *testing.T) {
	m := metricsOf(t, Attack, map[string]string{"nodes": "150", "lookups": "30", "paths": "8", "sybils": "3"})
	if m["found_share"] < 0.97 || m["sybil_found_share_8"] < 0.9 {
		t.Errorf("%v", m)
	}
}

// The directory over real sockets: a small network's lookups end with everybody
// that there is.
func TestKademliaPeers(t *testing.T) {
	m := metricsOf(t, Peers, map[string]string{"nodes": "8", "lookups": "3"})
	if m["contacted_mean"] < 8 || m["cold_ms"] <= 0 {
		t.Errorf("%v", m)
	}
}
