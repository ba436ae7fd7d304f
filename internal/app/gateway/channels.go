package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
)

// ServeChannels lets people in over WebRTC data channels until the listener is
// closed (docs/protocols/datachannel.md).
func (g *Gateway) ServeChannels(l *datachannel.Listener) {
	audience := l.Fingerprint().Audience()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go g.serveChannels(c, audience)
	}
}

// maxAsk bounds what stands in for POST /api/session.
const maxAsk = 1 << 10

// serveChannels runs one client's channels to their end. A page on any site may have
// opened them, so a client is never local here.
func (g *Gateway) serveChannels(c *datachannel.Conn, audience string) {
	defer c.Close()
	addr := limit.Canonical(c.RemoteAddr().Addr())
	ask, err := asked(c, g.limits.Handshake)
	if err != nil {
		return
	}
	token, why := g.admission.token(addr, ask.Code, false)
	var guest Guest
	if why == nil {
		_, guest, why = g.admission.enter(addr, token, g.evict)
	}
	if why != nil {
		g.metrics.refused(why.Code)
		_ = sayJSON(c, map[string]any{"error": why.Code, "text": why.Text, "retry": why.Retry})
		c.Drain()
		return
	}
	defer g.admission.leave(addr, false)
	if ask.ICE != nil && findPath(c, *ask.ICE) != nil {
		return
	}
	world, info := g.cfg.Game.World()
	if sayJSON(c, map[string]any{"world": map[string]string{"id": world.String(), "name": info.Name}}) != nil {
		return
	}
	p := g.newPeer()
	p.addr, p.guest, p.host = addr, guest, audience
	p.others = g.channelEntrances
	p.conn = &dataChannels{Conn: c, traffic: &g.traffic, allow: p.allow, stopPunch: func() {}}
	g.servePeer(p)
}

// asked reads the first message.
func asked(c *datachannel.Conn, within time.Duration) (channelAsk, error) {
	_ = c.SetReadDeadline(time.Now().Add(within))
	m, err := c.Recv()
	if err != nil {
		return channelAsk{}, err
	}
	if !m.Text || m.Channel != datachannel.Reliable {
		return channelAsk{}, errors.New("the first message asks for a session")
	}
	return decodeAsk(m.Body)
}

func sayJSON(c *datachannel.Conn, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_ = c.SetWriteDeadline(time.Now().Add(goodbye))
	defer c.SetWriteDeadline(time.Time{})
	return c.Send(datachannel.Reliable, b, true)
}

// dataChannels is a client's connection over WebRTC.
type dataChannels struct {
	*datachannel.Conn
	traffic *traffic
	allow   func(n int) error
	stallTime

	stopPunch context.CancelFunc // only the reading goroutine touches it

	// Only the writing goroutine touches these.
	waiting [][]byte // messages that Flush will send
	written uint64   // bytes on the reliable channel
	mark    uint64   // of them, up to the last message that is no frame
}

// ReadMessage implements conn.
func (d *dataChannels) ReadMessage(b []byte) (int, error) {
	for {
		m, err := d.Recv()
		switch {
		case errors.Is(err, datachannel.ErrTooLarge) || err == nil && len(m.Body) >= len(b):
			return 0, wire.TooLarge.Refusal(0)
		case err != nil:
			return 0, err
		}
		d.traffic.bytesIn.Add(uint64(len(m.Body)))
		if err := d.allow(len(m.Body)); err != nil {
			return 0, err
		}
		if !m.Text {
			return copy(b, m.Body), nil
		}
		if err := d.restarted(m.Body); err != nil {
			return 0, err
		}
	}
}

// Add implements client.Sink.
func (d *dataChannels) Add(head, body []byte) {
	b := make([]byte, 0, len(head)+len(body))
	d.waiting = append(d.waiting, append(append(b, head...), body...))
}

// Flush implements conn.
func (d *dataChannels) Flush() error {
	defer func() { d.waiting = d.waiting[:0] }()
	for i, b := range d.waiting {
		d.waiting[i] = nil
		d.begin()
		err := d.Send(d.channel(b), b, false)
		d.end()
		if err != nil {
			return err
		}
		d.traffic.messagesOut.Add(1)
		d.traffic.bytesOut.Add(uint64(len(b)))
		if wire.TypeOf(b) == wire.TypeFrame {
			d.traffic.frames.Add(1)
		}
	}
	return nil
}

// channel chooses how a message travels. Frames may be lost, but must not overtake
// what they build on: while something else is not acknowledged they travel behind it.
func (d *dataChannels) channel(b []byte) datachannel.Channel {
	acknowledged := d.written - min(d.written, d.Unacknowledged(datachannel.Reliable))
	if wire.TypeOf(b) != wire.TypeFrame {
		d.mark = d.written + uint64(len(b))
	} else if acknowledged >= d.mark && len(b) <= maxFrame {
		return datachannel.Unreliable
	}
	d.written += uint64(len(b))
	return datachannel.Reliable
}

// maxFrame bounds a frame that may be lost: each packet of one makes that likelier.
const maxFrame = 4 << 10

func (d *dataChannels) finish(wire.Code) { d.Drain() }
func (d *dataChannels) drop()            { d.Close() }
