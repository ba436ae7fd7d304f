package gateway

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// client returns the address that a request came from: of the connection, or, if
// that is a trusted proxy's, what the proxies say. X-Forwarded-For grows to the
// right, so what others than our proxies have written stands to the left of the
// first address that is none of theirs. Forwarded and other headers are not looked
// at: proxies that do not write them pass on what a client has.
func (g *Gateway) client(r *http.Request) netip.Addr {
	at := remote(r)
	chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0 && g.trusts(at); i-- {
		a, ok := forwardedAddr(strings.TrimSpace(chain[i]))
		if !ok {
			break
		}
		at = a
	}
	return at
}

// trusts reports whether an address is a trusted proxy's.
func (g *Gateway) trusts(a netip.Addr) bool {
	for _, p := range g.cfg.Proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// forwardedAddr reads an address as proxies write it: with a port or without.
func forwardedAddr(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return limit.Canonical(ap.Addr()), true
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return limit.Canonical(a), err == nil
}

// remote returns the address that a connection came from.
func remote(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.IPv6Unspecified()
	}
	return limit.Canonical(ap.Addr())
}

// hintProxy says once that the users of a proxy count as one.
func (g *Gateway) hintProxy(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" || g.trusts(remote(r)) {
		return
	}
	g.proxied.Do(func() {
		g.log.Warn("a proxy passes requests on, and all its users count as one address: if it is yours, name it with --trusted-proxy", "proxy", remote(r))
	})
}
