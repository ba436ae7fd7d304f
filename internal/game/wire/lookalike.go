package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Skeleton returns what two names are compared by that people could take for each
// other (Unicode TR39, section 4): letters of other scripts that look the same,
// small capitals, i, l and 1, o and 0, and letters with and without marks. It is
// for comparing only.
func Skeleton(name string) string {
	s := likeness(strings.Map(smallCapital, FoldName(strings.Map(capital, name))))
	s = norm.NFD.String(FoldName(s)) // some look like capitals
	s = strings.Map(func(c rune) rune {
		c = smallCapital(c)
		switch {
		case c == 'i' || c == '1' || c == '|' || c == 'ı':
			return 'l'
		case c == '0':
			return 'o'
		case unicode.Is(accents, c):
			return -1
		case strings.ContainsRune(" _-'ʹʼ", c):
			return -1
		}
		return c
	}, s)
	return strings.ReplaceAll(s, "m", "rn") // as TR39 does, also for a Cyrillic м
}

// accents are the marks of Latin, Greek and Cyrillic letters. Those of other scripts
// make other letters.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1}, {Lo: 0x0483, Hi: 0x0487, Stride: 1}, {Lo: 0x1ab0, Hi: 0x1aff, Stride: 1},
	{Lo: 0x1dc0, Hi: 0x1dff, Stride: 1}, {Lo: 0x20d0, Hi: 0x20ff, Stride: 1},
}}

// capital is the Latin capital that a capital of another script looks like: its small
// letter may look like none, or another one (Greek Ν and ν).
func capital(c rune) rune {
	if c < unicode.MaxASCII || !unicode.IsUpper(c) || unicode.Is(unicode.Latin, c) {
		return c
	}
	if s := likeness(string(c)); len(s) == 1 {
		return rune(s[0])
	}
	return c
}

// smallCapitals are those that the table of TR39 does not have, and their letters; the
// last two are what it has for Cyrillic к and м.
var smallCapitals = func() map[rune]rune {
	letters := []rune("abcdefghijklmnoprstuvwyzkm")
	out := map[rune]rune{}
	for i, c := range []rune("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢĸʍ") {
		out[c] = letters[i]
	}
	return out
}()

func smallCapital(c rune) rune {
	if letter, ok := smallCapitals[c]; ok {
		return letter
	}
	return c
}

// reserved are names that other players could take for the program or for somebody
// in charge.
var reserved = func() map[string]bool {
	out := map[string]bool{}
	for _, s := range []string{
		"server", "system", "operator", "admin", "administrator", "moderator", "console", "lobby",
		"voxel populi", "everyone", "everybody", "nobody", "you",
	} {
		out[Skeleton(s)] = true
	}
	return out
}()

// Errors of CheckNewName.
var (
	ErrReserved = errors.New("this name is reserved")
	ErrScripts  = errors.New("this name mixes letters of several scripts")
)

// CheckNewName reports why nobody may take a name that CleanName lets pass. Who has
// such a name from before keeps it.
func CheckNewName(name string) error {
	if reserved[Skeleton(name)] {
		return fmt.Errorf("%w: %q", ErrReserved, name)
	}
	return oneScript(name)
}

// together are the scripts that one language writes together (TR39, section 5.1).
var together = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Hangul"}, {"Latin", "Han", "Bopomofo"},
}

// oneScript refuses a name whose letters no language writes together.
func oneScript(name string) error {
	var found []string
	for _, c := range name {
		if s := script(c); s != "" && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	within := func(allowed []string) bool {
		return !slices.ContainsFunc(found, func(s string) bool { return !slices.Contains(allowed, s) })
	}
	if len(found) <= 1 || slices.ContainsFunc(together, within) {
		return nil
	}
	slices.Sort(found)
	return fmt.Errorf("%w: %s", ErrScripts, strings.Join(found, ", "))
}

// script is that of a character; empty: it belongs to many.
func script(c rune) string {
	if unicode.In(c, unicode.Common, unicode.Inherited) {
		return ""
	}
	for name, table := range unicode.Scripts { // a character is of one only
		if unicode.Is(table, c) {
			return name
		}
	}
	return ""
}
