package wire

import (
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tr39 "github.com/mtibben/confusables"
	"golang.org/x/text/unicode/norm"
)

// TestConfusables: the table is that of github.com/mtibben/confusables.
func TestConfusables(t *testing.T) {
	var lines strings.Builder
	for c := range rune(unicode.MaxRune) {
		s := string(c)
		if !utf8.ValidRune(c) || norm.NFD.String(s) != s {
			continue
		}
		want := tr39.Skeleton(s)
		if want != s {
			lines.WriteString(s + want + "\n")
		}
		if got := likeness(s); got != want && !*update {
			t.Errorf("%U: %q looks like %q, want %q", c, s, got, want)
		}
	}
	if *update {
		if err := os.WriteFile("confusables.txt", []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if lines.String() != confusableLines {
		t.Error("confusables.txt has other lines: run with -update")
	}
}
