package lobby

import (
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// signedLine is a line as the client of a player sends it.
func signedLine(key, name, typed string, tick uint64) *Say {
	s := &line.Signature{Key: [32]byte(keyOf(key).Public().(ed25519.PublicKey)), Name: name, Tick: tick}
	s.Sig = [64]byte(ed25519.Sign(keyOf(key), wire.LineText(stageWorld, tick, name, typed)))
	return &Say{Text: typed, Signed: s}
}

// TestSignedLines: where players sign, the lobby passes on what they have signed, once, and
// everybody can see that they have.
func TestSignedLines(t *testing.T) {
	s := newStage()
	s.act("local a ann Ann")
	s.act("enter b bo Bo")
	s.h.cfg.Signed = true
	var shown []*Chat
	s.heard = func(m any) {
		if c, ok := m.(*Chat); ok && c.Check(stageWorld, s.h.tick()) == nil && c.Signed != nil {
			shown = append(shown, c)
		}
	}
	tick := uint64(s.h.tick())
	says := func(m *Say, want ...string) {
		t.Helper()
		shown = nil
		s.out.Reset()
		s.h.OnMessage(session("a"), m)
		var got []string
		for _, c := range shown {
			got = append(got, fmt.Sprint(c.Kind, c.From, ":", c.Text))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q is shown as %q", m.Text, got)
		}
		if len(want) == 0 && strings.Contains(s.out.String(), "b <") {
			t.Errorf("%q: %s", m.Text, s.out.String())
		}
	}
	hello := signedLine("ann", "Ann", " hello\tall", tick)
	says(hello, "1Ann:hello all", "1Ann:hello all")
	says(hello)
	says(signedLine("ann", "Ann", "/me dances", tick+1), "1:Ann dances", "1:Ann dances")
	says(signedLine("ann", "Ann", "/msg Bo psst you", tick+2), "3Ann:psst you")
	says(&Say{Text: "not signed"})
	s.wait(10 * time.Second)
	says(signedLine("bo", "Ann", "by another key", tick+3))
	says(signedLine("ann", "Anna", "under another name", tick+4))
	says(signedLine("ann", "Ann", "too old", tick-line.Age-1))
	says(&Say{Text: "other words", Signed: signedLine("ann", "Ann", "some words", tick+5).Signed})
}

// TestFalseWords: what the host of the lobby shows as a player's words must be what that
// player has signed.
func TestFalseWords(t *testing.T) {
	chat := func(line string, kind wire.ChatKind, from, text string) *Chat {
		return signedLine("ann", "Ann", line, 1000).shown(Chat{Kind: kind, From: from, Text: text})
	}
	for _, good := range []*Chat{
		chat("hello", wire.ChatWorld, "Ann", "hello"),
		chat("/ME  waves", wire.ChatWorld, "", "Ann waves"),
		chat(`/msg "Bo" hi there`, wire.ChatWhisper, "Ann", "hi there"),
		{Kind: wire.ChatSystem, Text: "Bo has come."},
		{Kind: wire.ChatWhisper, Text: "to Bo: hi"},
	} {
		if err := good.Check(stageWorld, 1100); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	other := chat("hello", wire.ChatWorld, "Ann", "hello")
	other.Signed.Tick++
	for _, bad := range []*Chat{
		{Kind: wire.ChatWorld, From: "Ann", Text: "hello"},
		{Kind: wire.ChatWorld, Text: "Ann waves"},
		{Kind: wire.ChatWhisper, From: "Ann", Text: "hello"},
		chat("hello", wire.ChatWorld, "Ann", "other words"),
		chat("hello", wire.ChatWorld, "Bo", "hello"),
		chat("hello", wire.ChatWorld, "", "hello"),
		chat("/me", wire.ChatWorld, "", "Ann "),
		chat("/msg Bo secret", wire.ChatWorld, "Ann", "secret"),
		chat("/msg Bo secret", wire.ChatWorld, "Ann", "/msg Bo secret"),
		chat("/time set noon", wire.ChatWorld, "Ann", "/time set noon"),
		chat("hello", wire.ChatWhisper, "Ann", "hello"),
		other,
	} {
		if err := bad.Check(stageWorld, 1100); err == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	late := chat("hello", wire.ChatWorld, "Ann", "hello")
	for _, tick := range []int64{1000 + line.Age + 1, 1000 - line.Age - 1} {
		if late.Check(stageWorld, tick) == nil {
			t.Errorf("passes at tick %d", tick)
		}
	}
	if late.Check(id.Of([]byte("other world")), 1100) == nil {
		t.Error("passes in another world")
	}
}
