package datachannel

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pion/sctp"
)

// TestMessageBeforeAttach: a browser may send before the node has opened its side of the
// channels.
func TestMessageBeforeAttach(t *testing.T) {
	cert, err := NewCertificate()
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	browser := make(chan *sctp.Association, 1)
	go func() {
		a, err := sctp.ClientWithOptions(sctp.WithNetConn(there), sctp.WithLoggerFactory(quiet))
		if err != nil {
			t.Error(err)
		}
		browser <- a
	}()
	a, err := sctp.ServerWithOptions(associationOptions(here)...)
	if err != nil {
		t.Fatal(err)
	}
	theirs := <-browser
	defer theirs.Close()
	s, err := theirs.OpenStream(uint16(Reliable), sctp.PayloadTypeWebRTCBinary)
	if err != nil {
		t.Fatal(err)
	}
	before := a.BytesReceived()
	if _, err := s.WriteSCTP([]byte("early"), sctp.PayloadTypeWebRTCBinary); err != nil {
		t.Fatal(err)
	}
	for s.BufferedAmount() > 0 || a.BytesReceived() == before {
		time.Sleep(time.Millisecond)
	}
	c := newConn(newListener(discard{}, cert, Limits{}), netip.MustParseAddrPort("192.0.2.7:4747"), strings.Repeat("x", connEnd))
	defer c.Close()
	if err := c.attach(a); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"early", "later"} {
		if m, err := c.Recv(); err != nil || string(m.Body) != want {
			t.Fatalf("%q, %v", m.Body, err)
		}
		if _, err := s.WriteSCTP([]byte("later"), sctp.PayloadTypeWebRTCBinary); err != nil {
			t.Fatal(err)
		}
	}
}
