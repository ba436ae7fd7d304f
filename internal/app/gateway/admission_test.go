package gateway

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// clock is a time that a test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func newTestDoor(code string, l Limits) (*admission, *clock) {
	c := &clock{time.Unix(1000, 0)}
	return newAdmission(Config{Code: code}, l.withDefaults(), c.now), c
}

var (
	home    = netip.MustParseAddr("127.0.0.1")
	alice   = netip.MustParseAddr("192.0.2.1")
	bob     = netip.MustParseAddr("192.0.2.2")
	carol   = netip.MustParseAddr("2001:db8::1")
	carol2  = netip.MustParseAddr("2001:db8::ffff:1") // the same /64
	carolV4 = netip.MustParseAddr("::ffff:192.0.2.1") // alice, mapped
)

const (
	weak   = "secret"
	strong = "k7mw2hfp" // as RandomCode makes them
)

func try(d *admission, a netip.Addr, code string) wire.Code {
	if _, why := d.token(a, code, false); why != nil {
		return why.Code
	}
	return ""
}

func enter(t *testing.T, d *admission, a netip.Addr, local bool) wire.Code {
	t.Helper()
	token, why := d.token(a, "", local)
	if why != nil {
		t.Fatal(why)
	}
	if _, _, why := d.enter(a, token, func(netip.Prefix) bool { return false }); why != nil {
		return why.Code
	}
	return ""
}

// TestHostileGuesses: who guesses is held up, by address, IPv6 by /64. A code that
// can be guessed holds up everybody there.
func TestHostileGuesses(t *testing.T) {
	d, clock := newTestDoor(weak, Limits{})
	for i := range wrongCodes {
		for _, a := range []netip.Addr{alice, carol} {
			if got := try(d, a, "guess"); got != wire.BadCode {
				t.Fatalf("guess %d: %q", i, got)
			}
		}
	}
	for name, a := range map[string]netip.Addr{"the address": alice, "in another form": carolV4, "its /64": carol2} {
		for _, code := range []string{"guess", weak} {
			if got := try(d, a, code); got != wire.WrongCodes {
				t.Errorf("%s, %q after too many: %q", name, code, got)
			}
		}
	}
	clock.t = clock.t.Add(4 * time.Second)
	if _, why := d.token(alice, "guess", false); why.Retry != 6 || !strings.Contains(why.Text, "wrong join codes") || !strings.Contains(why.Text, "6 s") {
		t.Errorf("4 s later the refusal is %+v, want one that says what was wrong and to come again in 6 s", why)
	}
	if got := try(d, bob, weak); got != "" {
		t.Errorf("another address: %q", got)
	}
	clock.t = clock.t.Add(wrongRest + time.Second)
	if got := try(d, alice, weak); got != "" {
		t.Errorf("after a rest: %q", got)
	}
}

// TestHostileGuessesLockNobodyOut: a stranger who tries codes from the address of a
// friend, or through the same proxy, does not keep the friend out. Before, a friend
// was refused 39 of 40 times.
func TestHostileGuessesLockNobodyOut(t *testing.T) {
	d, clock := newTestDoor(strong, Limits{})
	for i := range 40 {
		for range 100 {
			if got := try(d, alice, "guess"); got != wire.BadCode && got != wire.WrongCodes {
				t.Fatalf("a guess: %q", got)
			}
		}
		if got := try(d, alice, strong); got != "" {
			t.Fatalf("the friend, try %d: %q", i, got)
		}
		clock.t = clock.t.Add(100 * time.Millisecond)
	}
}

func TestCodeBits(t *testing.T) {
	for code, want := range map[string]bool{
		"": false, "sesame": false, "12345678": false, "letmein1": true, "abcdefgh": false, "k7mw2hfp": true, "open sesame": true, "pässwörd": true,
	} {
		if got := codeBits(code) >= strongCode; got != want {
			t.Errorf("%q: %v, %.1f bits", code, got, codeBits(code))
		}
	}
}

