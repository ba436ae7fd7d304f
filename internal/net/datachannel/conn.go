package datachannel

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/logging"
	"github.com/pion/sctp"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// Channel is one of the two channels, by the stream that it uses.
type Channel uint16

// The channels. Both ends know them beforehand ("negotiated" in the browser).
const (
	Reliable   Channel = iota // ordered
	Unreliable                // unordered, sent again at most once
	channels
)

const (
	// MaxMessage bounds a message of a browser.
	MaxMessage = 4 << 10
	// maxSend bounds a message to a browser; browsers take 256 kB.
	maxSend = 256 << 10
	// receiveBuffer bounds what of a browser's messages waits.
	receiveBuffer = 32 << 10
	maxReassembly = 64 // entries of a stream
	// mtu leaves room for the heads of DTLS, UDP and IPv6 on any path.
	mtu = 1191
)

// retransmissions is how often a message of the unreliable channel may be sent again. With
// none the library gives a message up when it has sent it, and says so with the next
// acknowledgement: if the line lets packets overtake each other, that comes before the
// message, and the browser drops it.
const retransmissions = 1

// windows bound what is on its way on each channel, so that a slow browser shows early
// and does not play in the past.
var windows = [channels]uint64{Reliable: 64 << 10, Unreliable: 24 << 10}

// ErrTooLarge: the browser has sent a message over MaxMessage.
var ErrTooLarge = errors.New("a message of a browser is too large")

// errStream: the browser uses a stream that is none of the channels.
var errStream = errors.New("a browser opened a channel that is none of ours")

// Message is what a browser has sent.
type Message struct {
	Channel Channel
	Text    bool
	Body    []byte
}

// Conn is one browser. One goroutine may call Recv and another Send at the same time.
type Conn struct {
	l     *Listener
	key   string                 // of l.of
	ufrag atomic.Pointer[string] // of this side, as in the last check that nominated
	at    netip.AddrPort         // guarded by l.mu
	pipe  *pipe
	last  atomic.Int64  // when something was heard, Unix nanoseconds
	keeps atomic.Bool   // a circuit is kept
	moves chan struct{} // signalled when the path has changed

	mu      sync.Mutex
	dtls    *dtls.Conn
	sctp    *sctp.Association
	streams [channels]*sctp.Stream
	why     error // why the connection has ended, if the browser is to blame

	in      chan Message
	room    chan struct{} // signalled when less is on its way
	done    chan struct{}
	closing sync.Once

	readBy, writeBy deadline

	budget limit.Budget // of what is sent over a circuit; only Send's goroutine touches it
}

func newConn(l *Listener, at netip.AddrPort, ufrag string) *Conn {
	c := &Conn{
		l: l, key: ufrag[:connEnd], moves: make(chan struct{}, 1), at: at, pipe: newPipe(l.conn, at), in: make(chan Message), room: make(chan struct{}, 1), done: make(chan struct{}),
		budget: limit.NewBudget(circuitRate, circuitBurst),
	}
	c.ufrag.Store(&ufrag)
	c.heard(time.Now())
	return c
}

func (c *Conn) heard(now time.Time) { c.last.Store(now.UnixNano()) }

// quiet keeps the libraries from writing to standard error: what strangers send is
// no news.
var quiet = &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}

// open does the handshakes.
func (c *Conn) open(ctx context.Context) error {
	secure, err := dtls.ServerWithOptions(c.pipe, c.pipe.remote(),
		dtls.WithCertificates(c.l.cert.tls), dtls.WithClientAuth(dtls.NoClientCert),
		dtls.WithSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM, dtls.SRTP_AES128_CM_HMAC_SHA1_80), // browsers ask for one, though nothing uses it
		dtls.WithExtendedMasterSecret(dtls.RequireExtendedMasterSecret), dtls.WithMTU(mtu), dtls.WithLoggerFactory(quiet))
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.dtls = secure
	c.mu.Unlock()
	if err := secure.HandshakeContext(ctx); err != nil {
		return err
	}
	a, err := sctp.ServerWithOptions(associationOptions(secure)...)
	if err != nil {
		return err
	}
	return c.attach(a)
}

// serverOptions are the same at both ends, for tests.
func associationOptions(over net.Conn) []sctp.ServerOption {
	return []sctp.ServerOption{
		sctp.WithNetConn(over), sctp.WithLoggerFactory(quiet), sctp.WithMTU(mtu),
		sctp.WithMaxReceiveBufferSize(receiveBuffer), sctp.WithMaxMessageSize(maxSend),
		sctp.WithMaxReassemblyQueueEntries(maxReassembly), sctp.WithRTOMax(2000),
	}
}

