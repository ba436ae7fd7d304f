package linklab

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel/datachanneltest"
)

// channelConn is what the page does over data channels (web/src/net/direct.ts, order.ts),
// without a browser: the client protocol over an ordered channel and one that loses
// messages. Frames that do not come are skipped; steps are said until they are
// acknowledged.
type channelConn struct {
	c    *datachanneltest.Client
	got  chan []byte
	done chan struct{}
	end  sync.Once

	// Only Recv's goroutine touches these.
	order map[world.RegionPos]*frameStream
	ready [][]byte
	head  frame.Frame

	mu      sync.Mutex
	input   wire.Input // decoded into again and again
	unacked wire.Input
}

// dialChannels opens a world over data channels.
func dialChannels(ctx context.Context, at netip.AddrPort, node datachannel.Fingerprint, code string, who client.Identity) (client.Conn, *wire.Welcome, error) {
	conn, err := net.ListenPacket("udp", ":0")
	if err != nil {
		return nil, nil, err
	}
	d, err := datachanneltest.Dial(ctx, conn, at, node)
	if err != nil {
		return nil, nil, err
	}
	c := &channelConn{c: d, got: make(chan []byte, 64), done: make(chan struct{}), order: map[world.RegionPos]*frameStream{}}
	world, err := c.session(code)
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	for _, ch := range []datachannel.Channel{datachannel.Reliable, datachannel.Unreliable} {
		go c.listen(ch)
	}
	return client.Enter(ctx, c, who, node.Audience(), world, func(*wire.Notice) {})
}

// session asks what world it is.
func (c *channelConn) session(code string) (of id.ID, err error) {
	ask, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		return of, err
	}
	if err := c.c.SendText(string(ask)); err != nil {
		return of, err
	}
	said, _, err := c.c.Recv(datachannel.Reliable)
	if err != nil {
		return of, err
	}
	var answer struct {
		Error string
		World struct{ ID string }
	}
	if err := json.Unmarshal(said, &answer); err != nil {
		return of, err
	}
	if answer.Error != "" {
		return of, fmt.Errorf("the node refuses: %s", answer.Error)
	}
	return id.Parse(answer.World.ID)
}

func (c *channelConn) listen(ch datachannel.Channel) {
	for {
		b, _, err := c.c.Recv(ch)
		if err != nil {
			c.Close()
			return
		}
		select {
		case c.got <- b:
		case <-c.done:
			return
		}
	}
}

// Send implements client.Conn.
func (c *channelConn) Send(b []byte) error {
	if wire.TypeOf(b) != wire.TypeInput {
		return c.c.Send(datachannel.Reliable, b)
	}
	c.mu.Lock()
	if err := wire.DecodeInto(b, &c.input); err != nil {
		c.mu.Unlock()
		return err
	}
	u := &c.unacked
	if len(u.Steps) == 0 {
		u.Seq = c.input.Seq
	}
	u.Steps = append(u.Steps, c.input.Steps...)
	if over := len(u.Steps) - wire.MaxSteps; over > 0 {
		u.Seq, u.Steps = u.Seq+uint32(over), slices.Delete(u.Steps, 0, over)
	}
	u.Pos = c.input.Pos
	out := wire.Encode(u)
	c.mu.Unlock()
	return c.c.Send(datachannel.Unreliable, out)
}

// Recv implements client.Conn.
func (c *channelConn) Recv() ([]byte, error) {
	for len(c.ready) == 0 {
		select {
		case b := <-c.got:
			if err := c.take(b); err != nil {
				return nil, err
			}
		case <-c.done:
			return nil, client.ErrClosed
		}
	}
	b := c.ready[0]
	c.ready = c.ready[1:]
	return b, nil
}

func (c *channelConn) take(b []byte) error {
	switch wire.TypeOf(b) {
	case wire.TypeRefused:
		var why wire.Refused
		if err := wire.DecodeInto(b, &why); err != nil {
			return err
		}
		return &why
	case wire.TypeFrame:
		return c.frame(b)
	}
	c.ready = append(c.ready, b)
	return nil
}

func (c *channelConn) frame(b []byte) error {
	if _, err := c.head.DecodeHead(b[1:]); err != nil {
		return err
	}
	h := &c.head.Head
	s := c.order[h.Region]
	if s == nil {
		s = &frameStream{next: h.Number, waiting: map[uint16][]byte{}}
		c.order[h.Region] = s
	}
	var missed bool
	c.ready, missed = s.take(h.Number, b, c.ready)
	if h.Own.HasAck {
		c.acknowledge(h.Own.Ack)
	}
	if missed {
		return c.Send(wire.Encode(&wire.Missed{Region: h.Region}))
	}
	return nil
}

func (c *channelConn) acknowledge(ack uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := &c.unacked
	if len(u.Steps) > 0 && ack >= u.Seq {
		n := min(uint32(len(u.Steps)), ack+1-u.Seq)
		u.Seq, u.Steps = u.Seq+n, slices.Delete(u.Steps, 0, int(n))
	}
}

// Close implements client.Conn.
func (c *channelConn) Close() error {
	var err error
	c.end.Do(func() {
		close(c.done)
		err = c.c.Close()
	})
	return err
}

// frameStream are the frames of a region, as in web/src/net/order.ts.
type frameStream struct {
	next    uint16
	waiting map[uint16][]byte
}

// framesWaiting is how many later frames may wait for one that is late.
const framesWaiting = 2

// take appends the frames that can be used now that one has come, and says whether one
// was given up.
func (s *frameStream) take(number uint16, b []byte, to [][]byte) (out [][]byte, missed bool) {
	if number-s.next >= 1<<15 {
		return to, false // later ones are used already
	}
	s.waiting[number] = b
	to = s.usable(to)
	if len(s.waiting) <= framesWaiting {
		return to, false
	}
	first := s.next
	for s.waiting[first] == nil {
		first++
	}
	s.next = first
	return s.usable(to), true
}

func (s *frameStream) usable(to [][]byte) [][]byte {
	for b := s.waiting[s.next]; b != nil; b = s.waiting[s.next] {
		delete(s.waiting, s.next)
		s.next++
		to = append(to, b)
	}
	return to
}
