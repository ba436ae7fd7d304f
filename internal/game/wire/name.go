package wire

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many combining marks may follow each other: enough for every
// living script, too few to paint over the neighbours.
const maxMarks = 3

// CleanName returns a name as it is shown and stored (NFC, without space
// around it), or why it is no name: 1 to 20 letters, digits, spaces or _ - ' of
// any script, nothing invisible.
func CleanName(s string) (string, error) {
	if len(s) > maxNameBytes || !utf8.ValidString(s) {
		return "", fmt.Errorf("name: want at most %d characters of text", MaxName)
	}
	s = norm.NFC.String(strings.Trim(s, " "))
	n, marks, solid := 0, 0, false
	for _, c := range s {
		n++
		switch {
		case invisible(c):
			return "", fmt.Errorf("name: the character %U cannot be seen", c)
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			marks, solid = 0, true
			continue
		case unicode.IsMark(c):
			if marks++; marks > maxMarks || !solid {
				return "", fmt.Errorf("name: too many marks on one letter")
			}
			continue
		case strings.ContainsRune(" _-'", c):
			marks = 0
			continue
		}
		return "", fmt.Errorf("name: the character %q is not allowed", c)
	}
	switch {
	case n > MaxName:
		return "", fmt.Errorf("name: %d characters, at most %d allowed", n, MaxName)
	case !solid:
		return "", fmt.Errorf("name: want at least one letter or digit")
	case strings.Contains(s, "  "):
		return "", fmt.Errorf("name: two spaces next to each other")
	}
	return s, nil
}

// FoldName returns what two names are compared by: neither case, nor width,
// nor form of a character makes a difference.
func FoldName(s string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
}

// CleanText returns a line that a player typed without what could spoil other
// people's screens (control, bidi and invisible characters become nothing,
// line breaks and tabs a space), cut after MaxChat characters.
func CleanText(s string) string {
	n := 0
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t' || c == '\r' || c == '\u2028' || c == '\u2029':
			c = ' '
		case c == '\u200d' || c == '\ufe0f': // inside of emoji
		case c == utf8.RuneError || invisible(c):
			return -1
		}
		if n++; n > MaxChat {
			return -1
		}
		return c
	}, s))
}

// invisible reports control, format (bidi, zero width), private, unassigned
// and ignorable characters, and spaces other than the plain one.
func invisible(c rune) bool {
	if c == ' ' {
		return false
	}
	return unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Z) ||
		!unicode.IsGraphic(c)
}
