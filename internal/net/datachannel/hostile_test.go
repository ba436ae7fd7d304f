package datachannel_test

import (
	"bytes"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pion/sctp"
	"github.com/pion/stun/v4"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel/datachanneltest"
)

// stranger is a socket that says anything.
type stranger struct {
	t *testing.T
	net.Conn
}

func strangerOf(t *testing.T, at netip.AddrPort) stranger {
	t.Helper()
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(at))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return stranger{t, c}
}

func (s stranger) says(b []byte) {
	s.t.Helper()
	if _, err := s.Write(b); err != nil {
		s.t.Fatal(err)
	}
}

// hears returns the next packet; nil: none came before the answer to a check that is
// in order.
func (s stranger) hears() []byte {
	s.t.Helper()
	b := make([]byte, 2000)
	_ = s.SetReadDeadline(time.Now().Add(patience))
	n, err := s.Read(b)
	if err != nil {
		s.t.Fatal(err)
	}
	return b[:n]
}

// hello is how a DTLS handshake begins, as far as the listener looks at it.
func hello() []byte {
	return append([]byte{22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20}, make([]byte, 20)...)
}

// TestHostileChecks: a check that is not one of a browser for this node is not answered,
// and an answer is never longer than its question.
func TestHostileChecks(t *testing.T) {
	l, at := listen(t, datachannel.Limits{})
	good := datachanneltest.NewUfrag(l.Fingerprint())
	other := datachanneltest.NewUfrag(datachannel.Fingerprint{1})
	named := func(user, key string) []byte {
		return stun.MustBuild(stun.TransactionID, stun.BindingRequest, stun.NewUsername(user), stun.NewShortTermIntegrity(key), stun.Fingerprint).Raw
	}
	cut := named(good+":abcd", good)
	flipped := bytes.Clone(cut)
	flipped[len(flipped)-12] ^= 1
	bad := map[string][]byte{
		"nothing":                {0},
		"no user":                stun.MustBuild(stun.TransactionID, stun.BindingRequest, stun.NewShortTermIntegrity(good), stun.Fingerprint).Raw,
		"another prefix":         named("abcdefghijklmnopqrstuvwxyz:abcd", "abcdefghijklmnopqrstuvwxyz"),
		"a short fragment":       named("vp1+abc:abcd", "vp1+abc"),
		"a long fragment":        named(good+strings.Repeat("a", 64)+":abcd", good+strings.Repeat("a", 64)),
		"another node's":         named(other+":abcd", other),
		"a line in the fragment": named(good+"\r\na=x:abcd", good+"\r\na=x"),
		"a line in the client's": named(good+":ab\r\ncd", good),
		"a long client's":        named(good+":"+strings.Repeat("a", 65), good),
		"no client's":            named(good, good),
		"another key":            named(good+":abcd", good+"x"),
		"a flipped bit":          flipped,
		"cut off":                cut[:len(cut)-1],
		"a response":             stun.MustBuild(stun.TransactionID, stun.BindingSuccess, stun.NewUsername(good+":abcd"), stun.NewShortTermIntegrity(good), stun.Fingerprint).Raw,
		"too large": stun.MustBuild(stun.TransactionID, stun.BindingRequest, stun.NewUsername(good+":abcd"),
			stun.RawAttribute{Type: 0xc000, Value: make([]byte, 600)}, stun.NewShortTermIntegrity(good), stun.Fingerprint).Raw,
	}
	for name, b := range bad {
		s := strangerOf(t, at)
		s.says(b)
		ask := named(good+":a", good) // the shortest that is in order
		s.says(ask)
		answer := s.hears()
		m := stun.Message{Raw: answer}
		if err := m.Decode(); err != nil || !bytes.Equal(m.TransactionID[:], ask[8:20]) {
			t.Errorf("%s was answered: %v", name, err)
		}
		if len(answer) > len(ask) {
			t.Errorf("%d bytes answer %d", len(answer), len(ask))
		}
	}
}

// TestHostileHandshakes: one address cannot begin more handshakes than it may, those
// that lead to nothing end, and others come in meanwhile.
func TestHostileHandshakes(t *testing.T) {
	l, at := listen(t, datachannel.Limits{Pending: 3, PendingPerAddress: 2, Handshakes: 100, Handshake: time.Second})
	var all []stranger
	for range 20 {
		s := strangerOf(t, at)
		s.says(hello()) // without a check: nothing is begun
		s.says(datachanneltest.Check(datachanneltest.NewUfrag(l.Fingerprint())))
		s.hears()
		s.says(hello())
		all = append(all, s)
	}
	until(t, "the handshakes that one address may have", func() bool { return l.Pending() == 2 })
	until(t, "the handshakes to end", func() bool { return l.Pending() == 0 })
	dial(t, at, l.Fingerprint())
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	_ = all
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// TestHostileChannels: who opens a channel of its own, or sends a message that is too
// large, is cut off.
func TestHostileChannels(t *testing.T) {
	l, at := listen(t, datachannel.Limits{})
	for name, do := range map[string]func(*datachanneltest.Client) error{
		"another channel": func(c *datachanneltest.Client) error {
			s, err := c.Assoc.OpenStream(7, sctp.PayloadTypeWebRTCBinary)
			if err == nil {
				_, err = s.WriteSCTP([]byte{1}, sctp.PayloadTypeWebRTCBinary)
			}
			return err
		},
		"a large message": func(c *datachanneltest.Client) error {
			return c.Send(datachannel.Reliable, make([]byte, datachannel.MaxMessage+1))
		},
	} {
		c := dial(t, at, l.Fingerprint())
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if err := do(c); err != nil {
			t.Fatal(err)
		}
		if m, err := conn.Recv(); err == nil || isTimeout(err) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

func isTimeout(err error) bool {
	t, ok := err.(interface{ Timeout() bool })
	return ok && t.Timeout()
}

// TestHostileNode: a browser does not talk to a node with another certificate.
func TestHostileNode(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	_, at := listen(t, datachannel.Limits{Handshake: time.Second})
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := datachanneltest.Dial(within(t, patience), conn, at, certificate(t).Fingerprint()); err == nil {
		c.Close()
		t.Fatal("it was taken for another node")
	}
}

// TestSilentBrowser: a browser that is gone is noticed; one that only checks is not gone.
func TestSilentBrowser(t *testing.T) {
	l, at := listen(t, datachannel.Limits{Silent: 300 * time.Millisecond})
	c := dial(t, at, l.Fingerprint())
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := conn.Recv(); err == nil || isTimeout(err) {
		t.Errorf("a browser that is gone: %v", err)
	}
}

// TestChangedAddress: a browser whose router gives it another address goes on.
func TestChangedAddress(t *testing.T) {
	l, at := listen(t, datachannel.Limits{})
	first, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	moving := &movingConn{PacketConn: first}
	c, err := datachanneltest.Dial(within(t, patience), moving, at, l.Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	before := conn.RemoteAddr()
	moving.move(t)
	until(t, "the new address", func() bool { _ = c.Check(); return conn.RemoteAddr() != before })
	before = conn.RemoteAddr()
	moving.move(t)
	c.Ufrag += "next" // an ICE restart
	until(t, "the address after an ICE restart", func() bool { _ = c.Check(); return conn.RemoteAddr() != before })
	if err := conn.Send(datachannel.Reliable, []byte("there"), true); err != nil {
		t.Fatal(err)
	}
	if b, _, err := c.Recv(datachannel.Reliable); err != nil || string(b) != "there" {
		t.Errorf("%q, %v", b, err)
	}
}
