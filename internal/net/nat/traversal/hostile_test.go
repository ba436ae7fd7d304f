package traversal

import (
	"net/netip"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/limit/limittest"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestHostileDialBacks: who asks from each address of a /64, or by two forms of an
// address, is dialled back no more often, and takes no more of what all may have.
func TestHostileDialBacks(t *testing.T) {
	help := func(r *Reachability, a netip.Addr) bool {
		_, ok := r.PermitDialBack(a, DialBackRequest{netip.AddrPortFrom(a, 1), 1}, 0)
		return ok
	}
	dial := func(r *Reachability, a netip.Addr) bool {
		_, ok := r.PermitProbe(ProbeRequest{netip.AddrPortFrom(a, 1), 1}, 0)
		return ok
	}
	for name, ask := range map[string]func(*Reachability, netip.Addr) bool{"helping": help, "dialling": dial} {
		t.Run(name, func(t *testing.T) {
			limittest.Addresses(t, func(a, b netip.Addr) bool {
				r := NewReachability()
				for range DialBackBurst {
					if !ask(r, a) {
						t.Errorf("%s is refused at once", a)
					}
				}
				return !ask(r, b)
			})
			r, a := NewReachability(), netip.MustParseAddr("2001:db8::1")
			for range 2 * maxDialBacks {
				ask(r, a)
				a = a.Next()
			}
			if !ask(r, netip.MustParseAddr("2001:db8:0:1::1")) {
				t.Error("one machine has used up what all may have")
			}
		})
	}
	for _, bad := range []string{"::ffff:0.0.0.0", "::ffff:224.0.0.1", "::", "ff02::1"} {
		if dial(NewReachability(), netip.MustParseAddr(bad)) {
			t.Errorf("a probe to %s", bad)
		}
	}
}

// TestHostileObservers: an observer is not counted twice by another form of its address.
func TestHostileObservers(t *testing.T) {
	r := NewReachability()
	for k, from := range []string{"192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.99", "192.0.2.7"} {
		r.Observe(node(k), netip.MustParseAddr(from), at("[::ffff:1.2.3.4]:80"), 0)
	}
	if v := r.observersByAddr(machine.Time(1)); v[at("1.2.3.4:80")] != 1 || len(v) != 1 {
		t.Errorf("observers: %v", v)
	}
}
