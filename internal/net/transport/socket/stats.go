package socket

import "sync/atomic"

// Class is whose packet it is.
type Class uint8

// The classes, by the first byte.
const (
	Aux Class = iota // STUN, ICE, DTLS
	QUIC
	Datagram
	Classes
)

func (c Class) String() string { return [...]string{"auxiliary", "quic", "datagram"}[c] }

func classOf(b []byte) Class {
	switch {
	case len(b) == 0 || b[0] < 0x40:
		return Aux
	case b[0]&0xc0 == 0x80:
		return Datagram
	}
	return QUIC
}

// Count counts packets and their bytes (without the headers of IP and UDP).
type Count struct{ Packets, Bytes uint64 }

// Stats are a socket's figures since it was opened. Packets that QUIC sends
// with segmentation offload count as one.
type Stats struct {
	In, Out [Classes]Count
	Dropped uint64 // ours: nobody has read them in time
	Kernel  uint64 // the kernel's: they did not fit into the receive buffer
}

type counts struct {
	received, sent [Classes]struct{ packets, bytes atomic.Uint64 }
	dropped        atomic.Uint64
}

func (c *counts) in(b []byte) {
	k := &c.received[classOf(b)]
	k.packets.Add(1)
	k.bytes.Add(uint64(len(b)))
}

func (c *counts) out(b []byte) {
	k := &c.sent[classOf(b)]
	k.packets.Add(1)
	k.bytes.Add(uint64(len(b)))
}

// Stats reads the figures.
func (s *Socket) Stats() (out Stats) {
	for i := range Classes {
		in, sent := &s.counts.received[i], &s.counts.sent[i]
		out.In[i] = Count{in.packets.Load(), in.bytes.Load()}
		out.Out[i] = Count{sent.packets.Load(), sent.bytes.Load()}
	}
	out.Dropped = s.counts.dropped.Load()
	if s.udp != nil {
		out.Kernel = kernelDrops(s.udp)
	}
	return out
}
