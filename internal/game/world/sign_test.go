package world

import (
	"bytes"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// signAt puts a sign into a flat area, for somebody who stands beside it.
func signAt(cfg AreaConfig) (*Area, *Player, Pos) {
	a, at := flatArea(cfg), Pos{22, 10, 20}
	a.columns[at.Column().Index()].Set(int(at.X&31), int(at.Y), int(at.Z&31), OakSignWest)
	p := guest("ada", 20, 10, 20)
	a.AddPlayer(p)
	return a, p, at
}

// TestSigns are written on by those who may build there, in bounds.
func TestSigns(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		do   func(*Area, *Player)
		want Refusal
	}{
		"text":              {text: "Ada's house\nkeep öut"},
		"as long as it may": {text: strings.Repeat("x", MaxSignText)},
		"too long":          {text: strings.Repeat("x", MaxSignText+1), want: NotAllowed},
		"lines":             {text: "a\nb\nc\nd"},
		"too many lines":    {text: "a\nb\nc\nd\ne", want: NotAllowed},
		"no UTF-8":          {text: "\xff", want: NotAllowed},
		"controls":          {text: "a\x1b[31m", want: NotAllowed},
		"other direction":   {text: "a\u202eb", want: NotAllowed},
		"visitor":           {text: "a", do: func(_ *Area, p *Player) { p.Visitor = true }, want: Visiting},
		"muted":             {text: "a", do: func(_ *Area, p *Player) { p.Muted = true }, want: Muted},
		"jailed":            {text: "a", do: func(_ *Area, p *Player) { p.Jailed = true }, want: Jailed},
		"land of somebody": {text: "a", do: func(a *Area, _ *Player) {
			a.SetLands([]Land{{Zone: Zone{Pos{0, 0, 0}, Pos{40, 255, 40}}, Owner: id.ID{9}}})
		}, want: Claimed},
		"too far":        {text: "a", do: func(_ *Area, p *Player) { p.Body.Pos = SpawnFeet(Pos{5, 10, 20}) }, want: TooFar},
		"too many texts": {text: "a", do: func(a *Area, _ *Player) { a.texts[0] = MaxTexts }, want: TooMany},
	} {
		a, p, at := signAt(AreaConfig{})
		if c.do != nil {
			c.do(a, p)
		}
		got := a.doAct(t, p, Act{Kind: ActWrite, At: at, Text: c.text})
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		var kept string
		if s := a.Container(at); s != nil {
			kept = s.Text
			again, err := DecodeContainer(s.AppendBinary(nil))
			if err != nil || !bytes.Equal(again.AppendBinary(nil), s.AppendBinary(nil)) || s.Owner != p.ID {
				t.Errorf("%s: kept as %+v, %v", name, again, err)
			}
		}
		if want := map[bool]string{true: c.text}[c.want == Done]; kept != want {
			t.Errorf("%s: kept %q, want %q", name, kept, want)
		}
	}
}

// TestSignIsWiped by an empty text, when it is broken, and when its writer's edits are taken
// back.
func TestSignIsWiped(t *testing.T) {
	for name, do := range map[string]func(*Area, *Player, Pos){
		"empty text": func(a *Area, p *Player, at Pos) { a.doAct(t, p, Act{Kind: ActWrite, At: at}) },
		"broken": func(a *Area, p *Player, at Pos) {
			p.Mode = Creative
			a.doAct(t, p, Act{Kind: ActDig, At: at})
		},
		"ground gone": func(a *Area, p *Player, at Pos) {
			p.Mode = Creative
			a.doAct(t, p, Act{Kind: ActDig, At: at.Next(FaceDown)})
			a.Tick(a.tick+1, nil)
		},
		"taken back": func(a *Area, p *Player, at Pos) { a.Amend(p.ID, []BlockChange{{at, OakSignWest, OakSignWest}}, true) },
	} {
		a, p, at := signAt(AreaConfig{})
		if got := a.doAct(t, p, Act{Kind: ActWrite, At: at, Text: "Bo was here"}); got != Done || len(a.Texts(0)) != 1 {
			t.Fatal(got)
		}
		if e := a.changes.Edits; len(e) != 1 || e[0].Was != e[0].Now || e[0].By != p.ID {
			t.Errorf("%s: the history has %v", name, e)
		}
		for range 4 {
			a.Tick(a.tick+1, nil)
		}
		do(a, p, at)
		if a.Container(at) != nil || len(a.Texts(0)) != 0 || a.texts[0] != 0 {
			t.Errorf("%s: %q is still there", name, a.Container(at).Text)
		}
	}
}
