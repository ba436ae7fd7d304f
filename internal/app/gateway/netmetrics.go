package gateway

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// What the network of nodes does, as Prometheus counts it: all of
// transport.NetStats.
var (
	netPackets    = labelled("node_packets_total", "Packets from and to other nodes, by direction and what they are of.", "direction", "class")
	netBytes      = labelled("node_packet_bytes_total", "Their bytes, without the headers of IP and UDP.", "direction", "class")
	netMessages   = labelled("node_messages_total", "Messages from and to other nodes, by direction and type.", "direction", "type")
	netContent    = labelled("node_message_bytes_total", "Their bytes.", "direction", "type")
	netOpened     = labelled("node_links_opened_total", "Links that others (in) and this node (out) have opened.", "direction")
	netHandshakes = labelled("node_handshakes_total", "Handshakes of datagram sessions that others (in) and this node (out) have begun.", "direction")
	netFailures   = labelled("node_failures_total", "What went wrong between nodes, by reason.", "reason")
	netUnread     = labelled("node_unread_packets_total", "Packets that were not read in time, by whose queue was full.", "queue")
	netPending    = desc("node_pending_handshakes", "Handshakes of links that others have begun.")
	netSessions   = desc("node_datagram_sessions", "Sessions of datagrams.")
)

func labelled(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("voxelpopuli_"+name, help, labels, nil)
}

func describeNet(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{netPackets, netBytes, netMessages, netContent, netOpened, netHandshakes, netFailures, netUnread, netPending, netSessions} {
		ch <- d
	}
}

func collectNet(ch chan<- prometheus.Metric, s *transport.NetStats) {
	total := func(d *prometheus.Desc, v uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	for i := range socket.Classes {
		class := i.String()
		total(netPackets, s.Socket.In[i].Packets, "in", class)
		total(netPackets, s.Socket.Out[i].Packets, "out", class)
		total(netBytes, s.Socket.In[i].Bytes, "in", class)
		total(netBytes, s.Socket.Out[i].Bytes, "out", class)
	}
	for _, k := range s.Kinds {
		total(netMessages, k.MessagesIn, "in", k.Name)
		total(netMessages, k.MessagesOut, "out", k.Name)
		total(netContent, k.BytesIn, "in", k.Name)
		total(netContent, k.BytesOut, "out", k.Name)
	}
	for i, direction := range []string{"in", "out"} {
		total(netOpened, s.Opened[i], direction)
		total(netHandshakes, s.Handshakes[i], direction)
	}
	for reason, n := range s.Failures {
		total(netFailures, n, reason)
	}
	total(netUnread, s.Socket.Dropped, "node")
	total(netUnread, s.Socket.Kernel, "kernel")
	ch <- prometheus.MustNewConstMetric(netPending, prometheus.GaugeValue, float64(s.Pending))
	ch <- prometheus.MustNewConstMetric(netSessions, prometheus.GaugeValue, float64(s.Sessions))
}
