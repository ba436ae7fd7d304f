package wire

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var world64 = world.Vec{X: 64 << 12, Y: 64 << 12, Z: 64 << 12}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"Zoe":                       "Zoe",
		"  Zoe ":                    "Zoe",
		"Zoe\u0308":                 "Zo\u00eb",
		"O'Neil_the-3rd x":          "O'Neil_the-3rd x",
		"水の子":                       "水の子",
		"ज़ोया":                     "ज़ोया",
		"محمد":                      "محمد",
		strings.Repeat("ż", 20):     strings.Repeat("ż", 20),
		"":                          "",
		"   ":                       "",
		"_-'":                       "",
		strings.Repeat("a", 21):     "",
		strings.Repeat("a", 10000):  "",
		"a  b":                      "",
		"a\nb":                      "",
		"a\x00b":                    "",
		"a\u202eb":                  "", // right-to-left override
		"a\u200bb":                  "", // zero width space
		"a\u200db":                  "", // zero width joiner
		"a\u00a0b":                  "", // no-break space
		"a\u3164b":                  "", // Hangul filler, a letter that cannot be seen
		"a\ufe0fb":                  "", // variation selector
		"a\u034fb":                  "", // grapheme joiner
		"\u0301a":                   "", // a mark on nothing
		"a\u0316\u0317\u0318\u0319": "",
		"a<b>":                      "",
		"a/b":                       "",
		"\xff":                      "",
		"🐢":                         "",
	} {
		got, err := CleanName(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestFoldName(t *testing.T) {
	for _, pair := range [][2]string{{"ZOE", "zoe"}, {"Straße", "STRASSE"}, {"Ｚｏｅ", "zoe"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}} {
		if FoldName(pair[0]) != FoldName(pair[1]) {
			t.Errorf("%q and %q are two names", pair[0], pair[1])
		}
	}
	if FoldName("a b") == FoldName("ab") {
		t.Error("a b and ab are one name")
	}
}

func TestCleanText(t *testing.T) {
	for in, want := range map[string]string{
		" hi there ":             "hi there",
		"a\nb\tc":                "a b c",
		"a\u202eb\u0007\u200bc":  "abc",
		"👩\u200d🌾 ❤\ufe0f":       "👩\u200d🌾 ❤\ufe0f",
		strings.Repeat("x", 300): strings.Repeat("x", MaxChat),
		"\xff\xfe":               "",
	} {
		if got := CleanText(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	f.Add("Zoë")
	f.Add("a\u202eb")
	f.Fuzz(func(t *testing.T, s string) {
		name, err := CleanName(s)
		if err != nil {
			return
		}
		if again, err := CleanName(name); err != nil || again != name {
			t.Errorf("%q is clean, and then not: %q, %v", name, again, err)
		}
	})
}
