package lobby

import (
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/closest"
)

// The grammar of commands is what /help shows of them: command.args. From it
// follow the forms that clients complete from (wire.Command), and what was
// probably meant by a wrong word.
//
//	word       stands there
//	<a|b>      one of the alternatives stands there
//	[a|b]      the same, or nothing
//	… | …      forms that a command has
//
// An alternative is a word, or one of argumentTypes.

// argumentTypes are what may stand in arguments besides certain words, as clients
// are told.
var argumentTypes = map[string]string{
	"player": "<player>", "known player": "<known player>", "block": "<block>", "command": "<command>",
	"player id": "<player id>", "address": "<text>", "player or *": "<known player>|*", "land": "<text>", "name": "<text>", "message": "<text>", "value": "<text>",
	"count": "<number>", "ticks": "<number>", "x": "<x>", "y": "<y>", "z": "<z>", "text": "<text>", "reason": "<text>",
}

// forms returns what may stand in the arguments, place by place, for each form;
// alternatives are split by "|". A form that another begins with is left out.
func (c *command) forms() (out [][]string) {
	var all [][]string
	for _, form := range strings.Split(c.args, " | ") {
		all = append(all, expand(tokens(form))...)
	}
	for _, f := range all {
		if !slices.ContainsFunc(all, func(g []string) bool { return len(g) > len(f) && slices.Equal(g[:len(f)], f) }) {
			out = append(out, f)
		}
	}
	return out
}

// tokens cuts a form at spaces outside of brackets.
func tokens(form string) (out []string) {
	from, open := 0, false
	for i, r := range form + " " {
		switch {
		case r == '<' || r == '[':
			open = true
		case r == '>' || r == ']':
			open = false
		case r == ' ' && !open:
			if i > from {
				out = append(out, form[from:i])
			}
			from = i + 1
		}
	}
	return out
}

// expand returns the forms that come of leaving optional tokens out.
func expand(tokens []string) [][]string {
	if len(tokens) == 0 {
		return [][]string{nil}
	}
	arg := alternatives(strings.Trim(tokens[0], "<>[]"))
	rest := expand(tokens[1:])
	var out [][]string
	for _, r := range rest {
		out = append(out, append([]string{arg}, r...))
	}
	if strings.HasPrefix(tokens[0], "[") {
		out = append(out, rest...)
	}
	return out
}

// alternatives replaces the names of types.
func alternatives(s string) string {
	words := strings.Split(s, "|")
	for i, w := range words {
		if typ, ok := argumentTypes[w]; ok {
			words[i] = typ
		}
	}
	return strings.Join(words, "|")
}

// meant says what was probably meant by the first word of a call that stands in
// no form of the command; empty if nothing is near.
func (c *call) meant() string {
	left := c.forms()
	for i, w := range c.args {
		var words []string
		open := false
		for _, f := range left {
			for _, alt := range strings.Split(at(f, i), "|") {
				open = open || strings.HasPrefix(alt, "<")
				words = append(words, alt)
			}
		}
		next := slices.DeleteFunc(slices.Clone(left), func(f []string) bool {
			return !slices.Contains(strings.Split(at(f, i), "|"), w.Text)
		})
		switch {
		case len(next) > 0:
			left = next
		case open:
			return ""
		default:
			return closest.Question(w.Text, "", words)
		}
	}
	return ""
}

// at returns a place of a form, empty behind its end.
func at(form []string, i int) string {
	if i < len(form) {
		return form[i]
	}
	return ""
}
