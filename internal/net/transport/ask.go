package transport

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Before a node can join a world it must know which world that is, and the id
// of the node whose address it was given. It asks with a hello of no world; the
// answer is the other node's hello, a frame with NetConfig.About, and one with
// the address that it was asked from.

// MaxAbout bounds NetConfig.About.
const MaxAbout = 4096

// errAsks: the other end is no member yet, and asks what world this is.
var errAsks = errors.New("the other end asks what world this is")

// About is what a node says of itself and its world to somebody who asks.
type About struct {
	Peer  machine.Peer   // of the node, with the address that was asked
	World id.ID          // as the node says
	About []byte         // NetConfig.About
	Seen  netip.AddrPort // where the question seemed to come from
}

// Ask asks the node at an address what world it is of. The answer is what that
// node says, and proves no more than its key. conn is a port for that alone, or
// nil: one is opened. proof is shown to the node, which may ask for one.
func Ask(ctx context.Context, conn net.PacketConn, key ed25519.PrivateKey, at netip.AddrPort, proof []byte) (About, error) {
	return asking(ctx, conn, key, at, func(ctx context.Context, c *quic.Conn) (About, error) {
		_, _, a, err := ask(ctx, c, proof)
		return a, err
	})
}

// asking opens a connection to the node at an address for a question.
func asking(ctx context.Context, conn net.PacketConn, key ed25519.PrivateKey, at netip.AddrPort, question func(context.Context, *quic.Conn) (About, error)) (About, error) {
	if conn == nil {
		var err error
		if conn, err = net.ListenUDP("udp", nil); err != nil {
			return About{}, err
		}
		defer conn.Close()
	}
	tls, err := newIdentity(key)
	if err != nil {
		return About{}, err
	}
	q := &quic.Transport{Conn: conn}
	defer q.Close()
	cfg := &quic.Config{HandshakeIdleTimeout: DefaultDead, MaxIdleTimeout: DefaultDead}
	c, err := q.Dial(ctx, net.UDPAddrFromAddrPort(at), tls.dialing(id.ID{}), cfg)
	if err != nil {
		return About{}, fmt.Errorf("asking the node at %s: %w", at, toldVersion(err))
	}
	defer c.CloseWithError(codeClosed, codeText[codeClosed])
	if err := spoken(c); err != nil {
		return About{}, fmt.Errorf("asking the node at %s: %w", at, err)
	}
	a, err := question(ctx, c)
	if err != nil {
		return About{}, fmt.Errorf("asking the node at %s: %w", at, toldVersion(err))
	}
	a.Peer.Addr = machine.AddrFrom(at)
	return a, nil
}

// ask asks on a stream of its own. More can be read from it until ctx ends.
func ask(ctx context.Context, c *quic.Conn, proof []byte) (_ *quic.Stream, _ *frames, a About, err error) {
	s, err := c.OpenStreamSync(ctx)
	if err != nil {
		return nil, nil, a, err
	}
	context.AfterFunc(ctx, func() { s.SetReadDeadline(time.Unix(1, 0)) })
	if _, err := s.Write((&hello{proof: proof}).frame()); err != nil {
		return nil, nil, a, err
	}
	f := newFrames(s, max(maxHello, MaxAbout))
	var got [3][]byte
	for i := range got {
		b, err := nextFrame(f)
		if err != nil {
			return nil, nil, a, err
		}
		got[i] = append([]byte(nil), b...)
	}
	h, err := parseHello(got[0])
	if err != nil {
		return nil, nil, a, err
	}
	pub, err := keyOf(c.ConnectionState().TLS)
	if err != nil {
		return nil, nil, a, err
	}
	if a.Seen, err = netip.ParseAddrPort(string(got[2])); err != nil {
		return nil, nil, a, err
	}
	a.Seen = limit.CanonicalPort(a.Seen)
	a.Peer.ID, a.World, a.About = id.Of(pub), h.world, got[1]
	return s, f, a, nil
}

// nextFrame waits for a frame.
func nextFrame(f *frames) (b []byte, err error) {
	for b, err = f.next(); b == nil && err == nil; {
		if err = f.more(); err == nil {
			b, err = f.next()
		}
	}
	return b, err
}

// tell answers somebody who asks, and ends the connection. f is what comes on the stream.
func (n *network) tell(q *quic.Conn, s *quic.Stream, f *frames) {
	mine := hello{world: n.cfg.World, instance: n.instance}
	from := q.RemoteAddr().(*net.UDPAddr).AddrPort()
	out := mine.frame()
	for _, part := range [][]byte{n.cfg.About, []byte(limit.CanonicalPort(from).String())} {
		b := append(make([]byte, frameHead), part...)
		putFrameHead(b)
		out = append(out, b...)
	}
	s.SetWriteDeadline(time.Now().Add(n.cfg.Dead))
	if _, err := s.Write(out); err == nil {
		if n.cfg.Files != nil {
			n.give(q, s, f)
		}
		s.Close()
		n.untilRead(q, n.cfg.Dead)
	}
	q.CloseWithError(codeClosed, codeText[codeClosed])
}
