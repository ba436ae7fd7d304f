package host

import (
	"strings"
	"testing"
)

func TestBrowserCommands(t *testing.T) {
	for _, c := range []struct {
		goos string
		env  map[string]string
		want string // of the first; empty: none
	}{
		{"linux", nil, ""},
		{"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "w", "BROWSER": "lynx"}, "lynx"},
		{"linux", map[string]string{"WSL_DISTRO_NAME": "Debian"}, "wslview"},
		{"darwin", nil, "open"},
		{"windows", nil, "rundll32"},
	} {
		got := browserCommands(c.goos, func(k string) string { return c.env[k] })
		if len(got) == 0 != (c.want == "") || len(got) > 0 && got[0][0] != c.want {
			t.Errorf("%s %v: %v, want %s first", c.goos, c.env, got, c.want)
		}
	}
}

func TestRandomCode(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		code := RandomCode()
		if len(code) != 8 || strings.ContainsAny(code, "il1o0") || seen[code] {
			t.Fatalf("code %q", code)
		}
		seen[code] = true
	}
}
