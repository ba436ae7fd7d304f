package traversal

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func node(n int) id.ID { return id.Of([]byte{byte(n), byte(n >> 8)}) }

func at(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// observer is an address in a subnet of its own.
func observer(n int) netip.Addr {
	return netip.MustParseAddr(fmt.Sprintf("27.%d.%d.1", n/256, n%256))
}

func TestObservedAddress(t *testing.T) {
	r := NewReachability()
	if _, ok := r.ReflexiveAddr(0); ok {
		t.Error("an address before anybody has said one")
	}
	for n := range 3 {
		r.Observe(node(n), observer(n), at("1.2.3.4:4747"), 0)
	}
	for n := range 50 { // liars in one subnet
		r.Observe(node(100+n), netip.AddrFrom4([4]byte{28, 0, 0, byte(n)}), at("6.6.6.6:6"), 0)
	}
	if got, ok := r.ReflexiveAddr(0); !ok || got != at("1.2.3.4:4747") {
		t.Errorf("seen at %v", got)
	}
	if r.Symmetric(0) {
		t.Error("symmetric, though all see the same port")
	}
	r.Observe(node(3), observer(3), at("1.2.3.4:9999"), 0)
	if !r.Symmetric(0) {
		t.Error("not symmetric, though one sees another port")
	}
	r.Observe(node(4), observer(4), at("[::ffff:1.2.3.4]:4747"), machine.Time(observationLifetime))
	late := machine.Time(observationLifetime) + 1
	if got, ok := r.ReflexiveAddr(late); !ok || got != at("1.2.3.4:4747") || r.Symmetric(late) {
		t.Errorf("after an hour %v, symmetric %v", got, r.Symmetric(late))
	}
	for n := range 10 * maxObservations {
		r.Observe(node(1000+n), observer(n), at("1.2.3.4:4747"), late)
	}
	if len(r.observations) > maxObservations {
		t.Errorf("%d observations are kept", len(r.observations))
	}
}

// TestDialBack: a node calls itself reachable only after it was dialled back, as
// long as it is seen at that address, and for no longer than that is true.
func TestDialBack(t *testing.T) {
	me, helper, third := NewReachability(), NewReachability(), NewReachability()
	if _, ok := me.RequestDialBack(1, 0); ok {
		t.Error("it asks without an address")
	}
	me.Observe(node(1), observer(1), at("1.2.3.4:4747"), 0)
	q, ok := me.RequestDialBack(77, 0)
	if !ok {
		t.Fatal("it does not ask")
	}
	if _, again := me.RequestDialBack(78, 1); again {
		t.Error("it asks twice")
	}
	if _, ok := helper.PermitDialBack(netip.MustParseAddr("9.9.9.9"), q, 0); ok {
		t.Error("help for somebody else's address")
	}
	b, ok := helper.PermitDialBack(netip.MustParseAddr("::ffff:1.2.3.4"), q, 0)
	if !ok {
		t.Fatal("no help")
	}
	p, ok := third.PermitProbe(b, 0)
	if !ok || p.Nonce != 77 {
		t.Fatalf("probe %v, %v", p, ok)
	}
	if again, ok := me.RepeatDialBack(1); !ok || again != q {
		t.Errorf("it would ask for %v again, %v", again, ok)
	}
	if _, ok := me.Reachable(1); ok {
		t.Error("reachable before the probe")
	}
	if me.AcceptProbe(Probe{78}, 1) {
		t.Error("a forged probe")
	}
	if me.AcceptProbe(p, machine.Time(probeTimeout)+1) {
		t.Error("a late probe")
	}
	if !me.AcceptProbe(p, 1) || me.AcceptProbe(p, 1) {
		t.Error("the probe counts once")
	}
	if a, ok := me.Reachable(2); !ok || a != at("1.2.3.4:4747") {
		t.Errorf("reachable at %v, %v", a, ok)
	}
	if _, ok := me.RequestDialBack(79, 2); ok {
		t.Error("it asks again at once")
	}
	if _, ok := me.Reachable(machine.Time(confirmationLifetime) + 1); ok {
		t.Error("reachable for ever")
	}
	half := machine.Time(confirmationLifetime/2) + 1
	if _, ok := me.RequestDialBack(80, half); !ok {
		t.Error("it does not ask again in time")
	}
	for n := 2; n < 5; n++ {
		me.Observe(node(n), observer(n), at("5.6.7.8:4747"), half)
	}
	if _, ok := me.Reachable(half); ok {
		t.Error("reachable at an address where nobody sees it any more")
	}
}

// TestDialledBackSeldom: an address is dialled back a few times at once, and seldom
// in the long run, for whom ever.
func TestDialledBackSeldom(t *testing.T) {
	r := NewReachability()
	a := netip.MustParseAddr("1.2.3.4")
	for k, c := range []struct {
		when machine.Time
		want bool
	}{
		{0, true}, {0, true}, {1, true}, {2, false},
		{machine.Time(DialBackInterval) - 1, false}, {machine.Time(DialBackInterval), true}, {machine.Time(DialBackInterval), false},
		{machine.Time(10 * DialBackInterval), true}, {machine.Time(10 * DialBackInterval), true}, {machine.Time(10 * DialBackInterval), true}, {machine.Time(10 * DialBackInterval), false},
	} {
		var ok bool
		if port := uint16(k + 1); k%2 == 0 {
			_, ok = r.PermitDialBack(a, DialBackRequest{netip.AddrPortFrom(a, port), 5}, c.when)
		} else {
			_, ok = r.PermitProbe(ProbeRequest{netip.AddrPortFrom(a, port), 5}, c.when)
		}
		if ok != c.want {
			t.Errorf("%d: dialled back after %v: %v", k, c.when.Sub(0), ok)
		}
	}
}

// TestHelpIsBounded: a crowd of askers does not fill the memory.
func TestHelpIsBounded(t *testing.T) {
	r := NewReachability()
	helped := 0
	for n := range 3 * maxDialBacks {
		a := observer(n)
		if _, ok := r.PermitDialBack(a, DialBackRequest{netip.AddrPortFrom(a, 1), 0}, 0); ok {
			helped++
		}
	}
	if helped != maxDialBacks || len(r.dialBacks) != maxDialBacks {
		t.Errorf("%d helped, %d remembered", helped, len(r.dialBacks))
	}
	a := observer(5000)
	if _, ok := r.PermitDialBack(a, DialBackRequest{netip.AddrPortFrom(a, 1), 0}, machine.Time(DialBackInterval)); !ok {
		t.Error("no help later")
	}
	for _, bad := range []string{"224.0.0.1:1", "0.0.0.0:1"} {
		if _, ok := NewReachability().PermitProbe(ProbeRequest{at(bad), 1}, 0); ok {
			t.Errorf("a probe to %s", bad)
		}
	}
}
