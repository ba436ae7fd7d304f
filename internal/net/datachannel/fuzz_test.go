package datachannel

import (
	"bytes"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pion/stun/v4"

	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// FuzzCheck: whatever comes as a check is refused, or its fragments are ICE characters
// of a bounded length, and the answer is no longer than it.
func FuzzCheck(f *testing.F) {
	ufrag := socket.BrowserUfrag + "0123456789abcdefabcdefghijklmnopqrstuvwx"
	f.Add(stun.MustBuild(stun.BindingRequest, stun.NewUsername(ufrag+":abcd"), stun.NewShortTermIntegrity(ufrag), stun.Fingerprint).Raw)
	f.Add([]byte{0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42})
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		c, ok := decodeCheck(b)
		if !bytes.Equal(b, before) {
			t.Fatal("the packet was changed")
		}
		if !ok {
			return
		}
		if !isOwnUfrag(c.ufrag) || len(c.ufrag) > maxUfrag {
			t.Fatalf("fragment %q", c.ufrag)
		}
		for _, from := range []string{"192.0.2.7:4747", "[2001:db8::7]:4747"} {
			answer, err := c.answer(netip.MustParseAddrPort(from))
			if err != nil || len(answer) > len(b) {
				t.Fatalf("%d bytes answer %d, %v", len(answer), len(b), err)
			}
		}
	})
}

// FuzzUser: a check that is signed as it should be is taken if its fragments are ICE
// characters of bounded lengths, and only then.
func FuzzUser(f *testing.F) {
	f.Add(socket.BrowserUfrag+"0123456789abcdefabcdefghijklmnopqrstuvwx", "abcd")
	f.Add(socket.BrowserUfrag+"abcdefghijklmnopqr\r\na=x:", "ab cd")
	f.Fuzz(func(t *testing.T, own, theirs string) {
		if len(own)+len(theirs) > 300 {
			return
		}
		m, err := stun.Build(stun.BindingRequest, stun.NewUsername(own+":"+theirs), stun.NewShortTermIntegrity(own), stun.Fingerprint)
		if err != nil {
			return
		}
		plain := regexp.MustCompile(`^[a-zA-Z0-9+/]{1,64}$`)
		want := plain.MatchString(own) && plain.MatchString(theirs) && len(own) >= connEnd && strings.HasPrefix(own, socket.BrowserUfrag)
		c, ok := decodeCheck(m.Raw)
		if ok != want || ok && c.ufrag != own {
			t.Fatalf("%q %q: %t %q", own, theirs, ok, c.ufrag)
		}
	})
}

// FuzzHandle: whatever packets come to a listener, it goes on.
func FuzzHandle(f *testing.F) {
	cert, err := NewCertificate()
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{22, 254, 253}, []byte{0, 1})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		l := newListener(discard{}, cert, Limits{})
		defer l.Close()
		from := netip.MustParseAddrPort("192.0.2.7:4747")
		l.mu.Lock()
		l.checked[from] = checkedPath{ufrag: "vp1+" + strings.Repeat("x", connEnd), until: farFuture}
		l.mu.Unlock()
		for _, b := range [][]byte{first, second} {
			if len(b) > 0 {
				l.handle(b, from)
			}
		}
	})
}

var farFuture = time.Now().Add(time.Hour)

// discard is a port that nobody hears.
type discard struct{ net.PacketConn }

func (discard) WriteTo(b []byte, _ net.Addr) (int, error) { return len(b), nil }
func (discard) SetReadDeadline(time.Time) error           { return nil }
func (discard) LocalAddr() net.Addr                       { return &net.UDPAddr{} }
