package transport

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestRelay: links and datagrams go another way than through the port, as they
// do between nodes behind NATs.
func TestRelay(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2)
	atA, atB := netip.MustParseAddrPort("100.64.0.1:1"), netip.MustParseAddrPort("100.64.0.2:2")
	// What a sends to b's address at the relay comes to b as from a's, and back.
	t.Cleanup(a.sock.Route(atB, func(p []byte) error { b.sock.Deliver(p, atA); return nil }))
	t.Cleanup(b.sock.Route(atA, func(p []byte) error { a.sock.Deliver(p, atB); return nil }))
	far := machine.Peer{ID: b.peer.ID, Addr: machine.AddrFrom(atB)}
	a.do(func(env machine.Env) { env.Send(far, note("over the relay")) })
	b.sees("over the relay")
	if got := b.who("over the relay"); got.ID != a.peer.ID || got.Addr.AddrPort() != atA {
		t.Fatalf("b sees %v", got)
	}
	big := strings.Repeat("x", 1<<20)
	a.do(func(env machine.Env) { env.Open(far); env.Send(far, big) })
	b.sees("over the relay", "link 1", big)
	a.do(func(env machine.Env) { env.Close(far) })
	b.sees("over the relay", "link 1", big, "link 2")
}
