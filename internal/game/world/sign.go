package world

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what is written on signs.
const (
	MaxSignText  = 120 // bytes
	MaxSignLines = 4
	MaxTexts     = 64 // signs with a text in a column
)

// ValidSignText reports whether a text can stand on a sign.
func ValidSignText(s string) bool {
	return len(s) <= MaxSignText && utf8.ValidString(s) && strings.Count(s, "\n") < MaxSignLines && !strings.ContainsFunc(s, unprintable)
}

// unprintable knows controls and what changes the direction of writing. The tables of package
// unicode differ between versions of Go, and hosts must agree.
func unprintable(r rune) bool {
	switch {
	case r == '\n':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	}
	return false
}

// write writes on a sign, or wipes it. Like a container it is used in the own region only:
// whoever leads another one could say that somebody wrote what nobody has signed.
func (pr *playerRules) write(p *Player, act *Act) Refusal {
	at := act.At
	b, ok := pr.Block(at)
	c := pr.containers[at]
	switch {
	case p.Mode == Spectator || !ValidSignText(act.Text):
		return NotAllowed
	case !ok:
		return NotLoaded
	case !b.IsSign():
		return NoSuchBlock
	case !p.inReach(at):
		return TooFar
	case !pr.owns(at):
		return Across
	case pr.barred(at, p.ID, p.Operator) != Done:
		return pr.barred(at, p.ID, p.Operator)
	case !pr.sees(p, at):
		return NotAllowed
	case c == nil && act.Text != "" && pr.texts[at.Column().Index()] >= MaxTexts:
		return TooMany
	case !pr.rate(&p.NextPlace, placeEvery, placeSlack):
		return Cooldown
	}
	pr.event(p.Handle, &p.Body, EventSwing)
	pr.putContents(at, &Container{At: at, Owner: p.ID, Text: act.Text})
	pr.changes.Edits = append(pr.changes.Edits, Edit{BlockChange{at, b, b}, p.ID, false})
	return Done
}

// countText keeps count of the texts in a column.
func (st *state) countText(at Pos, by int) {
	if c := st.containers[at]; c != nil && c.Text != "" {
		st.texts[at.Column().Index()] += by
	}
}

// Texts returns the signs of a column that have a text, sorted by place.
func (st *state) Texts(column int) (out []*Container) {
	if st.texts[column] == 0 {
		return nil
	}
	for at, c := range st.containers { // sorted below
		if c.Text != "" && at.Column().Index() == column {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *Container) int { return cmp.Or(a.At.compare(b.At)) })
	return out
}
