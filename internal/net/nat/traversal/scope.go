package traversal

import "net/netip"

// cgnat is what providers give to homes that share an address (RFC 6598).
var cgnat = netip.MustParsePrefix("100.64.0.0/10")

// Scope says from how far away an address can be used: 3 from anywhere, 2 within a
// private network, 1 on one cable, 0 on one machine.
func Scope(a netip.Addr) int {
	switch a = a.Unmap(); {
	case !a.IsValid() || a.IsLoopback() || a.IsUnspecified():
		return 0
	case a.IsLinkLocalUnicast():
		return 1
	case a.IsPrivate() || cgnat.Contains(a):
		return 2
	}
	return 3
}
