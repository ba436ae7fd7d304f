package transport

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// What others may open with us, by the address that they come from (of IPv6: its
// /64). A QUIC handshake costs us one to two milliseconds; who begins one has shown
// that packets to its address reach it (network.unproven).
const (
	// maxPending bounds the handshakes that others have begun with us.
	maxPending = 512
	// pendingEach is how many of them an address may have.
	pendingEach = 64
	// Handshakes that an address may begin a second, and at once, and those of all
	// addresses that no datagram session is with.
	handshakeRate, handshakeBurst = 16, 256
	strangerRate, strangerBurst   = 128, 1024
	// linksOfID is how many links one node may have opened with us, from different
	// addresses: it may move faster than we notice that the old link is dead.
	linksOfID = 4
	// maxGuests is how many addresses are remembered.
	maxGuests = 1 << 14
)

// guests counts the handshakes and links that others open. Handshakes are counted
// by any goroutine, links by the loop alone.
type guests struct {
	perAddress int // links

	mu        sync.Mutex
	from      limit.Table[guest]
	strangers limit.Budget
	pending   int

	links map[netip.Prefix]int // that others have opened
	ids   map[id.ID]int
}

// guest is what is known of an address.
type guest struct {
	pending    int
	handshakes limit.Budget
}

func newGuests(perAddress int) *guests {
	return &guests{
		perAddress: perAddress, strangers: limit.NewBudget(strangerRate, strangerBurst),
		from: limit.NewTable(maxGuests, func() guest {
			return guest{handshakes: limit.NewBudget(handshakeRate, handshakeBurst)}
		}, func(g *guest) bool { return g.pending > 0 }),
		links: map[netip.Prefix]int{}, ids: map[id.ID]int{},
	}
}

// begin counts a handshake, or reports false if there are too many. known says that
// there is a datagram session with who begins it.
func (s *guests) begin(from netip.Addr, known bool, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.from.Of(from, now)
	if s.pending >= maxPending || g.pending >= pendingEach || !g.handshakes.Take(1, now) || !known && !s.strangers.Take(1, now) {
		return false
	}
	g.pending++
	s.pending++
	return true
}

// done is when a handshake that was counted is over.
func (s *guests) done(from netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	s.from.Of(from, time.Now()).pending--
}

// waiting is how many handshakes are under way.
func (s *guests) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

// room reports whether a node may open one more link with us. Only the loop may ask.
func (s *guests) room(p machine.Peer) bool {
	return s.links[guestKey(p)] < s.perAddress && s.ids[p.ID] < linksOfID
}

// count adds a link that another node has opened, or takes it away (by is -1).
func (s *guests) count(p machine.Peer, by int) {
	key := guestKey(p)
	if s.links[key] += by; s.links[key] == 0 {
		delete(s.links, key)
	}
	if s.ids[p.ID] += by; s.ids[p.ID] == 0 {
		delete(s.ids, p.ID)
	}
}

func guestKey(p machine.Peer) netip.Prefix { return limit.Key(p.Addr.AddrPort().Addr()) }

// addrOf is the IP address of a UDP address.
func addrOf(a net.Addr) netip.Addr {
	if u, ok := a.(*net.UDPAddr); ok {
		return u.AddrPort().Addr()
	}
	return netip.Addr{}
}
