package nat

import (
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// defaultGateway is the home's router: what Linux says, elsewhere the first
// address of the network that this machine is in, which is nearly always it.
func defaultGateway() (netip.Addr, error) {
	if b, err := os.ReadFile("/proc/net/route"); err == nil {
		if ip, ok := parseRoutes(string(b)); ok {
			return ip, nil
		}
	}
	// Nothing is sent: this is only how a system tells the address it would use.
	conn, err := net.Dial("udp4", "192.0.2.1:9")
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	own := conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
	if !own.IsPrivate() {
		return netip.Addr{}, errors.New("this machine is not behind a home's router")
	}
	a := own.As4()
	a[3] = 1
	return netip.AddrFrom4(a), nil
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
