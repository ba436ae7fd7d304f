package lobby

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
)

// TestAddressBans: an operator bans an address and ends the ban; nobody else hears of
// it.
func TestAddressBans(t *testing.T) {
	s := newStage()
	s.act("local a ann Ann")
	s.act("enter b bo Bo")
	s.wait(time.Second)
	if said := s.hears("say a /banip ::ffff:192.0.2.1 2h griefing"); strings.Contains(said, "b <") {
		t.Errorf("others hear of an address: %s", said)
	}
	at := netip.MustParseAddr("192.0.2.1")
	b := s.h.cfg.Decisions.BannedAddress(at, s.h.time())
	if b == nil || b.Text != "griefing" || b.Until != s.h.unix()+7200 {
		t.Fatalf("the ban: %+v", b)
	}
	if said := BanText(b); strings.Contains(said, "192.0.2") || !strings.Contains(said, "address") {
		t.Errorf("who is banned reads %q", said)
	}
	if said := s.hears("say a /bans"); !strings.Contains(said, "::ffff:192.0.2.1") {
		t.Errorf("/bans: %s", said)
	}
	for line, want := range map[string]string{
		"say b /banip 192.0.2.2": "for operators", "say a /banip": "Usage", "say a /banip Bo": "no address",
		"say a /banip 0.0.0.0/0": "too large", "say a /unbanip 192.0.2.2": "not banned",
	} {
		if said := s.hears(line); !strings.Contains(said, want) || strings.Contains(said, "Propose") {
			t.Errorf("%s: %s", line, said)
		}
		s.wait(5 * time.Second)
	}
	s.act("say a /unbanip 192.0.2.1")
	if s.h.cfg.Decisions.BannedAddress(at, s.h.time()) != nil {
		t.Error("the ban was not ended")
	}
}

// TestHostileKeysOfAnInvitation: somebody who makes a new key for each try, from
// however many addresses and nodes, takes only so many names by one invitation. Who
// has another one, or was here before, gets in.
func TestHostileKeysOfAnInvitation(t *testing.T) {
	s := newStage()
	s.h.cfg.MaxPlayers = 10
	invite := func(seed byte) *invitation.Invitation {
		i, err := invitation.New(bytes.NewReader(bytes.Repeat([]byte{seed}, 64)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)), stageWorld, invitation.Terms{Permits: invitation.Build})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	shared, other := invite(2), invite(3)
	enter := func(key string, by *invitation.Invitation) bool {
		s.h.OnMessage(session(key), &Enter{Player: playerOf(key), Name: key, Invitation: by.AdmitPlayer(playerOf(key))})
		in := s.h.sessions[session(key)] != nil
		s.act("leave " + key)
		return in
	}
	s.quiet = true
	in := 0
	for i := range 3 * newOfInvitation {
		if enter(fmt.Sprintf("key%d", i), shared) {
			in++
		}
	}
	if in != newOfInvitation {
		t.Errorf("%d new keys came in by one invitation within an hour, want %d", in, newOfInvitation)
	}
	if !enter("bo", other) {
		t.Error("a new player with another invitation is kept out")
	}
	if !enter("key0", shared) || !enter("bo", shared) {
		t.Error("a player whom the world knows is kept out")
	}
	s.start() // another host of the lobby counts what was there before
	if enter("late", shared) {
		t.Error("a new host of the lobby has forgotten how many there were")
	}
	s.wait(time.Hour + time.Minute)
	if !enter("late", shared) {
		t.Error("nobody gets in an hour later")
	}
}