// attach opens the two channels over an association.
func (c *Conn) attach(a *sctp.Association) error {
	c.mu.Lock()
	c.sctp = a
	c.mu.Unlock()
	for n := range channels {
		s, err := a.OpenStream(uint16(n), sctp.PayloadTypeWebRTCBinary)
		if err != nil {
			return err
		}
		c.streams[n] = s
	}
	c.streams[Unreliable].SetReliabilityParams(true, sctp.ReliabilityTypeRexmit, retransmissions)
	for ch, s := range c.streams {
		s.SetBufferedAmountLowThreshold(windows[ch] / 2)
		s.OnBufferedAmountLow(func() {
			select {
			case c.room <- struct{}{}:
			default:
			}
		})
	}
	c.pipe.open.Store(true)
	for n, s := range c.streams {
		go c.read(Channel(n), s)
	}
	go func() { // ends with the association
		for {
			s, err := a.AcceptStream()
			if err != nil {
				return
			}
			if s.StreamIdentifier() >= uint16(channels) { // else its first message came before attach
				c.fail(errStream)
			}
		}
	}()
	return nil
}

func (c *Conn) read(ch Channel, s *sctp.Stream) {
	b := make([]byte, MaxMessage)
	for {
		n, kind, err := s.ReadSCTP(b)
		if err != nil {
			if errors.Is(err, io.ErrShortBuffer) {
				err = ErrTooLarge
			}
			c.fail(err)
			return
		}
		m := Message{Channel: ch, Text: kind == sctp.PayloadTypeWebRTCString, Body: append([]byte(nil), b[:n]...)}
		if !m.Text && kind != sctp.PayloadTypeWebRTCBinary {
			m.Body = nil // an empty one, which SCTP cannot send
		}
		select {
		case c.in <- m:
		case <-c.done:
			return
		}
	}
}

// Recv returns the next message of the browser.
func (c *Conn) Recv() (Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.done:
		c.mu.Lock()
		defer c.mu.Unlock()
		if errors.Is(c.why, ErrTooLarge) {
			return Message{}, c.why
		}
		return Message{}, io.EOF
	case <-c.readBy.passed():
		return Message{}, os.ErrDeadlineExceeded
	}
}

// Send sends a message. It waits until there is room on the channel.
func (c *Conn) Send(ch Channel, b []byte, text bool) error {
	kind := sctp.PayloadTypeWebRTCBinary
	if text {
		kind = sctp.PayloadTypeWebRTCString
	}
	s := c.streams[ch]
	for s.BufferedAmount() >= windows[ch] {
		select {
		case <-c.room:
		case <-c.done:
			return net.ErrClosed
		case <-c.writeBy.passed():
			return os.ErrDeadlineExceeded
		}
	}
	if err := c.pace(len(b)); err != nil {
		return err
	}
	_, err := s.WriteSCTP(b, kind)
	return err
}

// Unacknowledged is how many bytes of a channel the browser has not acknowledged.
func (c *Conn) Unacknowledged(ch Channel) uint64 { return c.streams[ch].BufferedAmount() }

// SetReadDeadline ends a Recv that waits at t; the zero time means never.
func (c *Conn) SetReadDeadline(t time.Time) error { c.readBy.set(t); return nil }

// SetWriteDeadline does the same for Send.
func (c *Conn) SetWriteDeadline(t time.Time) error { c.writeBy.set(t); return nil }

// RemoteAddr is where the browser is now.
func (c *Conn) RemoteAddr() netip.AddrPort { return *c.pipe.to.Load() }

func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.why == nil {
		c.why = err
	}
	c.mu.Unlock()
	go c.Close() // not by the goroutines that it waits for
}

// drainTime is how long what was sent may take to arrive before Close.
const drainTime = time.Second

// Drain waits until the browser has all of the reliable channel, for a moment.
func (c *Conn) Drain() {
	end := time.NewTimer(drainTime)
	defer end.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for c.Unacknowledged(Reliable) > 0 {
		select {
		case <-tick.C:
		case <-end.C:
			return
		case <-c.done:
			return
		}
	}
}

// Close ends the connection at once; it may be called again.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		close(c.done)
		c.l.forget(c)
		c.mu.Lock()
		secure, a := c.dtls, c.sctp
		c.mu.Unlock()
		if a != nil {
			a.Abort("closed") // the browser notices at once
		}
		c.pipe.Close()
		if secure != nil {
			_ = secure.Close()
		}
	})
	return nil
}
