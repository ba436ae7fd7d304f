package host

import (
	"errors"
	"fmt"
	"testing"
)

// TestTrustedProxies: a proxy may be written in any form of its address: addresses of
// connections are compared in the canonical one.
func TestTrustedProxies(t *testing.T) {
	r := &Runner{TrustedProxies: []string{"::ffff:10.0.0.0/104", "192.0.2.0/24", "::ffff:192.0.2.1", "2001:db8::1"}}
	if err := r.readProxies(); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(r.Proxies), "[10.0.0.0/8 192.0.2.0/24 192.0.2.1/32 2001:db8::1/128]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, bad := range []string{"", "proxy.example.org", "10.0.0.0/33", "::ffff:10.0.0.0/40", "10.0.0.1:80"} {
		if err := (&Runner{TrustedProxies: []string{bad}}).readProxies(); !errors.Is(err, ErrUsage) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
