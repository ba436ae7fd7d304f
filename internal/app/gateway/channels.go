package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
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
	if ask.Content != "" {
		g.sendContent(c, addr, ask.Content)
		return
	}
	d := &dataChannels{Conn: c, traffic: &g.traffic, stopPunch: func() {}}
	if ask.ICE != nil && d.findPath(*ask.ICE) != nil {
		return
	}
	world, info := g.cfg.Game.World()
	answer := map[string]any{"world": map[string]string{"id": world.String(), "name": info.Name}}
	if g.content.hash != "" {
		answer["content"] = g.content.hash
	}
	if sayJSON(c, answer) != nil {
		return
	}
	p := g.newPeer()
	p.addr, p.guest, p.host = addr, guest, audience
	p.others = g.channelEntrances
	p.conn, d.allow = d, p.allow
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

	lossy atomic.Int64 // until when frames are sent twice, Unix nanoseconds

	// Only the writing goroutine touches these.
	waiting [][]byte // messages that Flush will send
	sent    sentFrames
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
			if wire.TypeOf(m.Body) == wire.TypeMissed {
				d.lossy.Store(time.Now().Add(lossyTime).UnixNano())
			}
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
	lossy := time.Now().UnixNano() < d.lossy.Load()
	for i, b := range d.waiting {
		d.waiting[i] = nil
		ch, again := d.sent.next(b, d.Unacknowledged(datachannel.Reliable))
		if again != nil && lossy {
			if err := d.send(ch, again); err != nil {
				return err
			}
		}
		if err := d.send(ch, b); err != nil {
			return err
		}
		if wire.TypeOf(b) == wire.TypeFrame {
			d.traffic.frames.Add(1)
		}
	}
	return nil
}

func (d *dataChannels) send(ch datachannel.Channel, b []byte) error {
	d.begin()
	err := d.Send(ch, b, false)
	d.end()
	if err == nil {
		d.traffic.messagesOut.Add(1)
		d.traffic.bytesOut.Add(uint64(len(b)))
	}
	return err
}

func (d *dataChannels) finish(wire.Code) { d.Drain() }
func (d *dataChannels) drop()            { d.Close() }
