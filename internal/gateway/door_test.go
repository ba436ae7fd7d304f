package gateway

import (
	"net/netip"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

// clock is a time that a test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newTestDoor(code string, l Limits) (*door, *clock) {
	c := &clock{time.Unix(1000, 0)}
	return newDoor(Config{Code: code}, l.withDefaults(), c.now), c
}

var (
	home    = netip.MustParseAddr("127.0.0.1")
	alice   = netip.MustParseAddr("192.0.2.1")
	bob     = netip.MustParseAddr("192.0.2.2")
	carol   = netip.MustParseAddr("2001:db8::1")
	carol2  = netip.MustParseAddr("2001:db8::ffff:1") // the same /64
	carolV4 = netip.MustParseAddr("::ffff:192.0.2.1") // alice, mapped
)

func TestGuessingIsLimitedForEachAddress(t *testing.T) {
	d, clock := newTestDoor("secret", Limits{})
	try := func(a netip.Addr, code string) wire.Code {
		if _, why := d.token(a, code); why != nil {
			return why.Code
		}
		return ""
	}
	for range wrongCodes {
		if got := try(alice, "guess"); got != wire.BadCode {
			t.Fatalf("got %q", got)
		}
	}
	if got := try(alice, "guess"); got != wire.TooFast {
		t.Errorf("after too many: %q", got)
	}
	if got := try(alice, "secret"); got != wire.TooFast {
		t.Errorf("even the right code must wait, or guessing would go on: %q", got)
	}
	if got := try(carolV4, "secret"); got != wire.TooFast {
		t.Errorf("the same address in another form: %q", got)
	}
	if got := try(bob, "secret"); got != "" {
		t.Errorf("another address: %q", got)
	}
	clock.t = clock.t.Add(wrongRest + time.Second)
	if got := try(alice, "secret"); got != "" {
		t.Errorf("after a rest: %q", got)
	}
}

func TestSessionsAreLimitedForEachAddress(t *testing.T) {
	d, _ := newTestDoor("", Limits{})
	refused := 0
	for range sessionBurst + 10 {
		if _, why := d.token(carol, ""); why != nil {
			refused++
		}
	}
	if refused != 10 {
		t.Errorf("%d refused", refused)
	}
	if _, why := d.token(carol2, ""); why == nil {
		t.Error("the same /64 counts anew")
	}
	for range 10 * sessionBurst {
		if _, why := d.token(home, ""); why != nil {
			t.Fatalf("this machine is limited: %v", why)
		}
	}
}

func TestConnectionsAreLimitedForEachAddress(t *testing.T) {
	d, _ := newTestDoor("", Limits{PerAddress: 2, Connections: 4})
	enter := func(a netip.Addr) wire.Code {
		token, why := d.token(a, "")
		if why != nil {
			t.Fatal(why)
		}
		if _, why := d.enter(a, token); why != nil {
			return why.Code
		}
		return ""
	}
	for i, c := range []struct {
		a    netip.Addr
		want wire.Code
	}{{alice, ""}, {alice, ""}, {alice, wire.Full}, {bob, ""}, {home, ""}, {home, wire.Full}} {
		if got := enter(c.a); got != c.want {
			t.Errorf("%d: %v: %q, want %q", i, c.a, got, c.want)
		}
	}
	d.leave(alice)
	if got := enter(alice); got != "" {
		t.Errorf("after one has left: %q", got)
	}
}

func TestTokensExpireAndAreForgotten(t *testing.T) {
	d, clock := newTestDoor("", Limits{})
	token, _ := d.token(alice, "")
	clock.t = clock.t.Add(tokenLife + time.Second)
	if _, why := d.enter(alice, token); why == nil || why.Code != wire.BadToken {
		t.Errorf("an old token: %v", why)
	}
	d.token(alice, "")
	clock.t = clock.t.Add(time.Hour)
	d.sweep()
	if len(d.tokens) != 0 || len(d.from) != 0 {
		t.Errorf("%d tokens and %d addresses are remembered", len(d.tokens), len(d.from))
	}
}

func TestTokensAreBounded(t *testing.T) {
	d, _ := newTestDoor("", Limits{})
	for range maxTokens + 10 {
		d.token(home, "")
	}
	if len(d.tokens) > maxTokens {
		t.Errorf("%d tokens", len(d.tokens))
	}
}
