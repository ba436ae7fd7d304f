package host_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// TestJoinByAnotherAddress: nodes join by addresses of the founder that it does not
// announce, before anybody has entered at the founder's. A player of the last one gets
// in, over real sockets.
func TestJoinByAnotherAddress(t *testing.T) {
	slowtest.Skip(t, "takes longer than five seconds")
	for _, loopback := range []string{"127.0.0.1", "::1"} {
		t.Run(loopback, func(t *testing.T) {
			if l, err := net.ListenPacket("udp", net.JoinHostPort(loopback, "0")); err != nil {
				t.Skip("this machine has no such address: ", err)
			} else {
				l.Close()
			}
			c := shared(t)
			c.Nodes = ":0"
			founder := start(t, c)
			at := founder.NodeAddr()
			if at.Addr().String() == loopback {
				t.Skip("the founder announces this very address: this machine has no other")
			}
			by := net.JoinHostPort(loopback, fmt.Sprint(at.Port()))
			var last *host.Host
			for range 2 {
				joiner := shared(t, by)
				joiner.Nodes = ":0"
				last = start(t, joiner)
			}
			begun := time.Now()
			join(t, last, identity(t, "Ann"), "")
			t.Logf("in after %v, by %s of a founder that announces %s", time.Since(begun), by, at)
		})
	}
}
