package lobby

import (
	"bytes"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// TestSkins: others are told which skin somebody has, and get it when they ask; what is no
// skin, changes too often, or belongs to somebody who is muted they do not see.
func TestSkins(t *testing.T) {
	s := newStage()
	s.act("local a ann Ann")
	s.act("enter b bo Bo")
	s.quiet = true
	pixels := append([]byte{0, 1, 200, 100, 50}, make([]byte, wire.MaxSkin-2-3*64)...)
	bo := s.h.sessions[session("b")]
	wears := func(skin []byte) {
		s.wait(time.Minute)
		s.h.OnMessage(session("b"), &Skin{skin})
		s.wait(time.Second)
	}
	is := func(what string, want []byte) {
		t.Helper()
		if got := bo.info().Skin; got != wire.SkinID(want) {
			t.Errorf("%s: the list has skin %d", what, got)
		}
		if got := s.h.skins.seen(bo); !bytes.Equal(got, want) {
			t.Errorf("%s: others get %d bytes", what, len(got))
		}
	}
	is("at first", nil)
	for _, bad := range [][]byte{{0}, {0, 0}, {1, 1}, pixels[:len(pixels)-1], append(bytes.Clone(pixels[:len(pixels)-1]), 1), make([]byte, wire.MaxSkin+1)} {
		wears(bad)
		is("no skin", nil)
	}
	wears([]byte{3})
	is("built in", []byte{3})
	wears(pixels)
	is("pixels", pixels)
	for i := range 20 {
		s.h.OnMessage(session("b"), &Skin{[]byte{byte(i + 1)}})
	}
	if bo.skin[0] == 20 {
		t.Error("it may change as often as it likes")
	}
	wears(pixels)

	mute := func(on bool) {
		s.wait(time.Second)
		x := decision.Statement{World: stageWorld, Seq: uint64(s.now) / 1e6, Topic: decision.Mute, On: on, Subject: playerOf("bo"), Name: "Bo"}
		x.Sign(keyOf("ann"))
		if err := s.h.cfg.Decide(&x); err != nil {
			t.Fatal(err)
		}
		s.sign()
	}
	mute(true)
	is("muted", nil)
	mute(false)
	is("unmuted", pixels)

	s.quiet = false
	s.out.Reset()
	s.h.OnMessage(session("a"), &AskSkin{bo.rec.Entity})
	s.h.OnMessage(session("a"), &AskSkin{4711})
	if got := bytes.Count([]byte(s.out.String()), []byte("SkinOf")); got != 1 {
		t.Errorf("%d answers: %s", got, s.out.String())
	}
}
