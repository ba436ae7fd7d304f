package datachannel_test

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel/datachanneltest"
)

// patience is for whatever takes a moment.
const patience = 20 * time.Second

func certificate(t testing.TB) *datachannel.Certificate {
	t.Helper()
	c, err := datachannel.NewCertificate()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// listen accepts browsers at an address of this machine.
func listen(t *testing.T, limits datachannel.Limits) (*datachannel.Listener, netip.AddrPort) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := datachannel.Listen(conn, certificate(t), limits)
	t.Cleanup(func() { l.Close(); conn.Close() })
	return l, conn.LocalAddr().(*net.UDPAddr).AddrPort()
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func dial(t *testing.T, to netip.AddrPort, f datachannel.Fingerprint) *datachanneltest.Client {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := datachanneltest.Dial(within(t, patience), conn, to, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestChannels(t *testing.T) {
	l, at := listen(t, datachannel.Limits{})
	c := dial(t, at, l.Fingerprint())
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SendText("hello"); err != nil {
		t.Fatal(err)
	}
	if m, err := conn.Recv(); err != nil || !m.Text || string(m.Body) != "hello" || m.Channel != datachannel.Reliable {
		t.Fatalf("%+v, %v", m, err)
	}
	if err := c.Send(datachannel.Unreliable, []byte{1, 2}); err != nil {
		t.Fatal(err)
	}
	if m, err := conn.Recv(); err != nil || m.Text || !bytes.Equal(m.Body, []byte{1, 2}) || m.Channel != datachannel.Unreliable {
		t.Fatalf("%+v, %v", m, err)
	}
	large := bytes.Repeat([]byte("column"), 5000)
	for _, ch := range []datachannel.Channel{datachannel.Reliable, datachannel.Unreliable} {
		if err := conn.Send(ch, large, false); err != nil {
			t.Fatal(err)
		}
		if b, text, err := c.Recv(ch); err != nil || text || !bytes.Equal(b, large) {
			t.Fatalf("channel %d: %d bytes, %v", ch, len(b), err)
		}
	}
	conn.Drain()
	if n := conn.Unacknowledged(datachannel.Reliable); n != 0 {
		t.Errorf("%d bytes are not acknowledged", n)
	}
	conn.Close()
	if _, _, err := c.Recv(datachannel.Reliable); err == nil {
		t.Error("the browser does not notice that the node has closed")
	}
}
