package datachannel

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// Limits keep what strangers can do within bounds. Zero values mean the defaults.
type Limits struct {
	Connections int // at a time; default 1024
	// Pending is how many handshakes may be under way, PendingPerAddress how many of
	// an address (of IPv6: a /64); default 128, 8.
	Pending, PendingPerAddress int
	// Checks is how many ICE checks of an address are answered a second, with bursts
	// of 5 s; Handshakes how many handshakes it may begin, with bursts of 30 s;
	// default 100, 1.
	Checks, Handshakes float64
	Handshake          time.Duration // until the channels are open; default 8 s
	// Silent is how long a browser may say nothing, not even a check; default 20 s.
	Silent time.Duration
}

func (l Limits) withDefaults() Limits {
	set(&l.Connections, 1024)
	set(&l.Pending, 128)
	set(&l.PendingPerAddress, 8)
	set(&l.Checks, 100)
	set(&l.Handshakes, 1)
	set(&l.Handshake, 8*time.Second)
	set(&l.Silent, 20*time.Second)
	return l
}

func set[T int | float64 | time.Duration](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

const (
	maxPacket    = 1500
	maxAddresses = 4096 // that are remembered
	maxChecked   = 1024 // paths that were checked and have no handshake yet
	checkedLife  = 10 * time.Second
	sweepEvery   = time.Second
	maxAccepted  = 16 // connections that wait to be accepted
)

// Listener accepts browsers on a packet connection.
type Listener struct {
	conn     net.PacketConn
	circuits Circuits // nil: no browser comes through another node
	name     string   // of this node, in checks
	cert     *Certificate
	limits   Limits
	accepted chan *Conn
	done     chan struct{}
	closing  sync.Once
	live     sync.WaitGroup

	mu       sync.Mutex
	visitors limit.Table[visitor]
	checked  map[netip.AddrPort]checkedPath
	at       map[netip.AddrPort]*Conn
	of       map[string]*Conn // by the first connEnd characters of the node's fragment
	pending  int
}

// visitor is what is known of an address.
type visitor struct {
	checks, handshakes limit.Budget
	pending            int
}

// checkedPath is a path on which a browser has sent a check and no handshake yet.
type checkedPath struct {
	ufrag string
	until time.Time
}

// Listen accepts browsers on a connection that gets their packets, such as
// socket.Socket.Browsers. Close leaves it open.
func Listen(conn net.PacketConn, cert *Certificate, limits Limits) *Listener {
	l := newListener(conn, cert, limits)
	l.start()
	return l
}

func (l *Listener) start() {
	l.live.Go(l.read)
	l.live.Go(l.sweep)
}

func newListener(conn net.PacketConn, cert *Certificate, limits Limits) *Listener {
	l := &Listener{
		conn: conn, name: cert.Fingerprint().Name(), cert: cert, limits: limits.withDefaults(), accepted: make(chan *Conn, maxAccepted), done: make(chan struct{}),
		checked: map[netip.AddrPort]checkedPath{}, at: map[netip.AddrPort]*Conn{}, of: map[string]*Conn{},
	}
	l.visitors = limit.NewTable(maxAddresses, func() visitor {
		return visitor{checks: limit.NewBudget(l.limits.Checks, 5*l.limits.Checks), handshakes: limit.NewBudget(l.limits.Handshakes, 30*l.limits.Handshakes)}
	}, func(v *visitor) bool { return v.pending > 0 })
	return l
}

// Fingerprint is that of the listener's certificate.
func (l *Listener) Fingerprint() Fingerprint { return l.cert.Fingerprint() }

// Pending is how many handshakes are under way.
func (l *Listener) Pending() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending
}

