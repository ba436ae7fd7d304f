package closest

import (
	"strings"
	"testing"
)

func TestTo(t *testing.T) {
	words := []string{"gamemode", "give", "give2", "kick", "whitelist", "zoë", "time"}
	for written, want := range map[string]string{
		"gamemod": "gamemode", "GameMdoe": "gamemode", "gmaemdoe": "gamemode", "game": "", "": "",
		"giv": "give", "igve": "give", "gvie2": "give2", "kcik": "kick", "kik": "kick", "whitelits": "whitelist",
		"zoe": "zoë", "tiem": "time", "x": "", "banana": "", "give": "give",
		strings.Repeat("g", 65): "",
	} {
		if got := To(written, words); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
	if got := Question("kik", "/", words); got != " Did you mean /kick?" {
		t.Error(got)
	}
	if got := Question("banana", "/", words); got != "" {
		t.Error(got)
	}
}
