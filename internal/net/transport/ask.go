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
	a, err := ask(ctx, c, proof)
	if err != nil {
		return About{}, fmt.Errorf("asking the node at %s: %w", at, toldVersion(err))
	}
	a.Peer.Addr = machine.AddrFrom(at)
	return a, nil
}

func ask(ctx context.Context, c *quic.Conn, proof []byte) (a About, err error) {
	s, err := c.OpenStreamSync(ctx)
	if err != nil {
		return a, err
	}
	defer context.AfterFunc(ctx, func() { s.SetReadDeadline(time.Unix(1, 0)) })()
	if _, err := s.Write((&hello{proof: proof}).frame()); err != nil {
		return a, err
	}
	f := newFrames(s, max(maxHello, MaxAbout))
	var got [3][]byte
	for i := range got {
		b, err := f.next()
		for b == nil && err == nil {
			if err = f.more(); err == nil {
				b, err = f.next()
			}
		}
		if err != nil {
			return a, err
		}
		got[i] = append([]byte(nil), b...)
	}
	h, err := parseHello(got[0])
	if err != nil {
		return a, err
	}
	pub, err := keyOf(c.ConnectionState().TLS)
	if err != nil {
		return a, err
	}
	if a.Seen, err = netip.ParseAddrPort(string(got[2])); err != nil {
		return a, err
	}
	a.Seen = limit.CanonicalPort(a.Seen)
	a.Peer.ID, a.World, a.About = id.Of(pub), h.world, got[1]
	return a, nil
}

// tell answers somebody who asks, and ends the connection.
func (n *network) tell(q *quic.Conn, s *quic.Stream) {
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
		s.Close()
		select { // the asker closes when it has everything
		case <-q.Context().Done():
		case <-time.After(n.cfg.Dead):
		case <-n.ctx.Done():
		}
	}
	q.CloseWithError(codeClosed, codeText[codeClosed])
}
