package machine

import (
	"encoding/binary"
	"net/netip"
)

// AddrFrom returns the Addr of an IP address and port; the zone of a link-local
// address is not kept. An invalid one gives the zero Addr.
func AddrFrom(a netip.AddrPort) (out Addr) {
	if !a.IsValid() {
		return Addr{}
	}
	ip := a.Addr().As16() // IPv4 becomes mapped
	copy(out[:], ip[:])
	binary.BigEndian.PutUint16(out[16:], a.Port())
	return out
}

// AddrPort returns the IP address (IPv4 unmapped) and port; invalid for the
// zero Addr.
func (a Addr) AddrPort() netip.AddrPort {
	if a.IsZero() {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(netip.AddrFrom16([16]byte(a[:16])).Unmap(), binary.BigEndian.Uint16(a[16:]))
}

// IsZero reports whether a is the address of peers in the same process.
func (a Addr) IsZero() bool { return a == Addr{} }

// String is the address as people write it, "here" for the zero Addr.
func (a Addr) String() string {
	if a.IsZero() {
		return "here"
	}
	return a.AddrPort().String()
}
