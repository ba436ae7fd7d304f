package gateway

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// TestGuestTokens: a guest's code opens a socket as what it is good for when that
// opens. It cannot be read in the token, and whoever tries codes from the same address
// does not keep the guest out.
func TestGuestTokens(t *testing.T) {
	const code = "vp-of-a-friend"
	valid := true
	d, _ := newTestDoor("", Limits{})
	d.anybody = false
	d.guest = func(c string) (Guest, bool) {
		return Guest{Invite: func(id.ID) []byte { return []byte(c) }}, valid && c == code
	}
	nobody := func(netip.Prefix) bool { return false }
	for range 2 * wrongCodes {
		if got := try(d, alice, "guess"); got != wire.BadCode && got != wire.WrongCodes {
			t.Fatalf("a guess: %q", got)
		}
	}
	token, why := d.token(alice, code, false)
	if why != nil {
		t.Fatal(why)
	}
	if b, err := base64.RawURLEncoding.DecodeString(token); err != nil || strings.Contains(string(b), code) {
		t.Errorf("the token has the code in it: %q, %v", b, err)
	}
	local, guest, why := d.enter(alice, token, nobody)
	if why != nil || local || guest.Invite == nil || string(guest.Invite(id.ID{})) != code {
		t.Errorf("local %t, %+v, %v", local, guest, why)
	}
	if _, _, why := d.enter(alice, token, nobody); why == nil || why.Code != wire.BadToken {
		t.Errorf("a token again: %v", why)
	}
	if token, why = d.token(alice, code, false); why != nil {
		t.Fatal(why)
	}
	valid = false
	if _, _, why := d.enter(alice, token, nobody); why == nil || why.Code != wire.BadToken {
		t.Errorf("an invitation that was revoked meanwhile: %v", why)
	}
	for name, c := range map[string]string{"revoked": code, "too long": strings.Repeat("x", maxGuestCode+1), "none": ""} {
		if got := try(d, bob, c); got != wire.BadCode {
			t.Errorf("%s: %q", name, got)
		}
	}
}
