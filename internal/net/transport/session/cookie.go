package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"net/netip"
	"time"
)

// cookieLife is how long a cookie is good for, at least.
const cookieLife = time.Minute

// cookies are what an address has to bring back: no state is kept for them.
type cookies struct {
	secret [2][32]byte // the current one and the one before
	drawn  time.Duration
}

// mac is the cookie of an address and the number it gave its handshake.
func mac(secret *[32]byte, addr netip.AddrPort, from uint32) (c [cookieSize]byte) {
	h := hmac.New(sha256.New, secret[:])
	ip := addr.Addr().As16()
	h.Write(ip[:])
	p := addr.Port()
	h.Write([]byte{byte(p >> 8), byte(p), byte(from >> 24), byte(from >> 16), byte(from >> 8), byte(from)})
	copy(c[:], h.Sum(nil))
	return c
}

// bake returns a cookie.
func (c *cookies) bake(now time.Duration, addr netip.AddrPort, from uint32) [cookieSize]byte {
	c.renew(now)
	return mac(&c.secret[0], addr, from)
}

// good reports whether a cookie is ours.
func (c *cookies) good(now time.Duration, addr netip.AddrPort, from uint32, cookie [cookieSize]byte) bool {
	c.renew(now)
	for i := range c.secret {
		want := mac(&c.secret[i], addr, from)
		if hmac.Equal(want[:], cookie[:]) {
			return true
		}
	}
	return false
}

func (c *cookies) renew(now time.Duration) {
	if c.drawn != 0 && now-c.drawn < cookieLife {
		return
	}
	c.secret[1] = c.secret[0]
	rand.Read(c.secret[0][:])
	if c.drawn == 0 { // there was none before
		rand.Read(c.secret[1][:])
	}
	c.drawn = max(now, 1)
}
