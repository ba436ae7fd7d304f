package transport

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/session"
)

// How links to other nodes begin. The loop decides; dialling and the first
// frames happen on goroutines of their own.
//
// Both ends number their links in the order they are opened or accepted. If
// both open at the same time, the link stays that the node with the smaller id
// has opened. If a node gets a link from another one that it has a link with
// already, the numbers say whether the other end has given that one up.

func (n *network) listen() {
	var err error
	if n.tls, err = newIdentity(n.cfg.Key); err != nil {
		panic(err) // an Ed25519 key always makes a certificate
	}
	n.quic = &quic.Transport{
		Conn: n.cfg.Socket.QUIC(), StatelessResetKey: resetKey(n.cfg.Key),
		VerifySourceAddress: n.unproven,
		ConnContext:         n.begin,
	}
	if n.listener, err = n.quic.Listen(n.tls.server, n.quicConfig()); err != nil {
		n.l.log.Error("no links from others: the port cannot be listened to", "error", err)
		return
	}
	n.live.Go(n.accept)
}

func (n *network) quicConfig() *quic.Config {
	return &quic.Config{
		HandshakeIdleTimeout: n.cfg.Dead, MaxIdleTimeout: quiet * n.cfg.Dead, KeepAlivePeriod: quiet / 2 * n.cfg.Dead,
		InitialStreamReceiveWindow: 256 << 10, MaxStreamReceiveWindow: 2 << 20,
		InitialConnectionReceiveWindow: 256 << 10, MaxConnectionReceiveWindow: 3 << 20,
		MaxIncomingStreams: 1, MaxIncomingUniStreams: -1,
	}
}

// unproven reports whether an address has to show that it gets what we send
// before we send it more than came from there. A datagram session has shown it.
func (n *network) unproven(a net.Addr) bool {
	u, ok := a.(*net.UDPAddr)
	return !ok || !n.sessions.Knows(machine.AddrFrom(u.AddrPort()).AddrPort())
}

// begin is called for each handshake that others begin.
func (n *network) begin(ctx context.Context, who *quic.ClientInfo) (context.Context, error) {
	from := addrOf(who.RemoteAddr)
	if !n.guests.begin(from, !n.unproven(who.RemoteAddr), time.Now()) {
		n.tally.fail("busy")
		return ctx, refusal{code: codeFull}
	}
	h := &handshake{n: n, from: from}
	context.AfterFunc(ctx, h.done)
	return context.WithValue(ctx, handshakeKey{}, h), nil
}

// acceptsBatches begins a link. It reports false if that cannot be.
func (n *network) open(to machine.Peer) bool {
	if to.Addr.IsZero() || to.ID == n.self {
		return false
	}
	if n.links >= n.cfg.MaxLinks {
		n.tally.fail("full")
		return false
	}
	k := n.link(to)
	var ctx context.Context
	ctx, k.far.cancel = context.WithTimeout(n.ctx, 2*n.cfg.Dead)
	mine := hello{world: n.cfg.World, instance: n.instance, seq: k.far.seq, proof: n.cfg.Proof}
	n.live.Go(func() {
		c, theirs, err := n.dial(ctx, to, mine)
		n.l.post(event{kind: evCall, fn: func() { n.dialled(k, c, theirs, err) }})
	})
	return true
}

// link makes a link that has no connection yet.
func (n *network) link(to machine.Peer) *Link {
	n.seq++
	k := &Link{loop: n.l, peer: to, state: machine.LinkUp}
	k.far = &remote{k: k, n: n, seq: n.seq, room: make(chan struct{}, 1)}
	n.l.know(k)
	n.links++
	return k
}

// dial connects and exchanges hellos.
func (n *network) dial(ctx context.Context, to machine.Peer, mine hello) (*connection, hello, error) {
	q, err := n.quic.Dial(ctx, net.UDPAddrFromAddrPort(to.Addr.AddrPort()), n.tls.dialing(to.ID), n.quicConfig())
	if err != nil {
		return nil, hello{}, toldVersion(err)
	}
	if err := spoken(q); err != nil {
		n.refuse(q, err)
		return nil, hello{}, err
	}
	c, theirs, err := n.greet(ctx, q, mine)
	if err != nil {
		n.refuse(q, err)
		return nil, hello{}, toldVersion(err)
	}
	return c, theirs, nil
}

func (n *network) greet(ctx context.Context, q *quic.Conn, mine hello) (*connection, hello, error) {
	s, err := q.OpenStreamSync(ctx)
	if err != nil {
		return nil, hello{}, err
	}
	if _, err = s.Write(mine.frame()); err != nil {
		return nil, hello{}, err
	}
	return n.meet(ctx, q, s)
}