// Accept waits for a browser whose channels are open.
func (l *Listener) Accept() (*Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends all connections.
func (l *Listener) Close() error {
	l.closing.Do(func() { close(l.done) })
	_ = l.conn.SetReadDeadline(time.Unix(1, 0)) // wakes the reader
	l.mu.Lock()
	var all []*Conn
	for _, c := range l.of {
		all = append(all, c)
	}
	l.mu.Unlock()
	for _, c := range all {
		c.Close()
	}
	l.live.Wait()
	return nil
}

func (l *Listener) closed() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

func (l *Listener) read() {
	b := make([]byte, maxPacket)
	for {
		n, addr, err := l.conn.ReadFrom(b)
		if l.closed() || errors.Is(err, net.ErrClosed) {
			return
		}
		if u, ok := addr.(*net.UDPAddr); ok && err == nil && n > 0 {
			l.handle(b[:n], limit.CanonicalPort(u.AddrPort()))
		}
	}
}

// First bytes: RFC 9443, section 3.
const (
	lastSTUN  = 3
	firstDTLS = 20
	lastDTLS  = 63
)

func (l *Listener) handle(b []byte, from netip.AddrPort) {
	switch {
	case b[0] <= lastSTUN:
		l.onCheck(b, from)
	case b[0] >= firstDTLS && b[0] <= lastDTLS:
		l.onDTLS(b, from)
	}
}

// onCheck answers a check, and notes the path by which it came.
func (l *Listener) onCheck(b []byte, from netip.AddrPort) {
	now := time.Now()
	l.mu.Lock()
	may := l.visitors.Of(from.Addr(), now).checks.Take(1, now)
	l.mu.Unlock()
	if !may {
		return
	}
	c, ok := decodeCheck(b)
	if !ok {
		return
	}
	if c.name() != l.name {
		if l.circuits != nil {
			l.circuits.Check(c.name(), b, from)
		}
		return
	}
	answer, err := c.answer(l.seen(from))
	if err != nil {
		return
	}
	l.mu.Lock()
	if conn := l.of[c.conn()]; conn != nil {
		conn.heard(now)
		if c.nominates {
			conn.ufrag.Store(&c.ufrag)
		}
		if before := conn.at; c.nominates && before != from && l.at[from] == nil { // the browser's address has changed
			delete(l.at, before)
			conn.at, l.at[from] = from, conn
			conn.pipe.to.Store(&from)
			conn.moved(before, from)
		}
	} else if l.at[from] == nil {
		l.note(from, c.ufrag, now)
	}
	l.mu.Unlock()
	_, _ = l.conn.WriteTo(answer, net.UDPAddrFromAddrPort(from)) // lost, as packets are
}

// note remembers a path that was checked. l.mu is locked.
func (l *Listener) note(from netip.AddrPort, ufrag string, now time.Time) {
	if _, known := l.checked[from]; !known && len(l.checked) >= maxChecked {
		for at := range l.checked { // any one: who is there checks again
			delete(l.checked, at)
			break
		}
	}
	l.checked[from] = checkedPath{ufrag, now.Add(checkedLife)}
}

// clientHello is how a DTLS handshake begins: a record of the type handshake.
const clientHello = 22

func (l *Listener) onDTLS(b []byte, from netip.AddrPort) {
	now := time.Now()
	l.mu.Lock()
	c := l.at[from]
	if c == nil && b[0] == clientHello {
		c = l.begin(from, now)
	}
	l.mu.Unlock()
	if c != nil {
		c.heard(now)
		c.pipe.put(b)
	} else if l.circuits != nil {
		l.circuits.Forward(b, from)
	}
}

// begin starts the handshake with a browser, if it may. l.mu is locked.
func (l *Listener) begin(from netip.AddrPort, now time.Time) *Conn {
	path, ok := l.checked[from]
	if !ok || now.After(path.until) || l.of[path.ufrag[:connEnd]] != nil || l.closed() {
		return nil
	}
	v := l.visitors.Of(from.Addr(), now)
	if len(l.of) >= l.limits.Connections || l.pending >= l.limits.Pending || v.pending >= l.limits.PendingPerAddress || !v.handshakes.Take(1, now) {
		return nil
	}
	delete(l.checked, from)
	v.pending++
	l.pending++
	c := newConn(l, from, path.ufrag)
	l.at[from], l.of[c.key] = c, c
	l.live.Go(func() { l.shake(c, from) })
	return c
}

// shake opens the channels of a browser.
func (l *Listener) shake(c *Conn, from netip.AddrPort) {
	ctx, cancel := context.WithTimeout(context.Background(), l.limits.Handshake)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	err := c.open(ctx)
	inTime := stop()
	l.mu.Lock()
	l.pending--
	l.visitors.Of(from.Addr(), time.Now()).pending--
	l.mu.Unlock()
	if err != nil || !inTime {
		c.Close()
		return
	}
	select {
	case l.accepted <- c:
	default: // nobody accepts
		c.Close()
	}
}

// forget is when a connection has ended.
func (l *Listener) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[c.key] == c {
		delete(l.of, c.key)
	}
	if l.at[c.at] == c {
		delete(l.at, c.at)
	}
	if l.isCircuit(c.at) {
		l.circuits.End(c.at)
	}
}

// sweep ends what is silent and forgets what is old.
func (l *Listener) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.done:
			return
		case now := <-tick.C:
			for _, c := range l.silent(now) {
				c.Close()
			}
		}
	}
}

func (l *Listener) silent(now time.Time) (out []*Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, path := range l.checked {
		if now.After(path.until) {
			delete(l.checked, at)
		}
	}
	l.visitors.Sweep(func(v *visitor) bool { return v.checks.Full(now) && v.handshakes.Full(now) })
	for _, c := range l.of {
		if now.UnixNano()-c.last.Load() > int64(l.limits.Silent) {
			out = append(out, c)
		}
	}
	return out
}
