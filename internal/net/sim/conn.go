package sim

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// conn is a link of the Internet model, shared by its two ends; ends[0] opened
// it. Both open at the same time: the two handshakes are matched, the second is
// not begun (thesis 6.1.3).
type conn struct {
	ends [2]end
}

// end is half a cache line long: links are what a simulation has most of.
type end struct {
	node      *Node
	life      uint32 // of the node when the link was made
	sent, got uint32 // packets, for the order
	up        bool   // the machine was told
	closed    bool   // by this end; the far end has not confirmed it yet
	gone      bool   // this end knows no more of it
	reopen    bool   // open a new one once the closing is over
	*kept            // nil: nothing
}

// kept is what waits at one end of a link.
type kept struct {
	early   []early           // came before older ones (the reorder buffer)
	waiting []machine.Message // until the link is up
}

// early is a packet that came before older ones, and its place in their order.
type early struct {
	seq    uint32
	packet int32
}

// keep is where the end keeps what has to wait.
func (e *end) keep() *kept {
	if e.kept == nil {
		e.kept = &kept{}
	}
	return e.kept
}

// takeWaiting returns the messages that have waited, and forgets them.
func (e *end) takeWaiting() (list []machine.Message) {
	if e.kept != nil {
		list, e.kept.waiting = e.kept.waiting, nil
	}
	return list
}

// side is 0 for the opener, 1 for the other end.
func (c *conn) side(n *Node) uint8 {
	if c.ends[0].node == n {
		return 0
	}
	return 1
}

// connTo returns the link to a node, or nil. It is looked up for every message,
// so the key is the beginning of the id; AddAs sees to it that no two nodes have
// the same.
func (n *Node) connTo(to machine.Peer) *conn {
	c := n.conns.Get(to.ID.Head())
	if c == nil || c.ends[1-c.side(n)].node.peer != to {
		return nil
	}
	return c
}

// connect begins the handshake. A link that is there or on its way is kept; one
// that is being closed is finished first.
func (n *Node) connect(to machine.Peer) {
	s := n.sim
	if c := n.connTo(to); c != nil {
		if e := &c.ends[c.side(n)]; e.closed {
			e.reopen = true
		}
		return
	}
	far := s.byPeer[to]
	if far == nil || far == n {
		n.linkEvent(s.now.Add(2*n.latency()), to, 0, machine.LinkFailed)
		return
	}
	if c := far.connTo(n.peer); c != nil && !c.ends[0].up && !c.ends[0].closed && c.ends[0].node == far && !c.ends[1].gone {
		c.ends[1].life = n.life
		n.hold(far.peer, c)
		return
	}
	c := &conn{ends: [2]end{{node: n, life: n.life}, {node: far, life: far.life}}}
	n.hold(to, c)
	c.packet(0, syn, s.cfg.Internet.Segment)
}

// hold notes a link of this node.
func (n *Node) hold(to machine.Peer, c *conn) {
	n.conns.Put(to.ID.Head(), c)
	n.order = append(n.order, c)
}

// forget is when this node knows no more of a link.
func (n *Node) forget(to machine.Peer, c *conn) {
	c.ends[c.side(n)].gone = true
	if n.connTo(to) != c {
		return
	}
	n.conns.Delete(to.ID.Head())
	for i, o := range n.order {
		if o == c {
			n.order = append(n.order[:i], n.order[i+1:]...)
			break
		}
	}
}

// packet sends a packet of the link from one end.
func (c *conn) packet(from uint8, kind packetKind, size int) {
	e, far := &c.ends[from], &c.ends[1-from]
	p := e.node.sim.newPacket()
	p.conn, p.side, p.kind, p.size, p.seq = c, 1-from, kind, int32(size), e.sent
	e.sent++
	e.node.transmit(far.node, p)
}

// sendOver sends a message over a link; one that is not up yet keeps it, and so
// does one that is to be opened again.
func (n *Node) sendOver(to machine.Peer, m machine.Message) {
	c := n.connTo(to)
	if c == nil {
		return
	}
	i := c.side(n)
	e := &c.ends[i]
	switch {
	case e.closed && !e.reopen:
	case e.closed || !e.up:
		k := e.keep()
		k.waiting = append(k.waiting, m)
	default:
		c.data(i, m)
	}
}

func (c *conn) data(from uint8, m machine.Message) {
	e := &c.ends[from]
	p := e.node.sim.newPacket()
	p.conn, p.side, p.body, p.seq = c, 1-from, m, e.sent
	p.size = int32(sizeOf(m) + e.node.sim.cfg.Internet.Header)
	e.sent++
	e.node.transmit(c.ends[1-from].node, p)
}

// disconnect closes a link in an orderly way: a handshake of its own.
func (n *Node) disconnect(to machine.Peer) {
	c := n.connTo(to)
	if c == nil {
		return
	}
	i := c.side(n)
	e := &c.ends[i]
	if e.closed {
		e.reopen = false
		e.takeWaiting()
		return
	}
	e.closed = true
	e.takeWaiting()
	if e.up {
		c.packet(i, fin, n.sim.cfg.Internet.Segment)
	} // else once the handshake is over
}
