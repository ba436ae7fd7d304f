// Package closest finds the word that somebody has probably meant: "Did you
// mean …?" for commands, names and flags.
package closest

import (
	"strings"
)

// maxLength bounds the words that are compared, in letters: the work grows with
// the square of it.
const maxLength = 64

// To returns the word nearest to what was written, empty if none is near: no
// more than a third of the letters are wrong, and at most three. Of words that
// are equally near it is the first. Case does not count.
func To(written string, words []string) string {
	want := []rune(strings.ToLower(written))
	if len(want) == 0 || len(want) > maxLength {
		return ""
	}
	best, least := "", min(max(1, len(want)/3), 3)+1
	for _, w := range words {
		is := []rune(strings.ToLower(w))
		if len(is) > maxLength {
			continue
		}
		if d := distance(want, is); d < least {
			best, least = w, d
		}
	}
	return best
}

// Question is the sentence that asks whether the nearest word was meant, after a
// space and with a prefix before the word; empty if none is near.
func Question(written, prefix string, words []string) string {
	if w := To(written, words); w != "" {
		return " Did you mean " + prefix + w + "?"
	}
	return ""
}

// distance is the least number of letters to put in, take out, change, or swap
// with the next, that makes a into b (optimal string alignment).
func distance(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
