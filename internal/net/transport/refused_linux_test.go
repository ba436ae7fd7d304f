package transport

import (
	"net"
	"net/netip"
	"slices"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// A machine says that nothing listens at a port; a port at which somebody listens, who says
// nothing, is not refused.
func TestRefused(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	for _, local := range []string{"127.0.0.1:0", "[::1]:0"} {
		listen := func() (*net.UDPConn, netip.AddrPort) {
			c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort(local)))
			if err != nil {
				t.Skip(err)
			}
			return c, c.LocalAddr().(*net.UDPAddr).AddrPort()
		}
		silent, there := listen()
		defer silent.Close()
		ended, gone := listen()
		ended.Close()
		at := []netip.AddrPort{there, gone, {}}
		if got, want := Refused(at), []bool{false, true, false}; !slices.Equal(got, want) {
			t.Errorf("refused at %v: %v, want %v", at, got, want)
		}
	}
}

// Who has sent the message counts, and what it says.
func TestUnreachable(t *testing.T) {
	four, six := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	by4 := append([]byte{0, 0, 0, 0, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}, 192, 0, 2, 1)
	as6 := six.As16()
	by6 := append([]byte{0, 0, 0, 0, 3, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0}, as6[:]...)
	noWay := slices.Clone(by4)
	noWay[6] = 1 // host unreachable
	for _, c := range []struct {
		b    []byte
		who  netip.Addr
		want bool
	}{{by4, four, true}, {by6, six, true}, {by4, netip.MustParseAddr("192.0.2.2"), false}, {by6, four, false}, {noWay, four, false}, {by4[:20], four, false}, {nil, four, false}} {
		if got := unreachable(c.b, c.who); got != c.want {
			t.Errorf("% x of %v: %v", c.b, c.who, got)
		}
	}
}
