package sim

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// arrive takes a packet at its receiver: a node that is down answers with a
// reset, older packets of the link come first. One that has said that it closes the
// link does not: what it sent before arrives (machine.Env.Close), also if it has
// stopped meanwhile.
func (c *conn) arrive(p *packet) {
	e, far := &c.ends[p.side], &c.ends[1-p.side]
	n := e.node
	s := n.sim
	switch {
	case p.kind == broken || p.kind == reset:
		c.fail(p.side)
	case s.cut != nil && s.cut(far.node.peer, n.peer):
		c.cutOff()
	case n.m == nil || n.life != e.life || e.gone:
		if p.kind != finAck && !(e.closed && e.up) {
			c.reset(1 - p.side)
		}
	case p.seq != e.got:
		k := e.keep()
		k.early = append(k.early, early{p.seq, p.number})
		return
	default:
		c.inOrder(p)
		return
	}
	s.freePacket(p)
}

// inOrder handles a packet and those that waited for it.
func (c *conn) inOrder(p *packet) {
	e := &c.ends[p.side]
	s := e.node.sim
	for p != nil {
		e.got++
		c.handle(p)
		s.freePacket(p)
		p = e.next()
	}
}

// next takes the packet that is due out of those that came too early, if it is
// there.
func (e *end) next() *packet {
	if e.kept == nil {
		return nil
	}
	for i, q := range e.early {
		if q.seq == e.got && e.life == e.node.life && e.node.m != nil {
			e.early = slices.Delete(e.early, i, i+1)
			return e.node.sim.packets.at(q.packet)
		}
	}
	return nil
}

// handle is what a packet does. TCP's handshake (three segments, the last
// together with the first certificate message), the exchange of certificates
// (three messages), data, the closing (FIN, its answer, the last segment).
func (c *conn) handle(p *packet) {
	e, far := &c.ends[p.side], &c.ends[1-p.side]
	n, in := e.node, e.node.sim.cfg.Internet
	switch p.kind {
	case syn:
		if old := n.connTo(far.node.peer); old != nil && old != c {
			old.fail(old.side(n)) // the far end has failed and come back
		}
		if n.connTo(far.node.peer) == nil {
			n.hold(far.node.peer, c)
		}
		c.packet(p.side, synAck, in.Segment)
	case synAck:
		c.packet(p.side, cert1, in.Segment+in.Header+in.Certs[0])
	case cert1:
		c.packet(p.side, cert2, in.Header+in.Certs[1])
	case cert2:
		c.packet(p.side, cert3, in.Header+in.Certs[2])
		c.established(p.side)
	case cert3:
		c.established(p.side)
	case data:
		c.deliver(p)
	case fin:
		c.onFin(p.side)
	case finAck:
		c.finish(p.side)
	case ping:
		c.packet(p.side, pong, in.Header)
	}
}

func (c *conn) deliver(p *packet) {
	e, far := &c.ends[p.side], &c.ends[1-p.side]
	n := e.node
	if e.closed || e.gone {
		return
	}
	n.sim.record(far.node, n, p, p.body)
	n.m.OnMessage(far.node.peer, p.body)
}

// established is when an end has done its part of the handshake.
func (c *conn) established(i uint8) {
	e, far := &c.ends[i], &c.ends[1-i]
	e.up = true
	if e.closed {
		c.packet(i, fin, e.node.sim.cfg.Internet.Segment)
		return
	}
	for _, m := range e.takeWaiting() {
		c.data(i, m)
	}
	e.node.m.OnLink(far.node.peer, machine.LinkUp)
}

// onFin hears that the far end has closed. If this end has as well, the two
// closings are matched.
func (c *conn) onFin(i uint8) {
	e, far := &c.ends[i], &c.ends[1-i]
	if e.closed {
		c.finish(i)
		return
	}
	c.packet(i, finAck, 2*e.node.sim.cfg.Internet.Segment)
	e.node.forget(far.node.peer, c)
	e.node.m.OnLink(far.node.peer, machine.LinkClosed)
}

// finish is the end of a closing that this end began.
func (c *conn) finish(i uint8) {
	e, far := &c.ends[i], &c.ends[1-i]
	if e.gone {
		return
	}
	e.node.forget(far.node.peer, c)
	c.abandon(i)
	if e.reopen {
		e.node.connect(far.node.peer)
		for _, m := range e.takeWaiting() {
			e.node.sendOver(far.node.peer, m)
		}
	}
}

// reset tells an end that the other one is not there (thesis 6.1.3: the next
// message to a failed node is answered by a reset).
func (c *conn) reset(i uint8) {
	n := c.ends[i].node
	p := n.sim.newPacket()
	p.conn, p.side, p.kind, p.came = c, i, reset, true
	n.sim.add(due{at: n.sim.now.Add(c.ends[1-i].node.latency()), node: n.index, what: p.number})
}

// fail is the end of a link for one of its ends.
func (c *conn) fail(i uint8) {
	e, far := &c.ends[i], &c.ends[1-i]
	n := e.node
	if e.gone || n.m == nil || n.life != e.life || n.connTo(far.node.peer) != c {
		return
	}
	if e.closed {
		c.finish(i)
		return
	}
	n.forget(far.node.peer, c)
	c.abandon(i)
	if far.up && !far.gone && far.node.connTo(n.peer) == c {
		c.reset(1 - i) // or it would believe in the link for ever
	}
	n.m.OnLink(far.node.peer, machine.LinkFailed)
}

// abandon lets the far end of one that has gone time out if it waits for the
// handshake, which it may have joined when the first packet had been lost.
func (c *conn) abandon(i uint8) {
	if e, far := &c.ends[i], &c.ends[1-i]; !far.up && !far.gone && far.node.connTo(e.node.peer) == c {
		c.timeOut(1 - i)
	}
}

// cutOff lets both ends time out.
func (c *conn) cutOff() {
	c.timeOut(0)
	c.timeOut(1)
}

func (c *conn) timeOut(i uint8) {
	n := c.ends[i].node
	p := n.sim.newPacket()
	p.conn, p.side, p.kind, p.came = c, i, broken, true
	n.sim.add(due{at: n.sim.now.Add(n.sim.cfg.Internet.Timeout), node: n.index, what: p.number})
}

// pingAll asks the far ends of all links whether they are there.
func (n *Node) pingAll() {
	in := n.sim.cfg.Internet
	for _, c := range n.order {
		i := c.side(n)
		if e := &c.ends[i]; e.up && !e.closed {
			c.packet(i, ping, in.Header)
		}
	}
	n.sim.at(n.sim.now.Add(in.Ping), event{do: evPing, node: n.index, life: n.life})
}
