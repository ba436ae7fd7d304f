package nat

import (
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// defaultGateway is the home's router: what Linux says, elsewhere the first
// address of the network that this machine is in, which is nearly always it.
func defaultGateway() (netip.Addr, error) {
	if b, err := os.ReadFile("/proc/self/net/route"); err == nil {
		if ip, ok := parseRoutes(string(b)); ok {
			return ip, nil
		}
	}
	own, err := sourceTo("udp4", "192.0.2.1:9")
	if err != nil {
		return netip.Addr{}, err
	}
	if !own.IsPrivate() {
		return netip.Addr{}, errors.New("this machine is not behind a home's router")
	}
	a := own.As4()
	a[3] = 1
	return netip.AddrFrom4(a), nil
}

// sourceTo is the address that this machine would send from. Nothing is sent: this is
// only how a system tells it.
func sourceTo(network, to string) (netip.Addr, error) {
	conn, err := net.Dial(network, to)
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), nil
}

// parseRoutes finds the default route in Linux's table: numbers are hexadecimal,
// in the order of the machine's bytes (all that we build for are little-endian).
func parseRoutes(table string) (netip.Addr, bool) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 8 || f[1] != "00000000" || f[7] != "00000000" {
			continue
		}
		b, err := hex.DecodeString(f[2])
		if err != nil || len(b) != 4 {
			continue
		}
		slices.Reverse(b)
		if ip := netip.AddrFrom4([4]byte(b)); !ip.IsUnspecified() {
			return ip, true
		}
	}
	return netip.Addr{}, false
}

// anycast6 is where PCP servers answer that are not known by their address (RFC 7723).
var anycast6 = netip.MustParseAddr("2001:1::1")

// defaultGateway6 is the home's router by IPv6: what Linux says, elsewhere the address
// of whatever PCP server there is.
func defaultGateway6() netip.Addr {
	if b, err := os.ReadFile("/proc/self/net/ipv6_route"); err == nil {
		if ip, ok := parseRoutes6(string(b)); ok {
			return ip
		}
	}
	return anycast6
}

// parseRoutes6 finds the default route in Linux's table of IPv6.
func parseRoutes6(table string) (netip.Addr, bool) {
	const unspecified = "00000000000000000000000000000000"
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[0] != unspecified || f[1] != "00" || f[4] == unspecified {
			continue
		}
		ip, ok := hexAddr(f[4])
		if ok && ip.IsLinkLocalUnicast() {
			ip = ip.WithZone(f[9])
		}
		if ok {
			return ip, true
		}
	}
	return netip.Addr{}, false
}

func hexAddr(s string) (netip.Addr, bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 16 {
		return netip.Addr{}, false
	}
	return netip.AddrFrom16([16]byte(b)), true
}

// errNoIPv6: nothing has to be opened.
var errNoIPv6 = errors.New("this machine has no IPv6 address that is reached from elsewhere")

// ownIPv6 is the address that others are to reach this machine by. Linux says which of
// several stays the longest; elsewhere it is the one that this machine sends from.
func ownIPv6() (netip.Addr, error) {
	if b, err := os.ReadFile("/proc/self/net/if_inet6"); err == nil {
		if ip, ok := parseAddrs6(string(b)); ok {
			return ip, nil
		}
		return netip.Addr{}, errNoIPv6
	}
	ip, err := sourceTo("udp6", "[2001:db8::1]:9")
	if err != nil || !isGlobal6(ip) {
		return netip.Addr{}, errNoIPv6
	}
	return ip, nil
}

func isGlobal6(ip netip.Addr) bool {
	return ip.Is6() && !ip.Is4In6() && ip.IsGlobalUnicast() && !ip.IsPrivate()
}

// unfit are Linux's flags of addresses that end soon or must not be used: temporary
// (RFC 8981), failed the search for duplicates, deprecated, tentative.
const unfit = 0x01 | 0x08 | 0x20 | 0x40

// parseAddrs6 finds an address to be reached by in Linux's table of IPv6 addresses.
func parseAddrs6(table string) (netip.Addr, bool) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 6 {
			continue
		}
		flags, err := strconv.ParseUint(f[4], 16, 32)
		if ip, ok := hexAddr(f[0]); ok && err == nil && flags&unfit == 0 && isGlobal6(ip) {
			return ip, true
		}
	}
	return netip.Addr{}, false
}