// TestHostileTokens: no number of tokens that somebody asks for fills anything.
// Before, 16,384 of them were all that there were.
func TestHostileTokens(t *testing.T) {
	d, clock := newTestDoor("", Limits{})
	for range 1 << 15 {
		if _, why := d.token(alice, "", false); why != nil {
			t.Fatal(why)
		}
	}
	if got := enter(t, d, bob, false); got != "" {
		t.Errorf("a friend: %q", got)
	}
	if d.used.Len() > 1 || d.visitors.Len() > 1 {
		t.Errorf("%d tokens and %d addresses are remembered", d.used.Len(), d.visitors.Len())
	}
	nobody := func(netip.Prefix) bool { return false }
	token, _ := d.token(alice, "", false)
	other, _ := newTestDoor("", Limits{})
	foreign, _ := other.token(alice, "", true)
	as := func(token string, i int, with byte) string {
		b := []byte(token)
		if b[i] == with { // it has to change
			with++
		}
		b[i] = with
		return string(b)
	}
	for name, bad := range map[string]string{
		"nothing": "", "another gateway's": foreign, "changed at the front": as(token, 3, '-'), "made local": as(token, 11, 'B'),
		"changed at the end": as(token, len(token)-1, '*'), "longer": token + "A", "shorter": token[1:],
	} {
		if _, _, why := d.enter(alice, bad, nobody); why == nil || why.Code != wire.BadToken {
			t.Errorf("a token that is %s: %v", name, why)
		}
	}
	if local, _, why := d.enter(alice, token, nobody); why != nil || local {
		t.Errorf("local %v, %v", local, why)
	}
	if _, _, why := d.enter(alice, token, nobody); why == nil || why.Code != wire.BadToken {
		t.Errorf("a token again: %v", why)
	}
	token, _ = d.token(alice, "", false)
	clock.t = clock.t.Add(tokenLife + time.Second)
	if _, _, why := d.enter(alice, token, nobody); why == nil || why.Code != wire.BadToken {
		t.Errorf("an old token: %v", why)
	}
}

func TestConnectionsAreLimitedForEachAddress(t *testing.T) {
	d, _ := newTestDoor("", Limits{PerAddress: 2, Connections: 5})
	for i, c := range []struct {
		a     netip.Addr
		local bool
		want  wire.Code
	}{
		{carol, false, ""}, {carol2, false, ""}, {carol2, false, wire.Full}, {bob, false, ""},
		{home, true, ""}, {home, true, ""}, {home, true, wire.Full},
	} {
		if got := enter(t, d, c.a, c.local); got != c.want {
			t.Errorf("%d: %v: %q, want %q", i, c.a, got, c.want)
		}
	}
	d.leave(carol, false)
	if got := enter(t, d, carol2, false); got != "" {
		t.Errorf("after one has left: %q", got)
	}
}

// TestHostileAddresses: somebody with very many addresses makes us forget some that
// tried codes, but remember no more than we can, and nobody who is here.
func TestHostileAddresses(t *testing.T) {
	d, clock := newTestDoor("", Limits{})
	if got := enter(t, d, alice, false); got != "" {
		t.Fatal(got)
	}
	d.anybody, d.strong = false, true
	b := carol.As16()
	for i := range maxVisitors + 1000 {
		b[4], b[5] = byte(i>>8), byte(i)
		if got := try(d, netip.AddrFrom16(b), "guess"); got != wire.BadCode {
			t.Fatalf("address %d: %q", i, got)
		}
	}
	if d.visitors.Len() > maxVisitors {
		t.Errorf("%d addresses are remembered", d.visitors.Len())
	}
	if d.visitors.Of(alice, clock.now()).open != 1 {
		t.Error("somebody who is here was forgotten")
	}
	d.leave(alice, false)
	clock.t = clock.t.Add(time.Hour)
	d.sweep()
	if d.visitors.Len() != 0 {
		t.Errorf("%d addresses are remembered after an hour", d.visitors.Len())
	}
}
