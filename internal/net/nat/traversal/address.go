package traversal

import (
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// A hidden node is known by its relayed address: an IPv6 address and a port of a
// private range that nobody routes (RFC 4193). It holds the address of the node's home
// relay, a public node that it keeps a link to, and the beginning of the node's id.
//
//	fd 76 | IPv4 address [4] and port [2] of the home relay | first 10 bytes of the id
var relayedPrefix = [2]byte{0xfd, 0x76}

// RelayedAddr is the relayed address of a hidden node; home relays have IPv4 addresses.
func RelayedAddr(node id.ID, homeRelay netip.AddrPort) (a machine.Addr, ok bool) {
	ip := homeRelay.Addr().Unmap()
	if !ip.Is4() {
		return a, false
	}
	four := ip.As4()
	copy(a[:], relayedPrefix[:])
	copy(a[2:], four[:])
	a[6], a[7] = byte(homeRelay.Port()>>8), byte(homeRelay.Port())
	copy(a[8:], node[:])
	return a, true
}

// IsRelayed reports whether an address is a relayed one.
func IsRelayed(a machine.Addr) bool { return [2]byte(a[:2]) == relayedPrefix }

// isRelayedAddrOf reports whether an address is the relayed address of a node.
func isRelayedAddrOf(a machine.Addr, node id.ID) bool {
	return IsRelayed(a) && [10]byte(a[8:]) == [10]byte(node[:])
}

// homeRelayOf is the address of the home relay that a relayed address names.
func homeRelayOf(a machine.Addr) machine.Addr {
	return machine.AddrFrom(netip.AddrPortFrom(netip.AddrFrom4([4]byte(a[2:])), uint16(a[6])<<8|uint16(a[7])))
}

// preferredAddr is the address that a peer is known by here: the one that it announces,
// unless that is valid only in a smaller network than the one where it was reached. A
// machine that is reached at a translated address does not know that address and
// announces its own.
func preferredAddr(announced, at machine.Addr) machine.Addr {
	if !IsRelayed(announced) && !IsRelayed(at) && Scope(announced.AddrPort().Addr()) < Scope(at.AddrPort().Addr()) {
		return at
	}
	return announced
}
