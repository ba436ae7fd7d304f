package gateway

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// policy lets the page load only what the gateway serves, and talk only to it.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'"

// guard refuses what comes for another host or from another site, and sets the
// headers of every answer.
func (g *Gateway) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		switch {
		case !g.knownHost(r.Host):
			g.deny(w, "host", "This world is not served under the name "+cleanHost(r.Host)+".")
			return
		case sameOrigin(r):
		case !g.visiting(r):
			g.deny(w, "origin", "Another site may not use this world.")
			return
		default:
			if allow(w, r) {
				return
			}
		}
		h.Set("Content-Security-Policy", policy+g.reachable(r))
		g.hintProxy(r)
		if c, ok := r.Context().Value(connKey{}).(*tcp); ok {
			if c.secure {
				h.Set("Strict-Transport-Security", "max-age=31536000") // RFC 6797
			}
			g.conns.request(c, true)
			defer g.conns.request(c, false)
		}
		next.ServeHTTP(w, r)
	})
}

func (g *Gateway) deny(w http.ResponseWriter, code wire.Code, text string) {
	g.metrics.refused(code)
	refuse(w, http.StatusForbidden, &wire.Refused{Code: code, Text: text})
}

// refuse answers with an error as JSON.
func refuse(w http.ResponseWriter, status int, why *wire.Refused) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The client may have gone: nothing to be done about it.
	_ = json.NewEncoder(w).Encode(map[string]any{"error": why.Code, "text": why.Text, "retry": why.Retry})
}

// knownHost reports whether a Host header names this gateway. A page cannot
// make a browser send an address or localhost for a name of its own, which is
// what DNS rebinding needs.
func (g *Gateway) knownHost(hostport string) bool {
	host, ip, ok := splitHost(hostport)
	return ok && (ip.IsValid() || isLocalhost(host) || slices.Contains(g.hosts, host))
}

// splitHost takes a Host header apart: a name or an address, and perhaps a
// port. What looks like something else is not ok.
func splitHost(hostport string) (host string, ip netip.Addr, ok bool) {
	host = hostport
	if h, port, err := net.SplitHostPort(hostport); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", ip, false
		}
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err == nil && ip.Zone() != "" {
		return "", netip.Addr{}, false // a zone may hold any character
	}
	return host, ip, true
}

func isLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// cleanHost is a Host header fit for showing.
func cleanHost(s string) string { return wire.CleanText(s[:min(len(s), 80)]) }

// sameOrigin reports whether a request comes from a page of this gateway, or
// from no browser at all. Browsers send Origin with every WebSocket and POST.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		// Following a link to the page is fine.
		if r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Method != http.MethodGet {
			return false
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}