// meet reads the other end's hello and decides whether we want it.
func (n *network) meet(ctx context.Context, q *quic.Conn, s *quic.Stream) (*connection, hello, error) {
	c := &connection{Conn: q, stream: s, frames: newFrames(s, n.cfg.MaxMessage+numberSize), n: n}
	stop := context.AfterFunc(ctx, func() { s.SetReadDeadline(time.Unix(1, 0)) })
	h, err := c.hello()
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, hello{}, err
	}
	pub, err := keyOf(q.ConnectionState().TLS)
	if err != nil {
		return nil, hello{}, err
	}
	if h.world.IsZero() && len(n.cfg.About) > 0 {
		if n.cfg.MayAsk != nil {
			if err := n.cfg.MayAsk(pub, h.proof); err != nil {
				return nil, hello{}, refusal{codeRefused, err}
			}
		}
		return c, hello{}, errAsks
	}
	if h.world != n.cfg.World {
		if n.cfg.Stranger != nil {
			n.cfg.Stranger(q.RemoteAddr().(*net.UDPAddr).AddrPort())
		}
		return nil, hello{}, refusal{codeWorld, fmt.Errorf("node %s is of the world %s, not %s", id.Of(pub).Short(), h.world.Short(), n.cfg.World.Short())}
	}
	if n.cfg.Admit != nil {
		if err := n.cfg.Admit(pub, h.proof); err != nil {
			return nil, hello{}, refusal{codeRefused, err}
		}
	}
	n.keep(c)
	return c, h, nil
}

// hello reads the first frame.
func (c *connection) hello() (hello, error) {
	limit := c.frames.limit
	c.frames.limit = maxHello
	defer func() { c.frames.limit = limit }()
	for {
		if b, err := c.frames.next(); b != nil || err != nil {
			if err != nil {
				return hello{}, errHello
			}
			return parseHello(b)
		}
		if err := c.frames.more(); err != nil {
			return hello{}, err
		}
	}
}

// refuse ends a connection whose first frames we did not like.
func (n *network) refuse(q *quic.Conn, err error) {
	code := codeOf(err)
	text := codeText[code]
	if r, ok := err.(refusal); ok {
		code, text = r.code, r.Error()
		if v, ok := r.why.(session.OtherVersion); ok {
			text = v.Told()
		}
	}
	q.CloseWithError(code, text)
}

// dialled is the end of an attempt to open a link.
func (n *network) dialled(k *Link, c *connection, theirs hello, err error) {
	k.far.cancel()
	if codeIn(err) == codeWorld && n.cfg.Stranger != nil {
		n.cfg.Stranger(k.peer.Addr.AddrPort())
	}
	switch {
	case !k.known || k.far.conn != nil: // closed, or theirs came first
		if c != nil {
			n.live.Go(func() { c.abort(codeClosed) })
		}
	case err == nil:
		if a := k.far.next; a != nil {
			k.far.next = nil
			n.drop(a, codeDuplicate)
		}
		n.tally.up(out)
		n.up(k, c, theirs, nil)
	case k.far.next != nil:
		a := k.far.next
		k.far.next = nil
		n.take(k, a)
	case codeIn(err) == codeDuplicate: // the other end's own link is about to come
		k.far.lost = true
		time.AfterFunc(n.cfg.Dead, func() { n.l.post(event{kind: evCall, fn: func() { n.missed(k, err) }}) })
	default:
		n.missed(k, err)
	}
}

// missed is when a link could not be opened from either end.
func (n *network) missed(k *Link, err error) {
	if k.known && k.far.conn == nil {
		n.failed(k.peer, err)
		n.l.gone(k, machine.LinkFailed)
	}
}

// up is when a link is open.
func (n *network) up(k *Link, c *connection, theirs hello, first []byte) {
	k.far.farSeq, k.far.instance = theirs.seq, theirs.instance
	k.far.attach(c, first)
	n.datagrams.add(k.far, first == nil)
	n.l.m.OnLink(k.peer, machine.LinkUp)
}

// failed counts and tells why a link failed, or could not be opened.
func (n *network) failed(peer machine.Peer, err error) {
	n.tally.fail(reason(err))
	if !n.failures.tell(peer.ID, time.Now()) {
		return
	}
	n.say("a link failed", err, "peer", peer.ID.Short(), "addr", peer.Addr)
}

// malformed counts a message that cannot be read.
func (n *network) malformed(peer machine.Peer, err error) {
	n.tally.fail("malformed")
	n.l.log.Debug("a message cannot be read", "peer", peer.ID.Short(), "addr", peer.Addr, "error", err)
}
