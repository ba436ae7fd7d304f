package sim

import (
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Internet is the network model of the thesis (6.1.3): each message passes its
// sender's upstream channel, takes a random latency, passes the receiver's
// downstream channel, and waits there for older ones of the same link. Links
// begin and end with handshakes. A nil Internet in Config is the simple model:
// a delay, order, nothing else.
type Internet struct {
	// Latency is a Pareto distribution, truncated: at least Min, at most Max.
	Min, Max time.Duration
	Shape    float64 // k
	// Rate of the channels in bytes a second, up and down; 0: no limit.
	Rate float64
	// Header is what each message carries besides its payload, in bytes;
	// Segment is a message without payload (TCP's own).
	Header, Segment int
	// Certs are the three messages that exchange certificates, in bytes.
	Certs [3]int
	// Loss is the share of datagrams that are lost.
	Loss float64
	// Ping is how often each end of a link asks whether the other is there, so
	// that a silent failure is noticed; 0: never, only when something is sent.
	Ping time.Duration
	// Timeout is when a link that is cut (Sim.Cut) fails.
	Timeout time.Duration
	// Clocks says how the nodes' clocks go wrong; nil: they are right.
	Clocks *Clocks
}

// ThesisInternet returns the parameters of the thesis (6.2.1). Of its two sizes
// of the TCP/IP header, 40 bytes (6.1.3) and 42 (6.2.1), the latter.
func ThesisInternet() *Internet {
	return &Internet{
		Min: 20 * time.Millisecond, Max: 5 * time.Second, Shape: 1.5,
		Rate: 100e6 / 8, Header: 74 + 42, Segment: 42, Certs: [3]int{1028, 1060, 32},
		Timeout: 15 * time.Second,
	}
}

// latency draws from the truncated Pareto distribution by its inverse: its mean
// is 56 ms for the thesis' parameters, not 60 as for the whole one. Each node has
// draws of its own, so that they do not go by whose turn it is.
func (n *Node) latency() time.Duration {
	in, least := n.sim.cfg.Internet, n.sim.tail
	u := least + (1-least)*n.draw.Float64()
	var x float64
	if in.Shape == 1.5 {
		c := math.Cbrt(u)
		x = 1 / (c * c)
	} else {
		x = math.Pow(u, -1/in.Shape)
	}
	return min(time.Duration(float64(in.Min)*x), in.Max)
}

// tailOf is the share of the whole Pareto distribution beyond Max.
func tailOf(in *Internet) float64 {
	if in == nil {
		return 0
	}
	return math.Pow(float64(in.Min)/float64(in.Max), in.Shape)
}

// Sizer is a message that knows how long it is on the wire, in bytes, without
// headers. Others count as 64.
type Sizer interface{ Size() int }

func sizeOf(m machine.Message) int {
	if s, ok := m.(Sizer); ok {
		return s.Size()
	}
	return 64
}

// Cut partitions the network: while cut reports true for two nodes, nothing
// gets from one to the other and their links fail by timeout. nil heals it.
func (s *Sim) Cut(cut func(a, b machine.Peer) bool) { s.cut = cut }
