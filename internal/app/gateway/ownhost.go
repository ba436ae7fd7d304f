package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// ownHost reports whether the Host of a request is an address of this node. What a
// player signs contains the address that it has dialled: if any were taken for an
// own one, a hostile node could show this node's challenge to its own players, and
// come in here as them.
//
// The node does not know all its addresses: behind a router or in a container it
// sees only an inner one. Then any address is taken, unless the node was told the
// outer ones, by who runs it (Config.Hosts) or by the router (Config.Outer).
func (g *Gateway) ownHost(r *http.Request) bool {
	host, ip, ok := splitHost(r.Host)
	if !ok {
		return false
	}
	if slices.Contains(g.hosts, host) || slices.Contains(g.hosts, r.Host) {
		return true
	}
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	at, err := netip.ParseAddrPort(addrString(addr))
	if err != nil {
		return g.knownHost(r.Host) // no TCP connection: tests
	}
	local := limit.Canonical(at.Addr())
	switch {
	case isLocalhost(host) || ip.IsLoopback():
		return local.IsLoopback() && portIn(r.Host) == at.Port()
	case !ip.IsValid():
		return false
	case limit.Canonical(ip) == local || ownIP(limit.Canonical(ip)):
		return true
	}
	outer := g.outer()
	if slices.Contains(outer, limit.Canonical(ip)) {
		return true
	}
	return local.IsPrivate() && len(g.hosts) == 0 && len(outer) == 0
}

func (g *Gateway) outer() []netip.Addr {
	if g.cfg.Outer == nil {
		return nil
	}
	return g.cfg.Outer()
}

// foreignHost tells a player, and through it who runs the node, what to do.
func foreignHost(r *http.Request) string {
	name := cleanHost(r.Host)
	return "This node does not know that it is reached as " + name + ". Who runs it can start it with --host " + name + "."
}

func addrString(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// portIn is the port of a Host header.
func portIn(hostport string) uint16 {
	if _, port, err := net.SplitHostPort(hostport); err == nil {
		n, _ := strconv.ParseUint(port, 10, 16)
		return uint16(n)
	}
	return 80
}

// ownIP reports whether an address is one of this machine's.
func ownIP(ip netip.Addr) bool {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		if own, ok := netip.AddrFromSlice(n.IP); ok && limit.Canonical(own) == ip {
			return true
		}
	}
	return false
}
