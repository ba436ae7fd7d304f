package decision

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/limit"
)

// AddressBan keeps out players who come from an address or a network. Its Name is
// the address as the operator typed it, so that a client can compare the two;
// Network says what it covers. There is no Subject.
const AddressBan Topic = 6

// The largest networks that can be banned: a typing error shuts out no more.
const (
	minBits4 = 8
	minBits6 = 16
)

// Network returns what an address or a prefix covers: an IPv6 address stands for its
// /64, an IPv4 address that is mapped into IPv6 for itself.
func Network(text string) (netip.Prefix, error) {
	bad := fmt.Errorf("%w: %q is no address and no network such as 192.0.2.0/24 or 2001:db8::/48", ErrFormat, text)
	if !strings.Contains(text, "/") {
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return netip.Prefix{}, bad
		}
		return limit.Key(a), nil
	}
	p, err := netip.ParsePrefix(text)
	p, ok := limit.CanonicalPrefix(p)
	if err != nil || !ok {
		return netip.Prefix{}, bad
	}
	least := minBits4
	if p.Addr().Is6() {
		least = minBits6
		p = netip.PrefixFrom(p.Addr(), min(p.Bits(), limit.Key(p.Addr()).Bits()))
	}
	if p.Bits() < least {
		return netip.Prefix{}, fmt.Errorf("%w: %q is too large: at most a /%d can be banned", ErrFormat, text, least)
	}
	return p.Masked(), nil
}

// BannedAddress is the ban that keeps out players from an address; nil: there is
// none.
func (l *Log) BannedAddress(a netip.Addr, now time.Time) *Statement {
	key := limit.Key(a)
	for bits := key.Bits(); bits >= minBits4; bits-- {
		p, err := key.Addr().Prefix(bits)
		if err != nil {
			return nil
		}
		if s := l.Current(AddressBan, id.ID{}, p.String()); s != nil && s.On && !s.Over(now) {
			return s
		}
	}
	return nil
}
