package road

import (
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/nat/reach"
)

// A hidden node is known by an address that stands for it: an IPv6 address and a
// port of a private range that nobody routes (RFC 4193), which say where its
// anchor is, a public node that it keeps a link to, and how its id begins.
//
//	fd 76 | IPv4 address [4] and port [2] of the anchor | first 10 bytes of the id
var veil = [2]byte{0xfd, 0x76}

// Veil is the address that stands for a hidden node; anchors have IPv4 addresses.
func Veil(node id.ID, anchor netip.AddrPort) (a machine.Addr, ok bool) {
	ip := anchor.Addr().Unmap()
	if !ip.Is4() {
		return a, false
	}
	four := ip.As4()
	copy(a[:], veil[:])
	copy(a[2:], four[:])
	a[6], a[7] = byte(anchor.Port()>>8), byte(anchor.Port())
	copy(a[8:], node[:])
	return a, true
}

// Veiled reports whether an address stands for a hidden node.
func Veiled(a machine.Addr) bool { return [2]byte(a[:2]) == veil }

// stands reports whether an address stands for this node.
func stands(a machine.Addr, node id.ID) bool {
	return Veiled(a) && [10]byte(a[8:]) == [10]byte(node[:])
}

// anchorOf is where the anchor of a hidden node is.
func anchorOf(a machine.Addr) machine.Addr {
	return machine.AddrFrom(netip.AddrPortFrom(netip.AddrFrom4([4]byte(a[2:])), uint16(a[6])<<8|uint16(a[7])))
}

// named is the address that a node is known by here: the one that it announces,
// unless that is of use in a smaller network than the one where it was reached. A
// machine that is reached at a translated address does not know that address and
// announces its own one.
func named(announced, at machine.Addr) machine.Addr {
	if !Veiled(announced) && !Veiled(at) && reach.Scope(announced.AddrPort().Addr()) < reach.Scope(at.AddrPort().Addr()) {
		return at
	}
	return announced
}
