package sim

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// packetKind is what travels.
type packetKind uint8

const (
	data packetKind = iota
	syn
	synAck
	cert1
	cert2
	cert3
	fin
	finAck
	reset
	ping
	pong
	broken // not sent: a cut link times out
	loose  // a datagram
)

// packet is one message on its way. Packets are used again.
type packet struct {
	conn   *conn
	body   machine.Message
	sent   machine.Time
	number int32 // in the arena
	size   int32
	seq    uint32 // of the sender's packets over this link
	life   uint32
	side   uint8 // of conn, the receiver's
	kind   packetKind
	came   bool          // through the downstream channel
	from   *machine.Peer // of a datagram
}

// channel is one direction of a node's access to the network: a queue with a
// rate (thesis 6.1.3).
type channel struct{ free machine.Time }

// pass returns when size bytes that come at t are through.
func (c *channel) pass(t machine.Time, size int32, rate float64) machine.Time {
	if rate <= 0 {
		return t
	}
	c.free = max(c.free, t).Add(time.Duration(float64(size) / rate * float64(time.Second)))
	return c.free
}

func (s *Sim) newPacket() *packet {
	i := s.packets.take()
	p := s.packets.at(i)
	p.number = i
	return p
}

func (s *Sim) freePacket(p *packet) {
	s.packets.put(p.number)
}

// transmit sends a packet from a node to another: through the upstream channel
// and then the network. That it passes the channel needs no event of its own,
// for the channel is first come, first served.
func (n *Node) transmit(to *Node, p *packet) {
	s := n.sim
	p.sent = s.now
	s.waited(upOf, n, n.up.free)
	s.add(due{at: n.up.pass(s.now, p.size, s.cfg.Internet.Rate).Add(n.latency()), node: to.index, what: p.number})
	if p.kind != data && p.kind != loose {
		s.record(n, to, p, nil)
	}
}

// onPacket is a packet at its receiver's downstream channel, or, if that took
// long enough for others to come between, through it.
func (n *Node) onPacket(p *packet) {
	s := n.sim
	if !p.came {
		p.came = true
		s.waited(downOf, n, n.down.free)
		through := n.down.pass(s.now, p.size, s.cfg.Internet.Rate)
		if !s.quiet(through) {
			s.add(due{at: through, node: n.index, what: p.number})
			return
		}
		s.now = through // nothing happens in between
	}
	if p.kind == loose {
		n.onDatagram(p)
		return
	}
	p.conn.arrive(p)
}

// sendDatagram sends a message without a link.
func (n *Node) sendDatagram(to machine.Peer, m machine.Message) {
	s := n.sim
	far := s.byPeer[to]
	if s.cfg.Internet == nil {
		if far != nil {
			s.at(s.now.Add(s.delay()), event{do: evLoose, node: far.index, life: far.life, from: n.peer, body: m})
		}
		return
	}
	p := s.newPacket()
	p.kind, p.from, p.body = loose, n.name, m
	p.size = int32(sizeOf(m) + s.cfg.Internet.Segment)
	if far == nil || n.draw.Float64() < s.cfg.Internet.Loss {
		n.up.pass(s.now, p.size, s.cfg.Internet.Rate)
		s.freePacket(p)
		return
	}
	p.life = far.life
	n.transmit(far, p)
}

func (n *Node) onDatagram(p *packet) {
	s, m, from := n.sim, p.body, *p.from
	if n.m == nil || n.life != p.life || s.isCut(from, n.peer) {
		s.freePacket(p)
		return
	}
	s.record(s.byPeer[from], n, p, m)
	s.freePacket(p)
	n.m.OnMessage(from, m)
}

func (s *Sim) isCut(a, b machine.Peer) bool { return s.cut != nil && s.cut(a, b) }
