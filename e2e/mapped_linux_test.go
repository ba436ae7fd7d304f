package e2e

import (
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
)

// TestMappedPort: a world is at home behind a router that opens ports, and there is no
// other node. A browser behind another router reaches it by its link, and builds.
func TestMappedPort(t *testing.T) {
	lan := newLAN(t)
	desk, desksRouter := lan.behind(netns.Mapping)
	laptop, _ := lan.behind(netns.Symmetric)
	asked := desksRouter.mapsPorts()
	l, err := net.Listen("tcp", netns.OneSubnet.Own+":0")
	if err != nil {
		t.Fatal(err)
	}
	world := startMapped(t, desk, t.TempDir(), "--share", "--page", servePage(t, l))
	world.client = &http.Client{Transport: &http.Transport{DialContext: desk.dial}}
	if port := <-asked; port != 4747 {
		t.Fatalf("the node asks for port %d", port)
	}
	link := world.linkOf(1)
	if !strings.Contains(link, "at="+desksRouter.Addr+":4747_") {
		t.Fatalf("the link %s does not lead to the router", link)
	}
	ann := newPlayerOn(laptop, "Ann")
	ann.open(link)
	ann.enter()
	buildAlone(ann)
}

// mapsPorts lets a router open UDP ports by NAT-PMP (RFC 6886) for the machine behind it,
// and tells which.
func (m *machine) mapsPorts() (opened <-chan uint16) {
	m.t.Helper()
	conn, err := inside(m, func() (net.PacketConn, error) { return net.ListenPacket("udp4", netns.RouterAtHome+":5351") })
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { conn.Close() })
	ports := make(chan uint16, 16)
	go func() {
		q := make([]byte, 1100)
		for {
			n, from, err := conn.ReadFrom(q)
			if err != nil {
				return
			}
			if a := m.answer(q[:n], ports); a != nil {
				conn.WriteTo(a, from)
			}
		}
	}()
	return ports
}

// answer answers a request.
func (m *machine) answer(q []byte, ports chan<- uint16) []byte {
	switch {
	case len(q) == 2 && q[0] == 0 && q[1] == 0: // the router's address (3.2)
		at := netip.MustParseAddr(m.Addr).As4()
		return append([]byte{0, 128, 0, 0, 0, 0, 0, 1}, at[:]...)
	case len(q) == 12 && q[0] == 0 && q[1] == 1: // a UDP port (3.3)
		port, life := binary.BigEndian.Uint16(q[4:]), binary.BigEndian.Uint32(q[8:])
		if life > 0 {
			if err := m.OpenPort(port); err != nil {
				m.t.Error(err)
				return nil
			}
			select {
			case ports <- port:
			default:
			}
		}
		a := make([]byte, 16)
		a[1], a[7] = 129, 1
		binary.BigEndian.PutUint16(a[8:], port)
		binary.BigEndian.PutUint16(a[10:], port)
		binary.BigEndian.PutUint32(a[12:], life)
		return a
	case len(q) > 0 && q[0] != 0: // PCP: an unknown version (3.5)
		return []byte{0, 0x81, 0, 1, 0, 0, 0, 0}
	}
	return nil
}
