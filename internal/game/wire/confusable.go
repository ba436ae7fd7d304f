package wire

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// confusableLines are the characters of decomposed texts that look like others (Unicode
// TR39): one a line, with what it looks like behind it. Package
// github.com/mtibben/confusables, which they are from, has them as a Go map: four times as
// many bytes in the program.
//
//go:embed confusables.txt
var confusableLines string

var confusables = func() map[rune]string {
	m := map[rune]string{}
	for line := range strings.Lines(confusableLines) {
		c, size := utf8.DecodeRuneInString(line)
		m[c] = strings.TrimSuffix(line[size:], "\n")
	}
	return m
}()

// likeness is the skeleton of TR39, section 4: texts that look the same have the same.
func likeness(s string) string {
	var b strings.Builder
	for _, c := range norm.NFD.String(s) {
		if like, ok := confusables[c]; ok {
			b.WriteString(like)
		} else {
			b.WriteRune(c)
		}
	}
	return norm.NFD.String(b.String())
}
