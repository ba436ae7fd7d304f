// Package limit bounds what strangers may have and do, by the address that they
// come from.
package limit

import (
	"net/netip"
	"time"
)

// Key is what an address is counted as: an IPv4 address by itself, an IPv6 address
// by its /64, since a machine usually has all of one.
func Key(a netip.Addr) netip.Prefix {
	a = Canonical(a)
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // of no address: the zero Prefix
	return p
}

// Canonical returns the one form of an address in which it is counted, compared and
// shown: an IPv4 address that is mapped into IPv6 (::ffff:a.b.c.d) is the IPv4 address,
// and the zone of a link-local address is dropped.
func Canonical(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// CanonicalPort is Canonical for an address with a port.
func CanonicalPort(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(Canonical(a.Addr()), a.Port())
}

// CanonicalPrefix returns the form of a prefix that contains canonical addresses. It
// reports false for a prefix that mixes mapped IPv4 addresses with others.
func CanonicalPrefix(p netip.Prefix) (netip.Prefix, bool) {
	if !p.Addr().Is4In6() {
		return p, p.IsValid()
	}
	if p.Bits() < 96 {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96), true
}

// Budget is a token bucket: rate tokens a second, at most burst at a time. It
// begins full.
type Budget struct {
	rate, burst float64
	tokens      float64
	at          time.Time
}

// NewBudget returns a full bucket.
func NewBudget(rate, burst float64) Budget { return Budget{rate: rate, burst: burst, tokens: burst} }

// Take takes n tokens, or none and reports false if there are too few.
func (b *Budget) Take(n float64, now time.Time) bool {
	if !b.Has(n, now) {
		return false
	}
	b.tokens -= n
	return true
}

// Give puts back n tokens that were taken and not used.
func (b *Budget) Give(n float64) { b.tokens = min(b.burst, b.tokens+n) }

// Has reports whether there are n tokens.
func (b *Budget) Has(n float64, now time.Time) bool {
	b.fill(now)
	return b.tokens >= n
}

// Wait is how long it takes until there are n tokens.
func (b *Budget) Wait(n float64, now time.Time) time.Duration {
	b.fill(now)
	return time.Duration(max(0, n-b.tokens) / b.rate * float64(time.Second))
}

// Full reports that nothing was taken for long.
func (b *Budget) Full(now time.Time) bool { return b.Has(b.burst, now) }

func (b *Budget) fill(now time.Time) {
	if !b.at.IsZero() {
		b.tokens = min(b.burst, b.tokens+b.rate*max(0, now.Sub(b.at).Seconds()))
	}
	b.at = now
}
