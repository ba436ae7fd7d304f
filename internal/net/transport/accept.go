package transport

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// handshake is one that another node has begun, until it is over.
type handshake struct {
	n    *network
	from netip.Addr
	over atomic.Bool
}

type handshakeKey struct{}

func (h *handshake) done() {
	if !h.over.Swap(true) {
		h.n.guests.done(h.from)
	}
}

// arrival is a link that another node has opened, ready to be accepted.
type arrival struct {
	peer   machine.Peer
	conn   *connection
	theirs hello
}

func (n *network) accept() {
	for {
		q, err := n.listener.Accept(n.ctx)
		if err != nil {
			return
		}
		n.live.Go(func() { n.admit(q) })
	}
}

// admit reads the hello of a connection and brings it to the loop.
func (n *network) admit(q *quic.Conn) {
	if h, ok := q.Context().Value(handshakeKey{}).(*handshake); ok {
		defer h.done()
	}
	if err := spoken(q); err != nil {
		n.reject(q, err)
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, n.cfg.Dead)
	defer cancel()
	s, err := q.AcceptStream(ctx)
	if err != nil {
		n.refuse(q, errHello)
		n.tally.fail("hello")
		return
	}
	c, theirs, err := n.meet(ctx, q, s)
	if errors.Is(err, errAsks) {
		n.tell(q, s, c.frames)
		return
	}
	if err != nil {
		n.reject(q, err)
		return
	}
	pub, _ := keyOf(q.ConnectionState().TLS) // meet has looked
	a := &arrival{conn: c, theirs: theirs, peer: machine.Peer{
		ID: id.Of(pub), Addr: machine.AddrFrom(q.RemoteAddr().(*net.UDPAddr).AddrPort())}}
	n.l.post(event{kind: evCall, fn: func() { n.arrive(a) }})
}

// reject ends a connection that somebody has opened and that we do not want.
func (n *network) reject(q *quic.Conn, err error) {
	n.refuse(q, err)
	n.tally.fail(reason(err))
	n.say("a link was refused", err, "addr", q.RemoteAddr())
}

// arrive decides what becomes of a link that another node has opened.
func (n *network) arrive(a *arrival) {
	k := n.l.links[a.peer]
	switch {
	case a.peer.ID == n.self:
		n.drop(a, codeDuplicate)
	case k == nil && (n.links >= n.cfg.MaxLinks || !n.guests.room(a.peer)):
		n.tally.fail("full")
		n.drop(a, codeFull)
	case k == nil:
		k = n.link(a.peer)
		k.far.guest = true
		n.guests.count(a.peer, 1)
		n.take(k, a)
	case k.far.conn == nil: // we are opening one as well
		if bytes.Compare(n.self[:], a.peer.ID[:]) < 0 && !k.far.lost {
			n.hold(k, a) // in case that ours fails
			return
		}
		k.far.cancel()
		n.take(k, a)
	case a.theirs.instance != k.far.instance: // the other end has been restarted
		n.replace(k, a)
	case a.theirs.seq < k.far.farSeq: // from before the link that is there
		n.drop(a, codeDuplicate)
	default: // the other end has given up the one that is there
		n.hold(k, a)
		time.AfterFunc(overtake, func() {
			n.l.post(event{kind: evCall, fn: func() { n.overdue(k, a) }})
		})
	}
}

// take accepts a link: the other end hears of it by our hello.
func (n *network) take(k *Link, a *arrival) {
	n.seq++
	mine := hello{world: n.cfg.World, instance: n.instance, seq: n.seq, proof: n.cfg.Proof}
	k.far.seq = n.seq
	n.tally.up(in)
	n.up(k, a.conn, a.theirs, mine.frame())
}

// hold keeps a link that has arrived until it is known what becomes of the one
// that is there: what the other end has sent over it may still be on its way.
func (n *network) hold(k *Link, a *arrival) {
	if old := k.far.next; old != nil {
		n.drop(old, codeDuplicate)
	}
	k.far.next = a
}

// overdue is when the old link has had the time to deliver the rest.
func (n *network) overdue(k *Link, a *arrival) {
	if k.known && k.far.next == a {
		k.far.next = nil
		n.replace(k, a)
	}
}

// replace fails the link that is there for a newer one.
func (n *network) replace(k *Link, a *arrival) {
	k.end(machine.LinkFailed)
	n.tally.fail("restarted")
	n.l.gone(k, machine.LinkFailed)
	n.arrive(a)
}

// ended is after a link has been taken out of the loop's links, by either end.
func (n *network) ended(k *Link) {
	n.links--
	if k.far.guest {
		n.guests.count(k.peer, -1)
	}
	n.datagrams.remove(k.far)
	k.far.giveUp()
	if a := k.far.next; a != nil {
		k.far.next = nil
		n.l.later = append(n.l.later, event{kind: evCall, fn: func() { n.arrive(a) }})
	}
}

// giveUp ends an attempt to open a link.
func (r *remote) giveUp() {
	if r.cancel != nil {
		r.cancel()
	}
}

// drop refuses a link that has arrived.
func (n *network) drop(a *arrival, code quic.ApplicationErrorCode) {
	n.live.Go(func() { a.conn.abort(code) })
}
