package gateway

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// netCollector collects some figures for a test.
type netCollector struct{ s transport.NetStats }

func (c netCollector) Describe(ch chan<- *prometheus.Desc) { describeNet(ch) }
func (c netCollector) Collect(ch chan<- prometheus.Metric) { collectNet(ch, &c.s) }

// TestNetMetrics: each of the network's figures is there, once, under its labels.
func TestNetMetrics(t *testing.T) {
	s := transport.NetStats{
		Opened: [2]uint64{1, 2}, Pending: 3, Sessions: 4, Handshakes: [2]uint64{5, 6},
		Kinds:    []transport.Kind{{Name: "*node.Who", MessagesIn: 7, BytesIn: 8, MessagesOut: 9, BytesOut: 10}},
		Failures: map[string]uint64{"refused": 11},
	}
	s.Socket.Dropped, s.Socket.Kernel = 12, 13
	s.Socket.In[socket.QUIC] = socket.Count{Packets: 14, Bytes: 15}
	s.Socket.Out[socket.Datagram] = socket.Count{Packets: 16, Bytes: 17}
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(netCollector{s}); err != nil {
		t.Fatal(err)
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float64]string{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			v := m.GetCounter().GetValue() + m.GetGauge().GetValue()
			if v != 0 && seen[v] != "" {
				t.Errorf("%v is in %s and %s", v, seen[v], f.GetName())
			}
			seen[v] = f.GetName()
		}
	}
	for v := 1.0; v <= 17; v++ {
		if seen[v] == "" {
			t.Errorf("the figure %v is not shown", v)
		}
	}
}
